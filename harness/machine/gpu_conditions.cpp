#include "machine/gpu_conditions.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

namespace plumbline {
namespace {

struct ClockEvent {
  unsigned long long bit;
  const char* words;
};
// nvmlClocksEventReasons; the last two by the values of their older name, nvmlClocksThrottleReasons.
constexpr std::array<ClockEvent, 11> clock_events{{{0x1, "idle"},
                                                   {0x2, "clocks set by the user"},
                                                   {0x4, "power limit (software)"},
                                                   {0x8, "slowed down by hardware"},
                                                   {0x10, "in step with another GPU (sync boost)"},
                                                   {0x20, "heat (software)"},
                                                   {0x40, "heat (hardware)"},
                                                   {0x80, "power brake from outside (hardware)"},
                                                   {0x100, "display clocks"},
                                                   {0x200, "limit of the board"},
                                                   {0x400, "limit of reliability"}}};

Condition not_read(std::string name, std::string reason) { return {.name = std::move(name), .reason = std::move(reason)}; }

Condition condition(std::string name, const Nvml::Answer& answer, double value) {
  return answer.ok() ? Condition{.name = std::move(name), .value = value} : not_read(std::move(name), answer.reason);
}

Fact events(const Nvml& nvml, nvml::Device gpu) {
  constexpr const char* name = "clock_event_reasons";
  unsigned long long reasons = 0;
  auto answer = nvml.call(nvml::clock_event_reasons, gpu, &reasons);
  if (answer.code == nvml::function_not_found) answer = nvml.call(nvml::clock_throttle_reasons, gpu, &reasons);
  return answer.ok() ? known(name, clock_event_words(reasons)) : unknown(name, answer.reason);
}

Condition state(const Nvml& nvml, nvml::Device gpu) {
  constexpr const char* name = "performance_state";
  unsigned value = nvml::performance_state_unknown;
  const auto answer = nvml.call(nvml::performance_state, gpu, &value);
  if (answer.ok() && value == nvml::performance_state_unknown) return not_read(name, "the driver does not know it");
  return condition(name, answer, value);
}

}  // namespace

GpuConditions read_gpu_conditions(const Nvml& nvml, const std::string& pci) {
  nvml::Device gpu = nullptr;
  const auto found = nvml.call(nvml::device_by_pci, pci.c_str(), &gpu);
  const auto number = [&](const char* name, double in_a_unit, const auto& function, auto... which) {
    unsigned value = 0;
    const auto answer = found.ok() ? nvml.call(function, gpu, which..., &value) : found;
    return condition(name, answer, value / in_a_unit);
  };
  return {
      {number("sm_clock_mhz", 1, nvml::clock_now, nvml::clock_sm), number("memory_clock_mhz", 1, nvml::clock_now, nvml::clock_memory),
       number("power_watts", 1000, nvml::power), number("temperature_celsius", 1, nvml::temperature, nvml::sensor_gpu),
       found.ok() ? state(nvml, gpu) : not_read("performance_state", found.reason), number("pcie_generation", 1, nvml::pcie_generation)},
      found.ok() ? events(nvml, gpu) : unknown("clock_event_reasons", found.reason)};
}

std::string clock_event_words(unsigned long long reasons) {
  std::vector<std::string> words;
  for (const auto& event : clock_events) {
    if ((reasons & event.bit) != 0) words.emplace_back(event.words);
    reasons &= ~event.bit;
  }
  if (reasons != 0) words.push_back(fmt::format("0x{:x} (a reason without a name here)", reasons));
  return words.empty() ? "none" : fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace plumbline
