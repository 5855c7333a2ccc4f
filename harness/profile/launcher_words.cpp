#include "profile/launcher_words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <span>
#include <system_error>

#include "core/error.hpp"

namespace plumbline {
namespace {

namespace fs = std::filesystem;
using OptionWords = std::span<const std::string_view>;

/// The options of a family of launchers whose values are words of their own. A value that is no program's name would be passed over anyway;
/// these may be one's ("srun -p test", "mpiexec -launcher ssh").
struct LauncherOptions {
  OptionWords with_value, with_two_values;
  OptionWords programs_in_file;  // they name a file that has the programs
};

// Hydra's mpiexec (MPICH, Intel MPI, MVAPICH), by its --help.
constexpr std::array<std::string_view, 32> hydra_values{"-n",
                                                        "-np",
                                                        "-f",
                                                        "-host",
                                                        "-hosts",
                                                        "-hostfile",
                                                        "-machinefile",
                                                        "-wdir",
                                                        "-path",
                                                        "-genvlist",
                                                        "-envlist",
                                                        "-ppn",
                                                        "-perhost",
                                                        "-iface",
                                                        "-rmk",
                                                        "-bind-to",
                                                        "-map-by",
                                                        "-membind",
                                                        "-arch",
                                                        "-soft",
                                                        "-usize",
                                                        "-launcher",
                                                        "-topolib",
                                                        "-launcher-exec",
                                                        "-demux",
                                                        "-errfile-pattern",
                                                        "-outfile-pattern",
                                                        "-hostlist",
                                                        "-bootstrap",
                                                        "-bootstrap-exec",
                                                        "-s",
                                                        "-localhost"};
constexpr std::array<std::string_view, 2> hydra_pairs{"-genv", "-env"};
constexpr std::array<std::string_view, 1> hydra_files{"-configfile"};

// Open MPI's mpirun and PRRTE's prterun, by their manual pages.
constexpr std::array<std::string_view, 32> openmpi_values{"-n",
                                                          "-np",
                                                          "-c",
                                                          "-H",
                                                          "-host",
                                                          "-hostfile",
                                                          "-machinefile",
                                                          "-default-hostfile",
                                                          "-map-by",
                                                          "-bind-to",
                                                          "-rank-by",
                                                          "-x",
                                                          "-wdir",
                                                          "-wd",
                                                          "-path",
                                                          "-prefix",
                                                          "-output-filename",
                                                          "-report-uri",
                                                          "-rf",
                                                          "-rankfile",
                                                          "-N",
                                                          "-npernode",
                                                          "-npersocket",
                                                          "-cpus-per-proc",
                                                          "-cpus-per-rank",
                                                          "-am",
                                                          "-tune",
                                                          "-timeout",
                                                          "-stdin",
                                                          "-output",
                                                          "-personality",
                                                          "-launch-agent"};
constexpr std::array<std::string_view, 4> openmpi_pairs{"-mca", "-gmca", "-pmixmca", "-prtemca"};
constexpr std::array<std::string_view, 2> openmpi_files{"-app", "-appfile"};

// Slurm's srun, by its manual page.
constexpr std::array<std::string_view, 61> srun_values{"-A",
                                                       "-B",
                                                       "-c",
                                                       "-C",
                                                       "-d",
                                                       "-D",
                                                       "-e",
                                                       "-G",
                                                       "-i",
                                                       "-J",
                                                       "-L",
                                                       "-m",
                                                       "-M",
                                                       "-n",
                                                       "-N",
                                                       "-o",
                                                       "-p",
                                                       "-q",
                                                       "-r",
                                                       "-S",
                                                       "-t",
                                                       "-T",
                                                       "-w",
                                                       "-W",
                                                       "-x",
                                                       "-account",
                                                       "-chdir",
                                                       "-cluster-constraint",
                                                       "-clusters",
                                                       "-comment",
                                                       "-constraint",
                                                       "-cpu-bind",
                                                       "-cpus-per-task",
                                                       "-dependency",
                                                       "-distribution",
                                                       "-error",
                                                       "-export",
                                                       "-gpus",
                                                       "-gres",
                                                       "-input",
                                                       "-job-name",
                                                       "-jobid",
                                                       "-licenses",
                                                       "-mail-user",
                                                       "-mem",
                                                       "-mem-bind",
                                                       "-mpi",
                                                       "-nodelist",
                                                       "-nodes",
                                                       "-ntasks",
                                                       "-ntasks-per-node",
                                                       "-output",
                                                       "-partition",
                                                       "-qos",
                                                       "-reservation",
                                                       "-time",
                                                       "-wckey",
                                                       "-task-prolog",
                                                       "-task-epilog",
                                                       "-prolog",
                                                       "-epilog"};
constexpr std::array<std::string_view, 1> srun_files{"-multi-prog"};

/// The options that name the folder in which programs begin.
constexpr std::array<std::string_view, 4> folder_options{"-wdir", "-wd", "-chdir", "-D"};

constexpr LauncherOptions hydra{hydra_values, hydra_pairs, hydra_files}, openmpi{openmpi_values, openmpi_pairs, openmpi_files},
    slurm{srun_values, {}, srun_files};

/// The name without its folder and the MPI behind the dot: mpiexec.hydra is mpiexec.
std::string stem_of(std::string_view program) {
  const std::string name = fs::path(program).filename().string();
  return name.substr(0, name.find('.'));
}

/// The families that a launcher may be of: one whose name is used by several is looked up behind its links (Debian's alternatives).
std::vector<LauncherOptions> families_of(const fs::path& launcher) {
  const std::string stem = stem_of(launcher.string());
  if (stem == "srun") return {slurm};
  if (stem == "orterun" || stem == "prterun") return {openmpi};
  std::error_code none;
  const std::string target = fs::canonical(launcher, none).filename().string();
  for (const std::string& name : {launcher.filename().string(), target}) {
    if (name.find("hydra") != name.npos || name.find("mpich") != name.npos) return {hydra};
    if (name.find("openmpi") != name.npos || name.find("orterun") != name.npos || name.find("prterun") != name.npos) return {openmpi};
  }
  return {hydra, openmpi};
}

/// Launchers take -host and --host for the same.
std::string_view with_one_dash(std::string_view option) { return option.starts_with("--") ? option.substr(1) : option; }

bool has(OptionWords words, std::string_view option) { return std::ranges::find(words, with_one_dash(option)) != words.end(); }

/// The number of words behind an option that are its values, by the family that takes most.
std::size_t values_behind(const std::vector<LauncherOptions>& families, const std::string& option) {
  std::size_t most = 0;
  for (const auto& family : families)
    most = std::max(most, has(family.with_two_values, option) ? 2UL : has(family.with_value, option) ? 1UL : 0UL);
  return most;
}

}  // namespace

bool is_launcher(std::string_view program) {
  constexpr std::array launchers{"mpiexec", "mpirun", "orterun", "prterun", "srun", "salloc", "sbatch", "aprun", "jsrun", "ibrun", "flux"};
  return std::ranges::find(launchers, stem_of(program)) != launchers.end();
}

bool is_known_launcher(std::string_view program) {
  constexpr std::array launchers{"mpiexec", "mpirun", "orterun", "prterun", "srun"};
  return std::ranges::find(launchers, stem_of(program)) != launchers.end();
}

std::vector<std::string> with_words_before_programs(const std::vector<std::string>& command, const fs::path& launcher,
                                                    const std::vector<std::string>& inserted, const IsProgram& is_program) {
  const auto families = families_of(launcher);
  std::vector<std::string> words{command.front()};
  bool is_sought = true;
  fs::path folder;  // in which the programs begin; empty: the current one
  const auto is_program_there = [&](const std::string& word) {
    return is_program(word) || (!folder.empty() && word.find('/') != word.npos && is_program((folder / word).string()));
  };
  for (std::size_t i = 1; i < command.size(); ++i) {
    const std::string& word = command[i];
    if (word == ":") is_sought = true, folder.clear();
    if (is_sought && word.starts_with('-')) {
      const std::string option = word.substr(0, word.find('='));
      for (const auto& family : families)
        if (has(family.programs_in_file, option))
          throw user_error(fmt::format("{} {} takes the programs from a file: name the program on the command line, {} -n 4 program",
                                       command.front(), word, command.front()));
      if (has(folder_options, option))
        folder = option == word ? (i + 1 < command.size() ? command[i + 1] : "") : word.substr(option.size() + 1);
      for (std::size_t values = values_behind(families, word); values > 0 && i + 1 < command.size(); --values)
        words.push_back(command[i++]);
    } else if (is_sought && word != ":" && is_program_there(word)) {
      words.insert(words.end(), inserted.begin(), inserted.end());
      is_sought = false;
    }
    words.push_back(command[i]);
  }
  if (is_sought)
    throw user_error(fmt::format("'{}' names no program that can be started here: write it with its folder, as in {} -n 4 ./app",
                                 fmt::join(command, " "), command.front()));
  return words;
}

}  // namespace plumbline
