// The command plumbline slurm writes batch scripts for a campaign on a machine.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/commands/batch_script.hpp"
#include "app/commands/command.hpp"
#include "app/commands/job_estimate.hpp"
#include "app/here/campaign_files.hpp"
#include "app/results/stored_results.hpp"
#include "app/terminal/output_file.hpp"
#include "app/terminal/progress.hpp"
#include "app/terminal/shell_words.hpp"
#include "app/terminal/streams.hpp"
#include "app/terminal/table.hpp"
#include "store/result_store.hpp"

namespace plumbline::app {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct SlurmOptions {
  std::string campaign, machine, launcher, mpi, mpiexec, partition, account, program;
  std::vector<std::string> kinds;
  int nodes = 0, minutes = 0;
  double margin = 2;
  fs::path output = ".";
};

/// The machine by the nodes that a result file measured: their number, and the cores of the smallest.
BatchMachine machine_of_results(const std::string& file) {
  const Results results = load_results(file);
  BatchMachine machine;
  int cores = 0;
  for (const auto& row : results.machines) {
    const json facts = json::parse(row.json, nullptr, false);
    if (!facts.is_object() || !facts.contains("cores")) continue;
    const int here = facts["cores"];
    cores = cores == 0 ? here : std::min(cores, here);
    machine.gpus = static_cast<int>(facts.value("gpus", json::array()).size());
    machine.sockets = std::max(1, facts.value("packages", 1));
    machine.numa_domains = std::max(1, facts.value("numa_nodes", 1));
    machine.memory_gib = facts.value("memory_bytes", 64 * 0x1p30) / 0x1p30;
    for (const json& cache : facts.value("caches", json::array()))
      if (cache.value("level", 0) == 3) machine.l3_mib = cache.value("bytes", 0.0) / 0x1p20;
    machine.isas = facts.at("cpu").value("isas", std::vector<std::string>{});
  }
  if (cores == 0) throw user_error(fmt::format("{} says nothing of a node's cores; describe the machine in a .toml", file));
  machine.cores = cores;
  machine.nodes = static_cast<int>(results.machines.size());
  const json provenance = json::parse(results.provenance, nullptr, false);
  if (provenance.is_object() && provenance.contains("slurm")) machine.partition = provenance["slurm"].value("SLURM_JOB_PARTITION", "");
  return machine;
}

/// Refuses a name of more than one line: names stand in remarks of the script, which end with the line.
void require_one_line(const std::string& name) {
  if (std::any_of(name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }))
    throw user_error(fmt::format("'{}' has a control character in its name, which cannot stand in a script: rename it", printable(name)));
}

BatchMachine machine_of(const SlurmOptions& options) {
  BatchMachine machine;
  if (options.machine.ends_with(".h5") || begins_as_store(options.machine))
    machine = machine_of_results(options.machine);
  else if (!options.machine.empty())
    machine = read_batch_machine(options.machine);
  const auto instead = [](std::string& of, const char* option, const std::string& wanted) {
    if (wanted.empty()) return;
    if (!is_batch_word(wanted))
      throw user_error(
          fmt::format("{} is '{}': it must be a word without blanks, quotes and other characters of the shell", option, printable(wanted)));
    of = wanted;
  };
  instead(machine.launcher, "--launcher", options.launcher);
  instead(machine.mpi, "--mpi", options.mpi);
  instead(machine.mpiexec, "--mpiexec", options.mpiexec);
  instead(machine.partition, "--partition", options.partition);
  instead(machine.account, "--account", options.account);
  instead(machine.plumbline, "--program", options.program);
  if (options.nodes > 0) machine.nodes = options.nodes;
  return machine;
}

int rounded_up(double value, int step) { return static_cast<int>(std::ceil(value / step)) * step; }

