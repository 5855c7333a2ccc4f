#include "machine/gpu_facts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "machine/gpu_conditions.hpp"
#include "machine/system_file.hpp"

namespace plumbline {
namespace {

struct TextFact {
  const char* name;
  nvml::Text function;
};
constexpr TextFact texts[] = {{"name", nvml::name}, {"uuid", nvml::uuid}, {"vbios_version", nvml::vbios_version}};

struct NumberFact {
  const char* name;
  nvml::Number function;
};
constexpr NumberFact link_facts[] = {
    {"pcie_generation_max", nvml::pcie_generation_most}, {"pcie_width_max", nvml::pcie_width_most}, {"pcie_width", nvml::pcie_width}};
constexpr NumberFact milliwatts[] = {{"power_limit_watts", nvml::power_limit}, {"power_limit_default_watts", nvml::default_power_limit}};

struct ClockFact {
  const char* name;
  nvml::Clock function;
  unsigned clock;
};
constexpr ClockFact clocks[] = {{"sm_clock_max_mhz", nvml::clock_most, nvml::clock_sm},
                                {"memory_clock_max_mhz", nvml::clock_most, nvml::clock_memory},
                                {"sm_clock_of_applications_mhz", nvml::clock_of_applications, nvml::clock_sm},
                                {"memory_clock_of_applications_mhz", nvml::clock_of_applications, nvml::clock_memory}};

// nvmlEnableState_t and nvmlComputeMode_t.
constexpr std::array<const char*, 2> disabled_or_enabled{"disabled", "enabled"};
constexpr std::array<const char*, 2> no_or_yes{"no", "yes"};
constexpr std::array<const char*, 4> compute_modes{"default", "exclusive thread", "prohibited", "exclusive process"};

template <std::size_t n>
Fact word(const char* name, const Nvml::Answer& answer, unsigned value, const std::array<const char*, n>& words) {
  if (!answer.ok()) return unknown(name, answer.reason);
  return value < n ? known(name, words[value]) : unknown(name, fmt::format("the driver says {}, which has no meaning here", value));
}

Fact number(const char* name, const Nvml::Answer& answer, unsigned long long value) {
  return answer.ok() ? known_number(name, static_cast<long long>(value)) : unknown(name, answer.reason);
}

Fact quantity(std::string name, double value) { return {std::move(name), fmt::format("{}", value), "", true}; }

using Buffer = std::array<char, nvml::longest_text + 1>;  // one more than the library is told: always ended

Fact text(const char* name, const Nvml::Answer& answer, const Buffer& buffer) {
  if (!answer.ok()) return unknown(name, answer.reason);
  return buffer.front() == '\0' ? unknown(name, "the driver says nothing") : known(name, buffer.data());
}

/// Asks about one GPU for one fact after another.
class Questions {
 public:
  Questions(const Nvml& nvml, nvml::Device gpu) : nvml_(nvml), gpu_(gpu) {}

  Facts all() {
    for (const auto& [name, function] : texts) add_text(name, function);
    add_compute_capability();
    add_memory();
    add_mode("ecc_mode", "ecc_mode_pending", nvml::ecc_mode);
    add_errors("ecc_corrected_since_load", nvml::errors_corrected);
    add_errors("ecc_uncorrected_since_load", nvml::errors_uncorrected);
    add_mode("mig_mode", "mig_mode_pending", nvml::mig_mode);
    add_word("mig_device", nvml::is_mig_device, no_or_yes);
    add_mig_devices();
    add_word("persistence_mode", nvml::persistence_mode, disabled_or_enabled);
    add_word("compute_mode", nvml::compute_mode, compute_modes);
    for (const auto& [name, function] : milliwatts) add_watts(name, function);
    for (const auto& [name, function, clock] : clocks) add_clock(name, function, clock);
    for (const auto& [name, function] : link_facts) add_number(name, function);
    add_links();
    return std::move(facts_);
  }

