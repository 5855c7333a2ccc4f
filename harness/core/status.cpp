#include "core/status.hpp"

#include <array>
#include <utility>

namespace plumbline {
namespace {

constexpr std::array<std::pair<Status, std::string_view>, 11> status_words{{{Status::ok, "ok"},
                                                                            {Status::skipped, "skipped"},
                                                                            {Status::unavailable, "unavailable"},
                                                                            {Status::permission, "permission"},
                                                                            {Status::multiplexed, "multiplexed"},
                                                                            {Status::masked, "masked"},
                                                                            {Status::stolen, "stolen"},
                                                                            {Status::wrapped, "wrapped"},
                                                                            {Status::negative, "negative"},
                                                                            {Status::failed, "failed"},
                                                                            {Status::wrong_result, "failed"}}};

}  // namespace

std::string_view to_string(Status status) {
  for (const auto& [value, word] : status_words)
    if (value == status) return word;
  return "failed";
}

std::optional<Status> status_from(std::string_view word) {
  for (const auto& [value, text] : status_words)
    if (text == word) return value;
  return std::nullopt;
}

}  // namespace plumbline