/// The seconds before the end when the ranks hear of it: twice the longest step, and what Slurm's own clock is off by. A short job has no
/// time for that: its last quarter, or up to its second half where a step needs it.
int signal_seconds_of(const SlurmOptions& options, double longest_step) {
  constexpr double writing_seconds = 5;
  const int wanted = std::max(120, rounded_up(60 + 2 * longest_step, 30)), whole = 60 * options.minutes;
  if (options.minutes == 0) return wanted;
  const double least = longest_step + writing_seconds;
  if (least >= whole)
    throw user_error(
        fmt::format("--minutes {}: a case or a round of ceilings takes about {} and would never be finished; ask for at least {}",
                    options.minutes, duration_text(longest_step), rounded_up(2 * least / 60, 1)));
  return std::min(wanted, std::clamp(rounded_up(2 * least, 5), whole / 4, whole / 2));
}

/// A campaign without a name of its own has its file's, which may hold anything.
std::string job_name(std::string name) {
  for (char& c : name)
    if (!is_batch_word(std::string(1, c))) c = '_';
  return name;
}

/// The minutes before the first case, and for writing the result: all ranks of a node read the program and its libraries, and MPI joins all
/// nodes.
double start_minutes_of(const BatchMachine& machine, int nodes) {
  if (machine.start_minutes) return *machine.start_minutes;
  constexpr double least = 5, of_rank = 1.0 / 60, of_node = 1.0 / 600;
  return least + of_rank * machine.ranks.value_or(machine.cores) + of_node * nodes;
}

/// The largest team of CPUs that the campaign names.
int most_ranks_of(const Campaign& campaign) {
  int most = 1;
  for (const auto& cases : campaign.cases)
    for (const auto& team : cases.teams)
      if (team.value.gpus == 0) most = std::max(most, team.value.ranks.value_or(1));
  return most;
}

BatchJob job_of(const SlurmOptions& options, const Campaign& campaign, const BatchMachine& any_nodes, const BatchKindName& kind) {
  const BatchMachine machine =
      kind.kind == BatchKind::gpu || wants_gpus(campaign) ? nodes_with_gpus(any_nodes, most_ranks_of(campaign)) : any_nodes;
  BatchJob job{.kind = kind.kind,
               .command = "",
               .campaign = options.campaign,
               .name = job_name(campaign.name),
               .machine = machine,
               .wants_gpus = wants_gpus(campaign),
               .minutes_why = ""};
  const JobSeconds seconds = seconds_of(campaign, machine, nodes_of(kind.kind, machine), least_nodes_of(kind.kind, machine));
  const double start_minutes = start_minutes_of(machine, nodes_of(kind.kind, machine));
  const std::string again = seconds.again > 0 ? fmt::format(", {} of it should a node be suspicious", duration_text(seconds.again)) : "";
  job.signal_seconds = signal_seconds_of(options, seconds.longest_step);
  job.minutes = options.minutes > 0 ? options.minutes
                                    : rounded_up(options.margin * seconds.whole / 60 + start_minutes + job.signal_seconds / 60.0, 5);
  job.minutes_why =
      options.minutes > 0
          ? "As asked for. What does not fit goes on by itself when the job is requeued."
          : fmt::format(
                "About {} by the model ({} cases{}), times {} and {} for start and end; what does not fit goes on "
                "when the job is requeued.",
                duration_text(seconds.whole), seconds.cases, again, options.margin, duration_text(60 * start_minutes + job.signal_seconds));
  std::vector<std::string> words{"plumbline", "slurm", options.campaign};
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {option, value});
  };
  add("--machine", options.machine);
  add("--kind", kind.name);
  add("--minutes", options.minutes > 0 ? std::to_string(options.minutes) : "");
  add("--launcher", options.launcher);
  add("--mpi", options.mpi);
  add("--mpiexec", options.mpiexec);
  add("--partition", options.partition);
  add("--account", options.account);
  add("--program", options.program);
  add("--nodes", options.nodes > 0 ? std::to_string(options.nodes) : "");
  job.command = command_line(words);
  return job;
}

