#include "app/programs/kept_roofs.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "app/here/paths.hpp"
#include "app/results/stored_results.hpp"
#include "app/terminal/streams.hpp"
#include "core/error.hpp"
#include "core/fnv.hpp"
#include "core/host_name.hpp"
#include "machine/conditions.hpp"
#include "machine/cpu.hpp"
#include "machine/publishable.hpp"
#include "machine/system_file.hpp"
#include "model/ceilings/disturbances.hpp"
#include "profile/program_run.hpp"
#include "store/file_bytes.hpp"

namespace plumbline::app {
namespace {

namespace fs = std::filesystem;

/// The campaign that measures what a roofline needs, and nothing else.
constexpr const char* campaign = "schema = \"plumbline-campaign/1\"\nname = \"roofs\"\n[ceilings]\nmode = \"quick\"\n";

/// The folder in which users' programs keep what they can make again; empty where there is none.
fs::path cache_folder() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache == '/') return fs::path(cache) / "plumbline";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/') return fs::path(home) / ".cache" / "plumbline";
  return {};
}

/// Another CPU, or other CPUs left to this process (another socket): other roofs.
std::string file_name() {
  const Cpu& cpu = this_cpu();
  const std::string cpus_allowed = field_of("/proc/self/status", "Cpus_allowed_list").value_or("");
  const std::string machine =
      fmt::format("{}/{}/{}.{}.{}/{}/{}", cpu.vendor, cpu.name, cpu.family, cpu.model, cpu.stepping, cpus_allowed, cpu.best_isa());
  return fmt::format("roofs-{}-{:08x}.h5", host_name(), fnv1a(machine) & 0xffffffffU);
}

/// The age of the roofs by their own word, which a copy of the file keeps, else by the file's.
std::string age_of(const Results& results, const fs::path& file) {
  std::int64_t last = 0;
  for (const auto& outcome : results.outcomes) last = std::max(last, outcome.started_unix_ns);
  const auto since_epoch = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  const double seconds = last > 0 ? since_epoch - 1e-9 * static_cast<double>(last)
                                  : std::chrono::duration<double>(fs::file_time_type::clock::now() - fs::last_write_time(file)).count();
  if (seconds < 120) return "just before";
  if (seconds < 7200) return fmt::format("{:.0f} minutes before", seconds / 60);
  return seconds < 2 * 86400 ? fmt::format("{:.0f} hours before", seconds / 3600) : fmt::format("{:.0f} days before", seconds / 86400);
}

/// One process measures at a time, as long as it holds what this gives; the others wait here, and find what it has measured.
FileDescriptor hold(const fs::path& file) {
  FileDescriptor held = open_file(file, O_RDWR | O_CREAT, 0600);
  if (held) flock(held.number(), LOCK_EX);
  return held;
}

/// Tells how busy others keep this machine now; empty where they leave it alone, or nobody knows.
std::string load_in_words() {
  constexpr double much = 0.5;  // of the CPUs that there are
  const auto conditions = read_conditions();
  const auto load = std::ranges::find(conditions, "load_average", &Condition::name);
  const double cpus = static_cast<double>(sysconf(_SC_NPROCESSORS_ONLN));
  if (load == conditions.end() || !load->reason.empty() || load->value < much * cpus) return "";
  return fmt::format("{:.1f} programs at work on {:.0f} CPUs in the last minute", load->value, cpus);
}

/// Whether roofs that are kept were disturbed when they were measured, some time ago, and would not be now.
bool is_worth_another_try(const fs::path& file, const Results& kept) {
  constexpr auto patience = std::chrono::minutes(10);
  return std::ranges::any_of(find_disturbances(kept.ceilings), is_disturbed) &&
         fs::file_time_type::clock::now() - fs::last_write_time(file) > patience && load_in_words().empty();
}

/// Measures roofs into a file, which is there only when they are whole; else FILE.log says why. Gives how that ended.
ProgramEnding measure_into(const fs::path& file, bool again) {
  const auto beside = [&](const char* extension) { return fs::path(file).replace_extension(extension); };
  const fs::path measured = beside(".measured.h5"), journal = beside(".measured.journal");
  std::ofstream(beside(".toml")) << campaign;
  say(fmt::format("plumbline: this machine's roofs are measured {}, 10 to 30 s on an idle one, and kept in {}\n",
                  again ? "again, for others disturbed them the last time" : "first", file.string()));
  if (const std::string load = load_in_words(); !load.empty())
    say(fmt::format("plumbline: the machine is busy, {}: the roofs may be too low\n", load));
  std::error_code ignored;
  fs::remove_all(journal, ignored);
  ProgramRun run{.file = program_path(), .words = {}};
  run.words = {run.file.string(), "run", beside(".toml").string(), "-o", measured.string(), "--overwrite"};
  run.streams.output = run.streams.errors = beside(".log").string();
  const ProgramEnding ending = run_program(run);
  if (ending.code == 0 && ending.interrupted == 0) fs::rename(measured, file, ignored);
  fs::remove(measured, ignored);
  fs::remove_all(journal, ignored);
  return ending;
}

Roofs roofs_in(const fs::path& file) {
  Roofs roofs{load_results(file), {}, 0};
  std::string note = fmt::format("roofs: {}, measured {}", without_person(file.string(), this_person()), age_of(roofs.results, file));
  for (const auto& disturbances : find_disturbances(roofs.results.ceilings))
    if (is_disturbed(disturbances))
      note += fmt::format("; {} of {} samples were disturbed, so that they may be too low (--roofs=measure takes them anew)",
                          disturbances.disturbed, disturbances.samples);
  roofs.notes.push_back(std::move(note));
  return roofs;
}

}  // namespace

Roofs find_roofs(const std::string& wanted) {
  if (wanted == "no") return {{}, {"no roofs, as --roofs=no wants: nothing is bound"}, 0};
  if (wanted != "auto" && wanted != "measure") {
    Roofs named = roofs_in(wanted);
    if (named.results.ceilings.empty())
      throw user_error(fmt::format("{} has no ceilings: 'plumbline run' measures them where the campaign has a [ceilings] table", wanted));
    if (const auto& machines = named.results.machines; !machines.empty() && machines.front().node != host_name())
      named.notes.push_back(fmt::format("the roofs are those of another node, {}", machines.front().node));
    return named;
  }
  const fs::path folder = cache_folder();
  if (folder.empty())
    return {{}, {"no roofs: neither XDG_CACHE_HOME nor HOME names a folder to keep them in; --roofs=FILE takes others"}, 0};
  const fs::path file = folder / file_name();
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed)
    return {{}, {fmt::format("no roofs: {} cannot be made ({}); --roofs=FILE takes others", folder.string(), failed.message())}, 0};
  const FileDescriptor held = hold(fs::path(file).replace_extension(".lock"));
  bool again = false;
  if (wanted == "auto" && fs::exists(file)) try {
      Roofs kept = roofs_in(file);
      again = is_worth_another_try(file, kept.results);
      if (!again) return kept;
    } catch (const Error&) {  // damaged: it can be made again
    }
  if (const ProgramEnding ending = measure_into(file, again); (ending.code != 0 && !again) || ending.interrupted != 0 || !fs::exists(file))
    return {{},
            {fmt::format("no roofs: they could not be measured into {}, and {} says why; --roofs=FILE takes others", file.string(),
                         fs::path(file).replace_extension(".log").string())},
            ending.interrupted};
  return roofs_in(file);
}

}  // namespace plumbline::app
