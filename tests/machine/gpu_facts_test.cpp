// A driver tells of two made-up GPUs, and it is told that there is none, that it is old or that it fails. The library is opened as NVIDIA's
// would be, by the path of the stand-in.
#include "machine/gpu_facts.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <thread>

#include "machine/capability.hpp"
#include "machine/facts_json.hpp"
#include "machine/gpu_conditions.hpp"
#include "machine/gpu_watch.hpp"
#include "machine/machine_json.hpp"
#include "machine/node_differences.hpp"
#include "machine/nvml.hpp"
#include "system_tree.hpp"

namespace plumbline {
namespace {

constexpr const char* stand_in = STAND_IN_NVML;
constexpr const char* old_stand_in = STAND_IN_OLD_NVML;

// sizeof and offsets of nvidia-ml-py 13.615.71's ctypes structures, nvmlPciInfo_t and c_nvmlMemory_t, on 64-bit Linux.
static_assert(sizeof(nvml::PciInfo) == 68 && offsetof(nvml::PciInfo, domain) == 16 && offsetof(nvml::PciInfo, bus) == 20 &&
              offsetof(nvml::PciInfo, device) == 24 && offsetof(nvml::PciInfo, device_and_vendor_id) == 28 &&
              offsetof(nvml::PciInfo, subsystem_id) == 32 && offsetof(nvml::PciInfo, bus_id) == 36);
static_assert(sizeof(nvml::Memory) == 24 && offsetof(nvml::Memory, total) == 0 && offsetof(nvml::Memory, free) == 8);

/// The stand-in as a test sets it, which is undone in the end.
class Driver {
 public:
  Driver() : library_(dlopen(stand_in, RTLD_NOW | RTLD_LOCAL)) {
    if (library_ == nullptr) throw std::runtime_error(dlerror());
  }
  ~Driver() {
    start_with(0);
    first_gpu(0);
    event_reasons(1);
    dlclose(library_);
  }
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  void start_with(int result) { call<void, int>("stand_in_start_with", result); }
  void first_gpu(int result) { call<void, int>("stand_in_first_gpu", result); }
  void event_reasons(unsigned long long bits) { call<void, unsigned long long>("stand_in_event_reasons", bits); }
  /// Returns when so many readings of the GPUs' conditions were begun and ended meanwhile.
  void wait_for_readings(int count) {
    const int wanted = asked() + count + 1;  // one may be under way
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (asked() < wanted && std::chrono::steady_clock::now() < until) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  int still_open() { return call<int>("stand_in_still_open"); }

 private:
  int asked() { return call<int>("stand_in_asked"); }
  template <class Result, class... Arguments>
  Result call(const char* name, Arguments... arguments) {
    return reinterpret_cast<Result (*)(Arguments...)>(dlsym(library_, name))(arguments...);
  }
  void* library_;
};

const Fact& of(const Facts& facts, const std::string& name) {
  const auto found = std::find_if(facts.begin(), facts.end(), [&](const Fact& one) { return one.name == name; });
  if (found == facts.end()) throw std::runtime_error("no fact " + name);
  return *found;
}
std::string value_of(const Facts& facts, const std::string& name) { return of(facts, name).value.value_or("absent"); }

const Condition& of(const GpuConditions& conditions, const std::string& name) {
  const auto& all = conditions.numbers;
  return *std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.name == name; });
}

TEST(gpu_facts, of_a_gpu_that_tells_all_each_has_its_value_in_its_unit) {
  const SystemTree system;
  const auto found = nvidia_gpus(Nvml(stand_in), system.root());
  EXPECT_EQ(found.why_none, "");
  ASSERT_EQ(found.gpus.size(), 2U);
  EXPECT_EQ(found.gpus[0].pci, "0000:17:00.0") << "by address, whatever the driver's order";
  const auto& facts = found.gpus[0].settled;
  const std::pair<const char*, const char*> expected[] = {{"name", "Made-up GPU 1 with a long name"},
                                                          {"uuid", "GPU-11111111-0000-0000-0000-000000000001"},
                                                          {"vbios_version", "96.00.A5.00.01"},
                                                          {"compute_capability", "9.0"},
                                                          {"memory_total_bytes", "151397597184"},
                                                          {"ecc_mode", "enabled"},
                                                          {"ecc_mode_pending", "disabled"},
                                                          {"ecc_corrected_since_load", "5000000000"},
                                                          {"ecc_uncorrected_since_load", "0"},
                                                          {"mig_mode", "enabled"},
                                                          {"mig_mode_pending", "enabled"},
                                                          {"mig_device", "no"},
                                                          {"mig_devices", "2"},
                                                          {"persistence_mode", "enabled"},
                                                          {"compute_mode", "exclusive process"},
                                                          {"power_limit_watts", "699.5"},
                                                          {"power_limit_default_watts", "700"},
                                                          {"sm_clock_max_mhz", "1980"},
                                                          {"memory_clock_max_mhz", "3201"},
                                                          {"sm_clock_of_applications_mhz", "1830"},
                                                          {"memory_clock_of_applications_mhz", "3200"},
                                                          {"pcie_generation_max", "5"},
                                                          {"pcie_width_max", "16"},
                                                          {"pcie_width", "16"},
                                                          {"nvlinks", "18"},
                                                          {"nvlinks_active", "17"}};
  for (const auto& [name, value] : expected) EXPECT_EQ(value_of(facts, name), value) << name << ": " << of(facts, name).reason;
  EXPECT_EQ(facts.size(), std::size(expected));
}

TEST(gpu_facts, of_the_driver_versions_and_how_many_gpus) {
  SystemTree system;
  system.file("proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.15  Tue Mar  5\nGCC version: 12\n");
  const auto facts = nvidia_gpus(Nvml(stand_in), system.root()).driver;
  EXPECT_EQ(value_of(facts, "kernel_module"), "NVIDIA UNIX x86_64 Kernel Module  550.54.15  Tue Mar  5");
  EXPECT_EQ(value_of(facts, "driver_version"), "550.54.15");
  EXPECT_EQ(value_of(facts, "nvml_version"), "12.550.54.15");
  EXPECT_EQ(value_of(facts, "cuda_driver_version"), "12.4");
  EXPECT_EQ(value_of(facts, "gpus"), "2");
}

TEST(gpu_facts, what_a_gpu_does_not_tell_is_absent_with_what_the_driver_answered) {
  const auto gpus = nvidia_gpus(Nvml(stand_in)).gpus;
  ASSERT_EQ(gpus.size(), 2U);
  EXPECT_EQ(gpus[1].pci, "0001:65:00.0");
  const auto& facts = gpus[1].settled;
  ASSERT_EQ(facts.size(), gpus[0].settled.size()) << "every name is there";
  EXPECT_EQ(of(facts, "ecc_mode").reason, "nvmlDeviceGetEccMode: not supported by this GPU or its driver (NVML error 3)");
  EXPECT_EQ(of(facts, "power_limit_watts").reason, "nvmlDeviceGetEnforcedPowerLimit: not permitted to this user (NVML error 4)");
  EXPECT_EQ(of(facts, "vbios_version").reason, "the driver says nothing");
  EXPECT_EQ(of(facts, "compute_mode").reason, "the driver says 77, which has no meaning here");
  EXPECT_EQ(value_of(facts, "mig_devices"), "0") << "not divided";
  EXPECT_EQ(value_of(facts, "persistence_mode"), "disabled");
  EXPECT_EQ(value_of(facts, "pcie_width"), "8");
  for (const char* name : {"ecc_mode_pending", "ecc_corrected_since_load", "ecc_uncorrected_since_load", "mig_mode", "nvlinks",
                           "nvlinks_active", "sm_clock_of_applications_mhz", "power_limit_default_watts"})
    EXPECT_NE(of(facts, name).reason.find("(NVML error 3)"), std::string::npos) << name << ": " << value_of(facts, name);
  for (const auto& fact : facts) EXPECT_NE(fact.value.has_value(), !fact.reason.empty()) << fact.name << " has a value or a reason";
}

TEST(gpu_facts, a_function_that_an_old_driver_lacks_is_named_and_an_older_name_is_tried) {
  const auto gpus = nvidia_gpus(Nvml(old_stand_in)).gpus;
  ASSERT_EQ(gpus.size(), 2U);
  EXPECT_EQ(of(gpus[0].settled, "mig_mode").reason, std::string(old_stand_in) + " has no nvmlDeviceGetMigMode");
  EXPECT_EQ(of(gpus[0].settled, "mig_devices").reason, std::string(old_stand_in) + " has no nvmlDeviceGetMaxMigDeviceCount");
  EXPECT_EQ(value_of(gpus[0].settled, "ecc_mode"), "enabled") << "the rest is told";
  EXPECT_EQ(value_of(gpus[0].now, "clock_event_reasons"), "idle");
}

TEST(gpu_facts, a_node_without_driver_says_so_once) {
  const SystemTree system;
  const Nvml nvml("libnvidia-ml.so.no-such");
  const auto found = nvidia_gpus(nvml, system.root());
  EXPECT_EQ(found.why_none.find("no NVIDIA driver library (libnvidia-ml.so.no-such: "), 0U) << found.why_none;
  EXPECT_TRUE(found.driver.empty());
  EXPECT_TRUE(found.gpus.empty());
  EXPECT_FALSE(found.library_found);
  EXPECT_EQ(in_one_line(found), found.why_none);
  unsigned count = 7;
  EXPECT_EQ(nvml.call(nvml::device_count, &count).reason, found.why_none) << "nothing is called in a library that is not there";
}

TEST(gpu_facts, a_loaded_kernel_module_is_told_where_the_library_is_missing) {
  SystemTree system;
  system.file("proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.15\n");
  const auto found = nvidia_gpus(Nvml("libnvidia-ml.so.no-such"), system.root());
  EXPECT_EQ(value_of(found.driver, "kernel_module"), "NVIDIA UNIX x86_64 Kernel Module  550.54.15");
  EXPECT_EQ(of(found.driver, "library").reason, found.why_none);
}

TEST(gpu_facts, a_library_that_is_none_of_nvidias_is_not_called) {
  const Nvml nvml("libm.so.6");
  EXPECT_EQ(nvml.why_not(), "libm.so.6 opens, but does not start: libm.so.6 has no nvmlInit_v2");
  EXPECT_TRUE(nvidia_gpus(nvml).gpus.empty());
}

TEST(gpu_facts, a_driver_that_does_not_start_says_why) {
  Driver driver;
  const std::string begin = std::string(stand_in) + " opens, but does not start: nvmlInit_v2: ";
  const std::pair<int, const char*> answers[] = {{9, "the NVIDIA kernel module is not loaded (NVML error 9)"},
                                                 {15, "the GPU is lost: it no longer answers on the bus (NVML error 15)"},
                                                 {18, "the library and the kernel module are of different driver versions (NVML error 18)"},
                                                 {10, "Timeout (NVML error 10)"},  // the library's own words
                                                 {999, "Unknown Error (NVML error 999)"}};
  for (const auto& [code, words] : answers) {
    driver.start_with(code);
    const auto found = nvidia_gpus(Nvml(stand_in), SystemTree().root());
    EXPECT_EQ(found.why_none, begin + words);
    EXPECT_TRUE(found.library_found);
    EXPECT_TRUE(found.driver.empty()) << "one statement";
  }
  EXPECT_EQ(driver.still_open(), 0) << "what did not start is not shut down";
}

TEST(gpu_facts, a_lost_gpu_is_told_beside_the_others) {
  Driver driver;
  driver.first_gpu(15);
  const auto found = nvidia_gpus(Nvml(stand_in));
  ASSERT_EQ(found.gpus.size(), 1U);
  EXPECT_EQ(found.gpus[0].pci, "0001:65:00.0");
  EXPECT_EQ(of(found.driver, "gpu_1").reason,
            "nvmlDeviceGetHandleByIndex_v2: the GPU is lost: it no longer answers on the bus (NVML error 15)");
  EXPECT_EQ(value_of(found.driver, "gpus"), "2");
  EXPECT_NE(in_one_line(found).find("gpu_1 not known (nvmlDeviceGetHandleByIndex_v2: the GPU is lost"), std::string::npos);
}

TEST(nvml, every_start_is_shut_down) {
  Driver driver;
  {
    const Nvml one(stand_in), two(stand_in);
    EXPECT_EQ(driver.still_open(), 2);
  }
  EXPECT_EQ(driver.still_open(), 0);
}

TEST(gpu_conditions, numbers_are_in_the_units_of_their_names) {
  const Nvml nvml(stand_in);
  const auto seen = read_gpu_conditions(nvml, "0000:17:00.0");
  EXPECT_DOUBLE_EQ(of(seen, "sm_clock_mhz").value, 345);
  EXPECT_DOUBLE_EQ(of(seen, "memory_clock_mhz").value, 2619);
  EXPECT_DOUBLE_EQ(of(seen, "power_watts").value, 123.456) << "the driver tells milliwatts";
  EXPECT_DOUBLE_EQ(of(seen, "temperature_celsius").value, 33);
  EXPECT_DOUBLE_EQ(of(seen, "performance_state").value, 0);
  EXPECT_DOUBLE_EQ(of(seen, "pcie_generation").value, 5);
  for (const auto& one : seen.numbers) EXPECT_EQ(one.reason, "") << one.name;
  EXPECT_EQ(seen.clock_event_reasons.value, "idle");
}

TEST(gpu_conditions, what_changes_between_two_readings_is_seen) {
  Driver driver;
  const Nvml nvml(stand_in);
  EXPECT_EQ(read_gpu_conditions(nvml, "0000:17:00.0").clock_event_reasons.value, "idle");
  driver.event_reasons(0x44);
  EXPECT_EQ(read_gpu_conditions(nvml, "0000:17:00.0").clock_event_reasons.value, "power limit (software), heat (hardware)");
  driver.event_reasons(0);
  EXPECT_EQ(read_gpu_conditions(nvml, "0000:17:00.0").clock_event_reasons.value, "none");
}

TEST(gpu_conditions, what_is_not_told_has_its_reason_and_no_number) {
  const auto seen = read_gpu_conditions(Nvml(stand_in), "0001:65:00.0");
  EXPECT_EQ(of(seen, "power_watts").reason, "nvmlDeviceGetPowerUsage: not supported by this GPU or its driver (NVML error 3)");
  EXPECT_EQ(of(seen, "performance_state").reason, "the driver does not know it");
  EXPECT_DOUBLE_EQ(of(seen, "temperature_celsius").value, 41);
}

TEST(gpu_conditions, of_a_gpu_that_is_not_there_nothing_is_known) {
  const auto seen = read_gpu_conditions(Nvml(stand_in), "0000:99:00.0");
  EXPECT_EQ(seen.numbers.size(), 6U);
  for (const auto& one : seen.numbers) EXPECT_EQ(one.reason, "nvmlDeviceGetHandleByPciBusId_v2: some error (NVML error 6)") << one.name;
  EXPECT_EQ(seen.clock_event_reasons.reason, "nvmlDeviceGetHandleByPciBusId_v2: some error (NVML error 6)");
}

TEST(gpu_watch, keeps_what_a_gpu_said_before_during_and_after) {
  Driver driver;
  const Nvml nvml(stand_in);
  GpuWatch watch(nvml, "0000:17:00.0", std::chrono::milliseconds(2));
  driver.event_reasons(0x4);
  driver.wait_for_readings(3);
  driver.event_reasons(0);
  const GpuWatched seen = watch.end();
  EXPECT_EQ(seen.before.clock_event_reasons.value, "idle");
  EXPECT_EQ(seen.after.clock_event_reasons.value, "none");
  EXPECT_TRUE(seen.held_down_by.contains("power limit (software)"));
  EXPECT_FALSE(seen.held_down_by.contains("none"));
  ASSERT_EQ(seen.during.size(), 6U);
  for (const auto& range : seen.during) {
    EXPECT_GT(range.readings, 2U);
    EXPECT_LE(range.least, range.mean);
    EXPECT_LE(range.mean, range.most);
  }
  const auto document = nlohmann::json::parse(seen.json());
  EXPECT_EQ(document["before"]["power_watts"]["value"], 123.456);
  EXPECT_EQ(document["during"]["power_watts"]["least"], 123.456);
  EXPECT_DOUBLE_EQ(seen.mean("power_watts"), 123.456);
  EXPECT_TRUE(std::isnan(seen.mean("of no such name")));
}

TEST(gpu_watch, without_the_library_every_number_is_absent_with_the_reason) {
  const Nvml none("libnothing-of-nvidias.so");
  const auto document = nlohmann::json::parse(GpuWatch(none, "0000:17:00.0").end().json());
  EXPECT_TRUE(document["during"].empty());
  for (const char* when : {"before", "after"}) {
    EXPECT_TRUE(document[when]["power_watts"]["value"].is_null());
    EXPECT_NE(document[when]["clock_event_reasons"]["reason"].get<std::string>().find("libnothing-of-nvidias.so"), std::string::npos);
  }
}

TEST(gpu_watch, two_spans_are_one_whose_means_weigh_their_readings) {
  const auto span = [](double least, double mean, double most, int readings, const char* reasons) {
    return fmt::format(
        R"({{"before":{{"power_watts":{{"value":{0}}}}},"during":{{"power_watts":{{"readings":{3},"least":{0},"mean":{1},"most":{2}}},)"
        R"("clock_event_reasons":{4}}},"after":{{"power_watts":{{"value":{2}}}}}}})",
        least, mean, most, readings, reasons);
  };
  const auto both =
      nlohmann::json::parse(joined_spans(span(100, 200, 300, 3, R"x(["heat (hardware)"])x"), span(50, 100, 150, 1, R"(["idle"])")));
  EXPECT_EQ(both["before"]["power_watts"]["value"], 100);
  EXPECT_EQ(both["after"]["power_watts"]["value"], 150);
  const auto& power = both["during"]["power_watts"];
  EXPECT_EQ(power["readings"], 4);
  EXPECT_DOUBLE_EQ(power["mean"].get<double>(), 175);
  EXPECT_EQ(power["least"], 50);
  EXPECT_EQ(power["most"], 300);
  EXPECT_EQ(both["during"]["clock_event_reasons"], (std::vector<std::string>{"heat (hardware)", "idle"}));
  const std::string unseen = R"({"before":{},"during":{},"after":{}})";
  EXPECT_EQ(nlohmann::json::parse(joined_spans(unseen, span(50, 100, 150, 1, "[]")))["during"]["power_watts"]["mean"], 100);
}

TEST(gpu_conditions, each_reason_has_its_words_and_an_unknown_one_its_number) {
  EXPECT_EQ(clock_event_words(0), "none");
  EXPECT_EQ(clock_event_words(0x8 | 0x20 | 0x80), "slowed down by hardware, heat (software), power brake from outside (hardware)");
  EXPECT_EQ(clock_event_words(0x2 | 0x8000000000000000ULL), "clocks set by the user, 0x8000000000000000 (a reason without a name here)");
}

// ------------------------------------------------------------------------------------------------------------- in the documents

NodeState with_gpus(const char* library) {
  NodeState state;
  const SystemTree system;
  state.nvidia = nvidia_gpus(Nvml(library), system.root());
  return state;
}

Topology with_two_on_the_bus() {
  Topology topology = this_topology();
  topology.gpus = {{"0000:17:00.0", "NVIDIA Corporation", "GH100", {}, 0}, {"0000:9a:00.0", "AMD", "MI300", {}, -1}};
  return topology;
}

TEST(gpus_in_the_document, what_bus_and_driver_say_of_a_gpu_stands_together) {
  const auto document = nlohmann::json::parse(machine_json("n", with_two_on_the_bus(), this_cpu(), with_gpus(stand_in)));
  const auto& gpus = document.at("gpus");
  ASSERT_EQ(gpus.size(), 3U);
  EXPECT_EQ(gpus[0].at("name"), "GH100");
  EXPECT_EQ(gpus[0].at("driver").at("power_limit_watts"), 699.5);
  EXPECT_EQ(gpus[0].at("driver").at("ecc_corrected_since_load"), 5000000000);
  EXPECT_EQ(gpus[0].at("now").at("power_watts"), 123.456);
  EXPECT_TRUE(gpus[1].at("driver").is_null()) << "on the bus, but none of NVIDIA's";
  EXPECT_NE(gpus[1].at("absent").at("driver").get<std::string>().find("shows no GPU at this address"), std::string::npos);
  EXPECT_TRUE(gpus[1].at("numa_node").is_null());
  EXPECT_FALSE(gpus[1].at("absent").at("numa_node").get<std::string>().empty());
  EXPECT_EQ(gpus[2].at("pci"), "0001:65:00.0") << "not on the bus as hwloc sees it";
  EXPECT_TRUE(gpus[2].at("driver").at("ecc_mode").is_null());
  EXPECT_FALSE(gpus[2].at("driver").at("absent").at("ecc_mode").get<std::string>().empty());
  EXPECT_EQ(document.at("gpu_driver").at("driver_version"), "550.54.15");
}

TEST(gpus_in_the_document, without_a_driver_one_reason_stands_for_all) {
  const auto document = nlohmann::json::parse(machine_json("n", with_two_on_the_bus(), this_cpu(), with_gpus("libnvidia-ml.so.no-such")));
  EXPECT_TRUE(document.at("gpu_driver").is_null());
  EXPECT_EQ(document.at("absent").at("gpu_driver").get<std::string>().find("no NVIDIA driver library"), 0U);
  for (const auto& gpu : document.at("gpus")) EXPECT_FALSE(gpu.contains("driver"));
}

TEST(gpus_in_the_document, like_nodes_differ_in_a_gpus_setting_but_not_in_its_identity_or_its_heat) {
  const auto topology = with_two_on_the_bus();
  std::vector<MachineRow> rows;
  for (const char* node : {"a", "b", "c"}) {
    NodeState state = with_gpus(stand_in);
    for (auto& fact : state.nvidia.gpus[0].settled) {
      if (fact.name == "uuid") fact.value = std::string("GPU-of-") + node;
      if (fact.name == "ecc_mode" && *node == 'b') fact.value = "disabled";
      if (fact.name == "power_limit_watts" && *node == 'c') fact = unknown(fact.name, "not permitted");
    }
    for (auto& fact : state.nvidia.gpus[0].now)
      if (fact.name == "temperature_celsius") fact.value = std::to_string(30 + *node - 'a');
    if (*node == 'b') state.nvidia.driver[1].value = "535.1";
    rows.push_back({node, machine_json(node, topology, this_cpu(), state)});
  }
  std::vector<std::string> told;
  for (const auto& difference : differing_facts(rows)) told.push_back(to_string(difference));
  EXPECT_EQ(told, (std::vector<std::string>{"gpus 0 driver ecc_mode: disabled on b; enabled on the 2 others",
                                            "gpus 0 driver power_limit_watts: absent: not permitted on c; 699.5 on the 2 others",
                                            "gpu_driver driver_version: 535.1 on b; 550.54.15 on the 2 others"}));
}

TEST(gpus_in_the_document, a_node_with_fewer_gpus_is_named) {
  std::vector<MachineRow> rows;
  for (const char* node : {"a", "b", "c", "d"}) {
    Topology topology = with_two_on_the_bus();
    if (*node == 'b') topology.gpus.pop_back();
    if (*node == 'd') topology.gpus.clear();
    rows.push_back({node, machine_json(node, topology, this_cpu(), {})});
  }
  const auto found = differing_facts(rows);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(to_string(found[0]), "gpus: 1 on b; none on d; 2 on the 2 others");
}

std::string gpu_line(const NodeState& state) {
  for (const auto& row : machine_capabilities(this_topology(), this_cpu(), state))
    if (row.what == "GPU driver") return row.found;
  return "no such row";
}

TEST(gpus_in_the_document, doctor_has_one_line) {
  EXPECT_NE(gpu_line(with_gpus(stand_in)).find("driver_version 550.54.15, cuda_driver_version 12.4, gpus 2"), std::string::npos);
  EXPECT_NE(gpu_line(with_gpus("libnvidia-ml.so.no-such")).find("no NVIDIA driver library (libnvidia-ml.so.no-such: "), std::string::npos);
}

}  // namespace
}  // namespace plumbline
