#include "app/results/application_schedule.hpp"

#include <algorithm>
#include <memory_resource>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "core/kernel.hpp"

namespace plumbline::app {
namespace {

/// The stored parameters; throws std::exception where they are none.
Parameters parameters_of(const std::string& json) {
  Parameters p;
  const auto stored = nlohmann::ordered_json::parse(json);
  for (const auto& [name, value] : stored.items()) {
    if (value.is_string())
      p.set(name, value.get<std::string>());
    else
      p.set(name, value.get<std::int64_t>());
  }
  return p;
}

}  // namespace

std::optional<ApplicationSchedule> application_schedule(const CaseRow& row) {
  const Kernel* const kernel = find_kernel(row.kernel);
  if (kernel == nullptr || !kernel->application || std::ranges::find(kernel->precisions, row.precision) == kernel->precisions.end())
    return std::nullopt;
  try {
    ApplicationSchedule schedule{.parameters = parameters_of(row.params)};
    for (const auto& phase : kernel->application(schedule.parameters, row.precision, row.flavor).phases)
      schedule.phases.push_back(
          {phase.name, static_cast<double>(phase.entries), static_cast<double>(phase.messages), static_cast<double>(phase.message_bytes)});
    // The data tell the order of their steps; none of their pages is touched.
    const auto data = kernel->prepare(schedule.parameters, row.precision, *std::pmr::new_delete_resource());
    const auto* const application = dynamic_cast<const ApplicationData*>(data.get());
    if (application == nullptr) return std::nullopt;
    for (const Step& step : application->steps()) schedule.order.push_back(step.phase);
    return schedule;
  } catch (const std::exception&) {  // another version's parameters, or more memory than there is
    return std::nullopt;
  }
}

}  // namespace plumbline::app
