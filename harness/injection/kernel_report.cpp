#include "injection/kernel_report.hpp"

#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

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
  return {{"gpu", kernel.gpu}, {"name", kernel.name}, {"launches", kernel.launches}, {"counted", kernel.counted}, {"sums", sums}};
}

CountedKernel kernel_of(const Json& json) {
  CountedKernel kernel{whole_number<int>(json.at("gpu")),
                       json.at("name").get<std::string>(),
                       whole_number<std::uint64_t>(json.at("launches")),
                       whole_number<std::uint64_t>(json.at("counted")),
                       {}};
  for (const auto& sum : json.at("sums"))
    kernel.sums.push_back(sum.is_null() ? std::numeric_limits<double>::quiet_NaN() : sum.get<double>());
  return kernel;
}

template <class Element>
Json json_of(const std::vector<Element>& all) {
  Json list = Json::array();
  for (const auto& one : all) list.push_back(json_of(one));
  return list;
}

KernelReport report_of(const Json& json) {
  if (json.at("schema") != schema) throw io_error("it is no report of launches");
  KernelReport report{whole_number<int>(json.at("process")),
                      whole_number<int>(json.at("parent")),
                      json.at("command").get<std::vector<std::string>>(),
                      json.at("cupti").get<std::string>(),
                      availability_of(json.at("availability")),
                      json.at("ended").get<bool>(),
                      {}};
  auto& counts = report.counts;
  for (const auto& one : json.at("gpus")) counts.gpus.push_back(gpu_of(one));
  for (const auto& one : json.at("kernels")) counts.kernels.push_back(kernel_of(one));
  counts.graph_launches = whole_number<std::uint64_t>(json.at("graph_launches"));
  counts.captured = whole_number<std::uint64_t>(json.at("captured"));
  counts.elsewhere = whole_number<std::uint64_t>(json.at("elsewhere"));
  counts.lost = whole_number<std::uint64_t>(json.at("lost"));
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
                      {"gpus", json_of(counts.gpus)},
                      {"kernels", json_of(counts.kernels)},
                      {"graph_launches", counts.graph_launches},
                      {"captured", counts.captured},
                      {"elsewhere", counts.elsewhere},
                      {"lost", counts.lost}});
}

KernelReport read_kernel_report(const fs::path& file) { return read(file, report_of); }

void write_metrics(const fs::path& file, const std::map<std::string, std::vector<std::string>>& metrics) {
  if (!write(file, metrics)) throw io_error("cannot write " + file.string());
}

std::map<std::string, std::vector<std::string>> read_metrics(const fs::path& file) {
  return read(file, [](const Json& json) { return json.get<std::map<std::string, std::vector<std::string>>>(); });
}

}  // namespace plumbline
