#include "injection/kernel_report.hpp"

#include <array>
#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/error.hpp"
#include "core/json_text.hpp"
#include "core/own_file.hpp"
#include "core/text/whole_number.hpp"

namespace plumbline {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr const char* schema = "plumbline-kernels/1";

Json json_of(const Availability& availability) {
  return {{"status", std::string(to_string(availability.status))}, {"reason", availability.reason}};
}

Availability availability_of(const Json& json) {
  const auto status = status_from(json.at("status").get<std::string>());
  return {status.value_or(Status::failed), json.at("reason").get<std::string>()};
}

Json json_of(const CountedGpu& gpu) {
  return {{"ordinal", gpu.ordinal}, {"chip", gpu.chip},     {"compute_capability", gpu.compute_capability},
          {"metrics", gpu.metrics}, {"passes", gpu.passes}, {"availability", json_of(gpu.availability)}};
}

CountedGpu gpu_of(const Json& json) {
  return {whole_number<int>(json.at("ordinal")),
          json.at("chip").get<std::string>(),
          whole_number<int>(json.at("compute_capability")),
          json.at("metrics").get<std::vector<std::string>>(),
          whole_number<std::size_t>(json.at("passes")),
          availability_of(json.at("availability"))};
}

Json json_of(const CountedKernel& kernel) {
  Json sums = Json::array();
  for (const double sum : kernel.sums) sums.push_back(std::isfinite(sum) ? Json(sum) : Json(nullptr));
  return {{"gpu", kernel.gpu},         {"name", kernel.name}, {"launches", kernel.launches},
          {"counted", kernel.counted}, {"sums", sums},        {"phase", kernel.phase}};
}

CountedKernel kernel_of(const Json& json) {
  CountedKernel kernel{whole_number<int>(json.at("gpu")),
                       json.at("name").get<std::string>(),
                       whole_number<std::uint64_t>(json.at("launches")),
                       whole_number<std::uint64_t>(json.at("counted")),
                       {}};
  for (const auto& sum : json.at("sums"))
    kernel.sums.push_back(sum.is_null() ? std::numeric_limits<double>::quiet_NaN() : sum.get<double>());
  if (json.contains("phase")) kernel.phase = whole_number<std::uint32_t>(json.at("phase"));
  return kernel;
}

Json json_of(const LaunchSums& sums) { return {{"launches", sums.launches}, {"seconds", sums.seconds}, {"threads", sums.threads}}; }

LaunchSums sums_of(const Json& json) {
  return {whole_number<std::uint64_t>(json.at("launches")), json.at("seconds").get<double>(), json.at("threads").get<double>()};
}

Json json_of(const TimedKernel& kernel) {
  return {{"gpu", kernel.gpu},
          {"name", kernel.name},
          {"phase", kernel.phase},
          {"all", json_of(kernel.all)},
          {"first", json_of(kernel.first)},
          {"of_graphs", kernel.of_graphs},
          {"longest_seconds", kernel.longest_seconds}};
}

TimedKernel timed_kernel_of(const Json& json) {
  return {.gpu = whole_number<int>(json.at("gpu")),
          .name = json.at("name").get<std::string>(),
          .phase = whole_number<std::uint32_t>(json.at("phase")),
          .all = sums_of(json.at("all")),
          .first = sums_of(json.at("first")),
          .of_graphs = whole_number<std::uint64_t>(json.at("of_graphs")),
          .longest_seconds = json.at("longest_seconds").get<double>()};
}

Json json_of(const TimedCopies& copies) {
  return {{"gpu", copies.gpu}, {"what", copies.what}, {"number", copies.number}, {"bytes", copies.bytes}, {"seconds", copies.seconds}};
}

TimedCopies copies_of(const Json& json) {
  return {whole_number<int>(json.at("gpu")), json.at("what").get<std::string>(), whole_number<std::uint64_t>(json.at("number")),
          whole_number<std::uint64_t>(json.at("bytes")), json.at("seconds").get<double>()};
}

Json json_of(const BusyGpu& gpu) { return {{"gpu", gpu.ordinal}, {"first_ns", gpu.first_ns}, {"last_ns", gpu.last_ns}}; }

BusyGpu busy_gpu_of(const Json& json) {
  return {whole_number<int>(json.at("gpu")), whole_number<std::uint64_t>(json.at("first_ns")),
          whole_number<std::uint64_t>(json.at("last_ns"))};
}

Json json_of(const VisibleGpu& gpu) { return {{"gpu", gpu.ordinal}, {"name", gpu.name}, {"uuid", gpu.uuid}}; }

VisibleGpu identity_of(const Json& json) {
  return {whole_number<int>(json.at("gpu")), json.at("name").get<std::string>(), json.at("uuid").get<std::string>()};
}

/// The numbers of a process's timing, under the names that they have in its report.
constexpr std::array numbers_of_times{
    std::pair{"called", &KernelTimes::called},        std::pair{"graph_launches", &KernelTimes::graph_launches},
    std::pair{"dropped", &KernelTimes::dropped},      std::pair{"crowded", &KernelTimes::crowded},
    std::pair{"untimed", &KernelTimes::untimed},      std::pair{"unplaced", &KernelTimes::unplaced},
    std::pair{"unreadable", &KernelTimes::unreadable}};

KernelTimes times_of(const Json& json) {
  KernelTimes times;
  for (const auto& one : json.at("kernels")) times.kernels.push_back(timed_kernel_of(one));
  for (const auto& one : json.at("copies")) times.copies.push_back(copies_of(one));
  for (const auto& one : json.at("gpus")) times.gpus.push_back(busy_gpu_of(one));
  for (const auto& [name, member] : numbers_of_times) times.*member = whole_number<std::uint64_t>(json.at(name));
  return times;
}

Json json_of(const ProgramPhases& phases) {
  Json regions = Json::array();
  for (const auto& region : phases.regions)
    regions.push_back({{"name", region.name}, {"entries", region.entries}, {"seconds", region.seconds}, {"open", region.open}});
  return {{"regions", regions}, {"phases", phases.phases}, {"lost", phases.lost}};
}

/// Throws where a phase is of a region that is none.
ProgramPhases phases_of(const Json& json) {
  ProgramPhases phases{.lost = whole_number<std::uint64_t>(json.at("lost"))};
  for (const auto& one : json.at("regions"))
    phases.regions.push_back({one.at("name").get<std::string>(), whole_number<std::uint64_t>(one.at("entries")),
                              one.at("seconds").get<double>(), one.at("open").get<bool>()});
  phases.phases.clear();
  for (const auto& one : json.at("phases")) {
    phases.phases.emplace_back();
    for (const auto& region : one) {
      phases.phases.back().push_back(whole_number<std::uint32_t>(region));
      if (phases.phases.back().back() >= phases.regions.size()) throw io_error("a phase is of a region that is not there");
    }
  }
  if (phases.phases.empty() || !phases.phases.front().empty()) throw io_error("its first phase is not the one outside of all regions");
  return phases;
}

/// Throws where a kernel is of a phase that is none.
template <class Kernels>
void require_phases(const Kernels& kernels, const ProgramPhases& phases) {
  for (const auto& kernel : kernels)
    if (kernel.phase >= phases.phases.size()) throw io_error("a kernel is of a phase that is not there");
}

template <class Element>
Json list_of(const std::vector<Element>& all) {
  Json list = Json::array();
  for (const auto& one : all) list.push_back(json_of(one));
  return list;
}

Json json_of(const KernelTimes& times) {
  Json all = {{"kernels", list_of(times.kernels)}, {"copies", list_of(times.copies)}, {"gpus", list_of(times.gpus)}};
  for (const auto& [name, member] : numbers_of_times) all[name] = times.*member;
  return all;
}

KernelReport report_of(const Json& json) {
  if (json.at("schema") != schema) throw io_error("it is no report of launches");
  KernelReport report{
      whole_number<int>(json.at("process")), whole_number<int>(json.at("parent")),     json.at("command").get<std::vector<std::string>>(),
      json.at("cupti").get<std::string>(),   availability_of(json.at("availability")), json.at("ended").get<bool>()};
  auto& counts = report.counts;
  for (const auto& one : json.at("gpus")) counts.gpus.push_back(gpu_of(one));
  for (const auto& one : json.at("kernels")) counts.kernels.push_back(kernel_of(one));
  counts.graph_launches = whole_number<std::uint64_t>(json.at("graph_launches"));
  counts.captured = whole_number<std::uint64_t>(json.at("captured"));
  counts.elsewhere = whole_number<std::uint64_t>(json.at("elsewhere"));
  counts.lost = whole_number<std::uint64_t>(json.at("lost"));
  if (json.contains("timed")) report.timed = json.at("timed").get<bool>();
  if (json.contains("times")) report.times = times_of(json.at("times"));  // a report of before has none
  if (json.contains("phases")) report.phases = phases_of(json.at("phases"));
  if (json.contains("devices"))
    for (const auto& one : json.at("devices")) report.devices.push_back(identity_of(one));
  require_phases(report.counts.kernels, report.phases);
  require_phases(report.times.kernels, report.phases);
  return report;
}

bool write(const fs::path& file, const Json& json) { return write_own_file(file, json_text(json) + "\n"); }

/// take(what the file holds).
template <class Take>
auto read(const fs::path& file, Take take) {
  std::ifstream in(file);
  if (!in) throw io_error("cannot read " + file.string());
  try {
    return take(Json::parse(std::string{std::istreambuf_iterator<char>(in), {}}));
  } catch (const std::exception& broken) {
    throw io_error(file.string() + " is not whole: " + broken.what());
  }
}

}  // namespace

