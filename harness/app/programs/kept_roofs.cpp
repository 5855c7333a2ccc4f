#include "app/programs/kept_roofs.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sched.h>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "app/here/paths.hpp"
#include "app/results/stored_results.hpp"
#include "app/terminal/streams.hpp"
#include "core/error.hpp"
#include "core/fnv.hpp"
#include "core/host_name.hpp"
#include "machine/cpu.hpp"
#include "model/ceilings/disturbances.hpp"
#include "profile/program_run.hpp"

namespace plumbline::app {
namespace {

namespace fs = std::filesystem;

/// The campaign that measures what a roofline needs, and nothing else.
constexpr const char* campaign = "schema = \"plumbline-campaign/1\"\nname = \"roofs\"\n[ceilings]\nmode = \"quick\"\n";

int cpus_allowed() {
  cpu_set_t cpus;
  return sched_getaffinity(0, sizeof cpus, &cpus) == 0 ? CPU_COUNT(&cpus) : 0;
}

/// The folder in which users' programs keep what they can make again; empty where there is none.
fs::path cache_folder() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache == '/') return fs::path(cache) / "plumbline";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/') return fs::path(home) / ".cache" / "plumbline";
  return {};
}

/// Another CPU, other CPUs left to this process, or another program: other roofs.
std::string file_name() {
  const Cpu& cpu = this_cpu();
  const std::string machine =
      fmt::format("{}/{}/{}.{}.{}/{}/{}", cpu.vendor, cpu.name, cpu.family, cpu.model, cpu.stepping, cpus_allowed(), cpu.best_isa());
  return fmt::format("roofs-{}-{:08x}.h5", host_name(), fnv1a(machine) & 0xffffffffU);
}

std::string age_of(const fs::path& file) {
  const auto seconds = std::chrono::duration<double>(fs::file_time_type::clock::now() - fs::last_write_time(file)).count();
  if (seconds < 120) return "just now";
  if (seconds < 7200) return fmt::format("{:.0f} minutes ago", seconds / 60);
  return seconds < 2 * 86400 ? fmt::format("{:.0f} hours ago", seconds / 3600) : fmt::format("{:.0f} days ago", seconds / 86400);
}

/// Measures roofs into a file. False: it could not be done, and FILE.log says why.
bool measure_into(const fs::path& file) {
  const fs::path said = fs::path(file).replace_extension(".log");
  std::error_code failed;
  fs::create_directories(file.parent_path(), failed);
  const fs::path campaign_file = fs::path(file).replace_extension(".toml");
  std::ofstream(campaign_file) << campaign;
  std::ofstream(said) << "";
  say(fmt::format("plumbline: this machine's roofs are measured first, some 10 s on an idle one, and kept in {}\n", file.string()));
  const ProgramRun run{.file = program_path(),
                       .words = {program_path().string(), "run", campaign_file.string(), "-o", file.string(), "--overwrite"},
                       .environment = {},
                       .output = said.string()};
  return run_program(run).code == 0;
}

Roofs roofs_in(const fs::path& file) {
  Roofs roofs{load_results(file), {}};
  std::string note = fmt::format("roofs: {}, measured {}", file.string(), age_of(file));
  for (const auto& disturbances : find_disturbances(roofs.results.ceilings))
    if (is_disturbed(disturbances))
      note += fmt::format("; {} of {} samples were disturbed, so that they may be too low (--roofs=measure takes them anew)",
                          disturbances.disturbed, disturbances.samples);
  roofs.notes.push_back(std::move(note));
  return roofs;
}

}  // namespace

Roofs find_roofs(const std::string& wanted) {
  if (wanted == "no") return {{}, {"no roofs, as --roofs=no wants: nothing is bound"}};
  if (wanted != "auto" && wanted != "measure") {
    Roofs named = roofs_in(wanted);
    if (named.results.ceilings.empty())
      throw user_error(fmt::format("{} has no ceilings: 'plumbline run' measures them where the campaign has a [ceilings] table", wanted));
    if (const auto& machines = named.results.machines; !machines.empty() && machines.front().node != host_name())
      named.notes.push_back(fmt::format("the roofs are those of another node, {}", machines.front().node));
    return named;
  }
  const fs::path folder = cache_folder();
  if (folder.empty()) return {{}, {"no roofs: neither XDG_CACHE_HOME nor HOME names a folder to keep them in; --roofs=FILE takes others"}};
  const fs::path file = folder / file_name();
  if (const bool is_kept = wanted == "auto" && fs::exists(file); !is_kept && !measure_into(file))
    return {{},
            {fmt::format("no roofs: they could not be measured into {}, and {} says why; --roofs=FILE takes others", file.string(),
                         fs::path(file).replace_extension(".log").string())}};
  return roofs_in(file);
}

}  // namespace plumbline::app
