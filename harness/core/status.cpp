#include "core/status.hpp"

#include <array>
#include <utility>

#include "core/enumerators.hpp"

namespace plumbline {
namespace {

constexpr auto status_words = std::to_array<std::pair<Status, std::string_view>>({{Status::ok, "ok"},
                                                                                  {Status::skipped, "skipped"},
                                                                                  {Status::unavailable, "unavailable"},
                                                                                  {Status::permission, "permission"},
                                                                                  {Status::multiplexed, "multiplexed"},
                                                                                  {Status::masked, "masked"},
                                                                                  {Status::stolen, "stolen"},
                                                                                  {Status::wrapped, "wrapped"},
                                                                                  {Status::negative, "negative"},
                                                                                  {Status::failed, "failed"},
                                                                                  {Status::wrong_result, "failed"}});
static_assert(status_words.size() == enumerator_count<Status>());

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