bool write_kernel_report(const fs::path& file, const KernelReport& report) {
  const auto& counts = report.counts;
  return write(file, {{"schema", schema},
                      {"process", report.process},
                      {"parent", report.parent},
                      {"command", report.command},
                      {"cupti", report.cupti},
                      {"availability", json_of(report.availability)},
                      {"ended", report.ended},
                      {"gpus", list_of(counts.gpus)},
                      {"kernels", list_of(counts.kernels)},
                      {"graph_launches", counts.graph_launches},
                      {"captured", counts.captured},
                      {"elsewhere", counts.elsewhere},
                      {"lost", counts.lost},
                      {"timed", report.timed},
                      {"times", json_of(report.times)},
                      {"phases", json_of(report.phases)},
                      {"devices", list_of(report.devices)}});
}

KernelReport read_kernel_report(const fs::path& file) { return read(file, report_of); }

void write_metrics(const fs::path& file, const std::map<std::string, std::vector<std::string>>& metrics) {
  if (!write(file, metrics)) throw io_error("cannot write " + file.string());
}

std::map<std::string, std::vector<std::string>> read_metrics(const fs::path& file) {
  return read(file, [](const Json& json) { return json.get<std::map<std::string, std::vector<std::string>>>(); });
}

}  // namespace plumbline