/// The kinds that were asked for; a job for GPUs where there are some and the campaign has work for them.
std::vector<BatchKindName> kinds_of(const SlurmOptions& options, const Campaign& campaign, const BatchMachine& machine) {
  std::vector<BatchKindName> kinds;
  for (const auto& kind : batch_kinds()) {
    const bool named = std::find(options.kinds.begin(), options.kinds.end(), kind.name) != options.kinds.end();
    if (!named && !options.kinds.empty()) continue;
    if (kind.kind == BatchKind::gpu && machine.gpus == 0) {
      if (named) throw user_error("--kind gpu, but the machine has no GPUs: write 'gpus = N' into its file");
      continue;
    }
    if (kind.kind == BatchKind::gpu && !wants_gpus(campaign)) {
      const std::string why = fmt::format(
          "{} measures no GPU: take a campaign that does (gpu_ceilings, gpu_validation), or give it '[ceilings] gpus = true' or cases with "
          "'team = [{{gpus = 1}}]'",
          printable(options.campaign));
      if (named) throw user_error("--kind gpu, but " + why);
      say("note: no gpu.sbatch: " + why + "\n");
      continue;
    }
    kinds.push_back(kind);
  }
  return kinds;
}

Exit write_scripts(const SlurmOptions& options) {
  require_one_line(options.campaign);
  require_one_line(options.machine);
  const Campaign campaign = read_campaign(find_campaign(options.campaign));
  const BatchMachine machine = machine_of(options);
  const std::vector<BatchKindName> kinds = kinds_of(options, campaign, machine);
  std::error_code failed;
  fs::create_directories(options.output, failed);
  if (failed) throw io_error(fmt::format("cannot create {}: {}; choose another folder with -o", options.output.string(), failed.message()));
  for (const auto& kind : kinds) {
    const fs::path file = options.output / (kind.name + ".sbatch");
    write_output(file, batch_script(job_of(options, campaign, machine, kind)));
    print(file.string() + "\n");
  }
  return Exit::ok;
}

}  // namespace

void add_slurm(CLI::App& app, Action& chosen) {
  auto* command = app.add_subcommand("slurm", "writes batch scripts that measure a campaign under Slurm and resume by themselves");
  auto options = std::make_shared<SlurmOptions>();
  std::vector<std::string> names;
  for (const auto& kind : batch_kinds()) names.push_back(kind.name);
  command->add_option("CAMPAIGN", options->campaign, "campaign file (.toml), or the name of one of 'plumbline list campaigns'")->required();
  command->add_option("--machine", options->machine,
                      "what a job must know of the machine: a .toml (jobs/slurm/README.md), or a result file of it");
  command->add_option("--kind", options->kinds, "which scripts (default: all that machine and campaign allow)")
      ->check(CLI::IsMember(names));
  command->add_option("--launcher", options->launcher, "what starts the ranks")->check(CLI::IsMember({"srun", "mpiexec"}));
  command->add_option("--mpi", options->mpi,
                      "srun --mpi=... (pmi2, pmix, cray_shasta; srun --mpi=list shows a site's); without it the site's preset");
  command->add_option("--mpiexec", options->mpiexec, "the launcher of the linked MPI");
  command->add_option("--partition", options->partition, "Slurm partition");
  command->add_option("--account", options->account, "Slurm account");
  command->add_option("--nodes", options->nodes, "nodes of the partition")->check(number_within(1, 1'000'000, "a whole number"));
  auto* minutes = command->add_option("--minutes", options->minutes, "time limit, instead of the estimate")
                      ->check(number_within(1, 100'000, "a whole number"));
  command->add_option("--margin", options->margin, "times the estimate (2)")
      ->check(number_within(1.0, 100.0, "a number"))
      ->excludes(minutes);
  command->add_option("--program", options->program, "plumbline as the nodes find it");
  command->add_option("-o,--output", options->output, "folder for KIND.sbatch (.)");
  command->callback([&chosen, options] { chosen = [options] { return write_scripts(*options); }; });
}

}  // namespace plumbline::app