 private:
  void add_text(const char* name, const nvml::Text& function) {
    Buffer buffer{};
    const auto answer = nvml_.call(function, gpu_, buffer.data(), nvml::longest_text);
    facts_.push_back(text(name, answer, buffer));
  }
  void add_number(const char* name, const nvml::Number& function) {
    unsigned value = 0;
    const auto answer = nvml_.call(function, gpu_, &value);
    facts_.push_back(number(name, answer, value));
  }
  void add_watts(const char* name, const nvml::Number& function) {
    unsigned value = 0;
    const auto answer = nvml_.call(function, gpu_, &value);
    facts_.push_back(answer.ok() ? quantity(name, value / 1000.0) : unknown(name, answer.reason));
  }
  void add_clock(const char* name, const nvml::Clock& function, unsigned clock) {
    unsigned value = 0;
    const auto answer = nvml_.call(function, gpu_, clock, &value);
    facts_.push_back(number(name, answer, value));
  }
  template <std::size_t n>
  void add_word(const char* name, const nvml::Number& function, const std::array<const char*, n>& words) {
    unsigned value = 0;
    const auto answer = nvml_.call(function, gpu_, &value);
    facts_.push_back(word(name, answer, value, words));
  }
  void add_mode(const char* name, const char* pending_name, const nvml::TwoNumbers& function) {
    unsigned current = 0, pending = 0;
    const auto answer = nvml_.call(function, gpu_, &current, &pending);
    facts_.push_back(word(name, answer, current, disabled_or_enabled));
    facts_.push_back(word(pending_name, answer, pending, disabled_or_enabled));
  }
  void add_compute_capability() {
    int major = 0, minor = 0;
    const auto answer = nvml_.call(nvml::compute_capability, gpu_, &major, &minor);
    constexpr const char* name = "compute_capability";
    facts_.push_back(answer.ok() ? known(name, fmt::format("{}.{}", major, minor)) : unknown(name, answer.reason));
  }
  void add_memory() {
    nvml::Memory memory{};
    const auto answer = nvml_.call(nvml::memory_info, gpu_, &memory);
    facts_.push_back(number("memory_total_bytes", answer, memory.total));
  }
  void add_errors(const char* name, unsigned kind) {
    unsigned long long errors = 0;
    const auto answer = nvml_.call(nvml::ecc_errors, gpu_, kind, nvml::errors_volatile, &errors);
    facts_.push_back(number(name, answer, errors));
  }
  /// Adds how many parts of this GPU this process may use; 0 where the GPU is not divided.
  void add_mig_devices() {
    unsigned most = 0;
    const auto answer = nvml_.call(nvml::most_mig_devices, gpu_, &most);
    unsigned found = 0;
    for (unsigned i = 0; answer.ok() && i < most; ++i) {
      nvml::Device part = nullptr;
      if (nvml_.call(nvml::mig_device_by_index, gpu_, i, &part).ok()) ++found;
    }
    facts_.push_back(number("mig_devices", answer, found));
  }
  /// The driver names no number of links: each that there could be is asked for, and those that it knows are counted.
  void add_links() {
    unsigned links = 0, active = 0;
    Nvml::Answer refusal;
    for (unsigned link = 0; link < nvml::most_links; ++link) {
      unsigned state = 0;
      const auto answer = nvml_.call(nvml::link_state, gpu_, link, &state);
      const bool no_such_link = answer.code == nvml::invalid_argument || answer.code == nvml::not_supported;
      if (!answer.ok() && (refusal.ok() || !no_such_link)) refusal = answer;
      if (!answer.ok() && !no_such_link) {
        links = 0;  // nobody knows how many
        break;
      }
      if (answer.ok()) ++links;
      if (state != 0) ++active;
    }
    const Nvml::Answer told = links > 0 ? Nvml::Answer{} : refusal;
    facts_.push_back(number("nvlinks", told, links));
    facts_.push_back(number("nvlinks_active", told, active));
  }

  const Nvml& nvml_;
  nvml::Device gpu_;
  Facts facts_;
};

Facts moment(const Nvml& nvml, const std::string& pci) {
  const GpuConditions conditions = read_gpu_conditions(nvml, pci);
  Facts facts;
  for (const auto& one : conditions.numbers)
    facts.push_back(one.reason.empty() ? quantity(one.name, one.value) : unknown(one.name, one.reason));
  facts.push_back(conditions.clock_event_reasons);
  return facts;
}

/// Adds the GPU to the list, or to the driver's facts why it cannot be described.
void add_gpu(NvidiaGpus& all, const Nvml& nvml, unsigned index) {
  nvml::Device gpu = nullptr;
  nvml::PciInfo info{};
  auto answer = nvml.call(nvml::device_by_index, index, &gpu);
  if (answer.ok()) answer = nvml.call(nvml::pci_info, gpu, &info);
  if (!answer.ok()) {
    all.driver.push_back(unknown(fmt::format("gpu_{}", index), answer.reason));
    return;
  }
  const std::string pci = fmt::format("{:04x}:{:02x}:{:02x}.0", info.domain, info.bus, info.device);
  all.gpus.push_back({pci, Questions(nvml, gpu).all(), moment(nvml, pci)});
}

}  // namespace

Facts nvidia_driver(const Nvml& nvml, const std::filesystem::path& root) {
  const auto module = field_of(root / "proc/driver/nvidia/version", "NVRM version");
  if (!nvml.why_not().empty()) return module ? Facts{known("kernel_module", *module), unknown("library", nvml.why_not())} : Facts{};
  Facts facts;
  facts.push_back(module ? known("kernel_module", *module) : unknown("kernel_module", "/proc/driver/nvidia/version names no version"));
  const auto add_version = [&](const char* name, const nvml::Function<char*, unsigned>& function) {
    Buffer buffer{};
    const auto answer = nvml.call(function, buffer.data(), nvml::longest_text);
    facts.push_back(text(name, answer, buffer));
  };
  add_version("driver_version", nvml::driver_version);
  add_version("nvml_version", nvml::library_version);
  int cuda = 0;
  const auto answer = nvml.call(nvml::cuda_driver_version, &cuda);
  facts.push_back(answer.ok() ? known("cuda_driver_version", fmt::format("{}.{}", cuda / 1000, cuda % 1000 / 10))
                              : unknown("cuda_driver_version", answer.reason));
  return facts;
}

NvidiaGpus nvidia_gpus(const Nvml& nvml, const std::filesystem::path& root) {
  NvidiaGpus all{nvml.why_not(), nvml.found(), nvidia_driver(nvml, root), {}};
  if (!all.why_none.empty()) return all;
  unsigned count = 0;
  const auto answer = nvml.call(nvml::device_count, &count);
  all.driver.push_back(number("gpus", answer, count));
  if (!answer.ok()) all.why_none = answer.reason;
  for (unsigned index = 0; answer.ok() && index < count; ++index) add_gpu(all, nvml, index);
  std::sort(all.gpus.begin(), all.gpus.end(), [](const auto& a, const auto& b) { return a.pci < b.pci; });
  return all;
}

std::string in_one_line(const NvidiaGpus& gpus) {
  if (!gpus.why_none.empty()) return gpus.why_none;
  std::vector<std::string> told;
  for (const auto& fact : gpus.driver)
    if (fact.name != "kernel_module" && fact.name != "nvml_version")
      told.push_back(fact.value ? fmt::format("{} {}", fact.name, *fact.value) : fmt::format("{} not known ({})", fact.name, fact.reason));
  return fmt::format("{}", fmt::join(told, ", "));
}

}  // namespace plumbline
