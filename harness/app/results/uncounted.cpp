#include "app/results/uncounted.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cctype>
#include <map>
#include <set>

#include "campaign/campaign.hpp"
#include "core/error.hpp"
#include "measure/gpu_counting.hpp"

namespace plumbline::app {

std::string without_counts(bool times, bool ceilings, bool model) {
  std::vector<std::string> there;
  if (times || ceilings)
    there.push_back(fmt::format("{} are measured all the same", times && ceilings ? "times and ceilings" : times ? "times" : "ceilings"));
  if (model) there.emplace_back("arithmetic intensities are the model's");
  std::string text =
      fmt::format("{}{}no counter can be scored. 'plumbline doctor' says for each quantity what would make counting possible",
                  fmt::join(there, ", and "), there.empty() ? "" : "; ");
  text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text;
}

namespace {

/// Whether the stored text of a campaign asks for counts; false where it cannot be read.
bool asks_for_counts(const std::string& text) {
  try {
    const Campaign campaign = parse_campaign(text, "the stored campaign");
    return campaign.count && campaign.counters != "none";
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

std::optional<std::string> nothing_counted(const Results& results) {
  if (!results.counts.empty()) return std::nullopt;
  std::set<std::string> reasons;
  bool tried = false;
  for (const auto& outcome : results.outcomes) {
    if (outcome.pass != "count") continue;
    tried = true;
    if (!outcome.reason.empty()) reasons.insert(outcome.reason);
  }
  constexpr const char* not_asked = "the campaign did not ask for it, as passes = [\"time\", \"count\"] with counters = \"auto\" would";
  constexpr const char* not_yet = "no case came as far as its counting pass";
  std::string why = tried ? fmt::format("{}", fmt::join(reasons, "; ")) : asks_for_counts(results.campaign) ? not_yet : not_asked;
  if (!why.empty() && why.back() == '.') why.pop_back();
  return fmt::format("nothing was counted{}{}. {}", why.empty() ? "" : ": ", why,
                     without_counts(!results.times.empty(), !results.ceilings.empty(), !results.model.empty()));
}

std::vector<std::string> notes_on_empty_regions(const Results& results) {
  std::map<std::string, std::size_t> cases;  // by reason
  for (const auto& outcome : results.outcomes)
    if (outcome.pass == "count" && outcome.reason.find(no_empty_count) != outcome.reason.npos) ++cases[outcome.reason];
  std::vector<std::string> notes;
  for (const auto& [reason, number] : cases) notes.push_back(fmt::format("{} ({} case{})", reason, number, number == 1 ? "" : "s"));
  return notes;
}

}  // namespace plumbline::app
