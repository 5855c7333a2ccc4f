#include "app/session/dry_run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/stages/ceilings_stage.hpp"
#include "app/terminal/progress.hpp"
#include "app/terminal/streams.hpp"

namespace plumbline::app {
namespace {

/// The words for points of this node's GPUs: " and 12 of the GPU", " and 24 of 2 GPUs".
std::string gpu_points_text(const DrivenGpus& gpus) {
  std::size_t points = 0;
  for (const auto& one : gpus.all) points += one.count;
  if (points == 0) return "";
  return fmt::format(" and {} of {}", points, gpus.all.size() == 1 ? "the GPU" : fmt::format("{} GPUs", gpus.all.size()));
}

}  // namespace

Exit print_plan(const RunPlan& plan, const RunInput& input, Communicator& ranks) {
  if (ranks.rank() != 0) return Exit::ok;
  std::uint64_t most_bytes = ceilings_bytes(with_any_winners(plan.ceilings, plan.contests));
  for (std::size_t i = 0; i < plan.cases.size(); ++i) {
    const std::uint64_t bytes = memory_bytes(plan.cases[i]).value_or(0);
    if (plan.cases[i].team.gpus == 0) most_bytes = std::max(most_bytes, bytes);
    print(fmt::format("{:>9.2f} s  {:>10.1f} MB  {}\n", plan.case_seconds[i], static_cast<double>(bytes) * 1e-6, plan.cases[i].id()));
  }
  for (const auto& skipped : plan.skipped) print(fmt::format("  skipped             {}  ({})\n", skipped.what.id(), skipped.reason));
  for (const auto& group : input.counting.groups)
    print(fmt::format("  counting with {}, group {}: {} events{}\n", group.backend, group.number, group.what.events.size(),
                      group.what.emulated ? ", under the emulator" : ""));
  if (!input.counting.skipped.empty()) print(fmt::format("  not counting with: {}\n", input.counting.why_skipped()));
  for (const auto& note : plan.notes) print(fmt::format("  note: {}\n", note));
  print(fmt::format(
      "{} cases in {} rounds on {} node(s), {} skipped; {} ceiling points{} x {} rounds; about {} (estimate), at most {:.1f} MB a node; "
      "seed {}\n",
      plan.cases.size(), plan.rounds.size(), ranks.nodes(), plan.skipped.size(), plan.ceilings.size(), gpu_points_text(plan.gpus),
      plan.ceiling_rounds, duration_text(plan.seconds + plan.ceiling_seconds), static_cast<double>(most_bytes) * 1e-6,
      input.campaign.seed));
  return Exit::ok;
}

}  // namespace plumbline::app
