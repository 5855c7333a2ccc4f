// The first byte says which profiler the rest is of.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <utility>

#include "core/error.hpp"
#include "imports/advisor_report.hpp"
#include "imports/kernel_profile.hpp"
#include "imports/likwid_report.hpp"
#include "imports/ncu_report.hpp"
#include "imports/nvprof_report.hpp"
#include "imports/perf_report.hpp"
#include "tests/fuzz/reader.hpp"

namespace plumbline::fuzz {
namespace {

const WantedMetrics wanted{"gpu__time_duration.sum", "dram__bytes.sum",      "flop_count_dp",
                           "dram_read_transactions", "DP x Runtime (RDTSC)", "Memory data volume",
                           "self_gflop.float64",     "self_memory_gb",       "uncore_imc/cas_count_read/"};
constexpr char ncu = 'c', nvprof = 'v', kernels = 'k', likwid = 'l', advisor = 'a', perf = 'p';

std::string contents(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

char tool_of(const std::string& file) {
  for (const auto& [part, tool] : {std::pair{"nvprof", nvprof}, {"likwid", likwid}, {"advisor", advisor}, {"perf", perf}})
    if (file.find(part) != std::string::npos) return tool;
  return ncu;
}

}  // namespace

void read(std::string_view bytes) {
  if (bytes.empty()) return;
  const std::string text(bytes.substr(1));
  if (bytes[0] == ncu) read_ncu_report(text, "f.csv", wanted);
  if (bytes[0] == nvprof) read_nvprof_reports({{text, "f.csv"}}, wanted);
  if (bytes[0] == likwid) read_likwid_reports({{text, "f.csv"}}, wanted);
  if (bytes[0] == advisor) read_advisor_report(text, "f.csv", wanted);
  if (bytes[0] == perf) read_perf_report(text, "f.csv", wanted);
  if (bytes[0] == kernels) read_kernel_profile(text, "f.json", wanted);
}

std::string mended(std::string_view bytes) { return std::string(bytes); }

std::vector<std::string> seeds() {
  std::vector<std::string> all;
  const std::filesystem::directory_iterator files(IMPORTS_DATA);
  for (const auto& file : std::set<std::filesystem::path>(begin(files), end(files)))
    if (const std::string name = file.filename().string(); file.extension() == ".csv" || name == "perf_stat.json")
      all.push_back(tool_of(name) + contents(file));
  all.push_back(
      kernels +
      std::string(R"({"schema":"plumbline-profile/1","rows":[{"kind":"kernel","name":"saxpy","chip":"GH100","compute_capability":90,)"
                  R"("counted_launches":2,"seconds":1e-3,"counts":{"dram__bytes.sum":3e9}},{"kind":"total"}]})"));
  return all;
}

}  // namespace plumbline::fuzz
