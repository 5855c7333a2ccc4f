// The command plumbline import TOOL FILE makes a result file of what another profiler measured, for show and report.
#include <fmt/format.h>

#include <ctime>
#include <filesystem>
#include <set>

#include "app/commands/command.hpp"
#include "app/commands/common_options.hpp"
#include "app/here/profiler_metrics.hpp"
#include "app/results/imported.hpp"
#include "app/results/intensity.hpp"
#include "app/results/projection_spec.hpp"
#include "app/results/stored_results.hpp"
#include "app/terminal/streams.hpp"
#include "app/terminal/table.hpp"
#include "core/fnv.hpp"
#include "imports/advisor_report.hpp"
#include "imports/kernel_profile.hpp"
#include "imports/likwid_report.hpp"
#include "imports/ncu_report.hpp"
#include "imports/nvprof_report.hpp"
#include "imports/perf_report.hpp"
#include "store/file_bytes.hpp"
#include "store/result_store.hpp"

namespace plumbline::app {
namespace {

namespace fs = std::filesystem;

struct ImportOptions {
  std::string tool;
  std::vector<std::string> files;
  fs::path output;
  std::string ceilings;  // a node spec; empty: none
  int threads = 0;       // of what ran, where the profiler does not say; 0: not told
  bool overwrite = false;
  std::string convention = own_convention;  // by which cases are named and timed, and shown
};

struct InputFile {
  std::string path, text;
};

std::vector<InputFile> read_files(const ImportOptions& options) {
  std::vector<InputFile> files;
  for (const auto& path : options.files)
    files.push_back({path, read_bytes(path, options.tool == own_profiler ? "profile" : options.tool + " CSV")});
  return files;
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

/// The provenance of an imported file says which files, and by which metrics each quantity is told: a result file by itself says where its
/// numbers are from.
std::string provenance_of(const ImportOptions& options, const std::vector<InputFile>& files, const ProfilerMetrics& table,
                          const std::vector<std::string>& notes) {
  Json inputs = Json::array(), ways = Json::array();
  for (const auto& file : files)
    inputs.push_back({{"file", fs::path(file.path).filename().string()},
                      {"bytes", file.text.size()},
                      {"fnv1a", fmt::format("{:016x}", fnv1a(file.text))}});
  for (const auto& row : table.rows) ways.push_back({{"quantity", row.quantity}, {"by", row.formula()}, {"source", row.source}});
  const Json imported{{"tool", options.tool},
                      {"files", inputs},
                      {"ceilings", text_or_null(options.ceilings)},
                      {"metrics", ways},
                      {"convention", options.convention},
                      {"notes", notes}};
  return Json{{"time_utc", utc_now()}, {"imported", imported}}.dump();
}

/// Whether a tool counts on CPUs.
bool is_of_cpus(const std::string& tool) { return tool == "likwid" || tool == "advisor" || tool == "perf"; }

std::vector<ProfiledLaunch> launches_of(const ImportOptions& options, const std::vector<InputFile>& files) {
  const WantedMetrics wanted = wanted_metrics(all_metrics_of(options.tool));
  if (options.tool == "advisor") return read_advisor_report(files.front().text, files.front().path, wanted);
  if (options.tool == "perf") return read_perf_report(files.front().text, files.front().path, wanted);
  if (options.tool == "ncu") return read_ncu_report(files.front().text, files.front().path, wanted);
  if (options.tool == own_profiler) return read_kernel_profile(files.front().text, files.front().path, wanted);
  std::vector<std::pair<std::string, std::string>> texts;
  for (const auto& file : files) texts.emplace_back(file.text, file.path);
  if (options.tool == "likwid") return read_likwid_reports(std::move(texts), wanted);
  return read_nvprof_reports(std::move(texts), wanted);
}

void add_ceilings(const ImportOptions& options, Results& results) {
  if (options.ceilings.empty()) return;
  if (options.ceilings.ends_with(".h5"))
    add_measured_ceilings(results, load_results(options.ceilings), options.ceilings);
  else
    add_stated_ceilings(results, read_spec(options.ceilings).node, options.ceilings);
}

void require_new(const ImportOptions& options, const fs::path& output) {
  for (const auto& file : options.files) {
    std::error_code unknown;
    if (fs::equivalent(file, output, unknown))
      throw user_error(fmt::format("{} is the file to import; choose another one with -o", output.string()));
  }
  if (fs::exists(output) && !options.overwrite)
    throw user_error(fmt::format("{} exists: replace it with --overwrite, or choose another file with -o", output.string()));
}

Exit import(const ImportOptions& options) {
  const fs::path output = options.output.empty() ? fs::path(options.files.front()).replace_extension(".h5") : options.output;
  require_new(options, output);
  const ProfilerMetrics table = profiler_metrics(options.tool, options.convention);
  const auto files = read_files(options);
  auto launches = launches_of(options, files);
  if (options.threads > 0)
    for (auto& launch : launches) launch.threads = options.threads;
  std::vector<std::string> notes;
  if (const auto note = convention_note(options.convention)) notes.push_back(*note);
  Results results = imported_results(launches, table, notes);
  if (is_of_cpus(options.tool))
    notes.push_back(
        fmt::format("these are counts of {}: no counter behind them was held against arithmetic on their machine, so that none has "
                    "a grade (plumbline score gives it where plumbline run counted)",
                    options.tool));
  add_ceilings(options, results);
  results.provenance = provenance_of(options, files, table, notes);
  const Intensities derived = derived_intensities(results);
  write_store(output, results, &derived);
  for (const auto& note : notes) say(fmt::format("note: {}\n", note));
  std::set<std::string> kernels;
  for (const auto& row : results.cases) kernels.insert(row.kernel);
  print(fmt::format("{}: {} {} of {} {}; see them by: plumbline show {}\n", output.string(), results.cases.size(),
                    results.cases.size() == 1 ? "case" : "cases", kernels.size(), kernels.size() == 1 ? "kernel" : "kernels",
                    output.string()));
  return Exit::ok;
}

void add_tool(CLI::App& parent, const std::string& tool, const std::string& about, Action& chosen) {
  constexpr int most_threads = 1'000'000;
  auto* command = parent.add_subcommand(tool, about);
  auto options = std::make_shared<ImportOptions>();
  options->tool = tool;
  auto* files =
      command->add_option("FILE", options->files, tool == own_profiler ? "what profile --gpu -o wrote" : "the profiler's CSV")->required();
  if (tool != "nvprof" && tool != "likwid") files->expected(1);
  command->add_option("-o,--output", options->output, "result file (default: FILE with .h5)");
  command
      ->add_option("--ceilings", options->ceilings,
                   is_of_cpus(tool)
                       ? "the machine's ceilings: a node spec, as 'plumbline project' reads it (TOML), or a result file (.h5) with them"
                       : "the GPU's ceilings: a node spec, as 'plumbline project' reads it (TOML), or a result file (.h5) with them")
      ->type_name("FILE");
  if (tool == "advisor" || tool == "perf")
    command
        ->add_option("--threads", options->threads,
                     "so many threads ran, which the report does not say: whose roofs are over it (default: 1)")
        ->check(number_within(1, most_threads, "a whole number"));
  add_convention(*command, options->convention)->capture_default_str();
  command->add_flag("--overwrite", options->overwrite, "replaces an earlier result file");
  command->callback([&chosen, options] { chosen = [options] { return import(*options); }; });
}

}  // namespace

void add_import(CLI::App& app, Action& chosen) {
  auto* command =
      app.add_subcommand("import", "makes a result file of what another profiler, or profile --gpu, measured, for show and report");
  command->require_subcommand(1);
  add_tool(*command, "ncu", "Nsight Compute's CSV (ncu --csv, best with --page raw): a case for each launch", chosen);
  add_tool(*command, own_profiler, "what plumbline profile --gpu -o wrote: a case for each kernel, the mean of its counted launches",
           chosen);
  add_tool(*command, "likwid",
           "likwid-perfctr's CSV (-O), a run a file: a case for each region and group, or for the groups of several files", chosen);
  add_tool(*command, "advisor", "Intel Advisor's survey as CSV (advisor --report=survey --format=csv): a case for each loop with FLOPs",
           chosen);
  add_tool(*command, "perf", "what perf stat wrote by -x, or -j: one case", chosen);
  add_tool(*command, "nvprof", "nvprof's CSVs, of metrics and of times (nvprof --csv): a case for each kernel and run", chosen);
}

}  // namespace plumbline::app
