#include "app/programs/two_runs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "app/terminal/streams.hpp"
#include "app/terminal/table.hpp"
#include "profile/chosen_code.hpp"

namespace plumbline::app {
namespace {

namespace fs = std::filesystem;

/// The last line that a program said on its standard error, in parentheses; empty where it said none.
std::string last_words(const fs::path& file) {
  std::ifstream in(file);
  std::string last;
  for (std::string line; std::getline(in, line);)
    if (!line.empty()) last = line;
  return last.empty() ? "" : fmt::format(" ({})", printable(last.substr(0, 200)));
}

}  // namespace

RepeatedInput::RepeatedInput() {
  struct stat facts {};
  if (fstat(STDIN_FILENO, &facts) != 0) return;
  is_file_ = S_ISREG(facts.st_mode);
  struct stat nothing {};
  const bool is_null = stat("/dev/null", &nothing) == 0 && S_ISCHR(facts.st_mode) && facts.st_rdev == nothing.st_rdev;
  is_used_up_ = !is_file_ && !is_null;
  if (is_file_) begin_ = lseek(STDIN_FILENO, 0, SEEK_CUR);
}

void RepeatedInput::give_again(StandardStreams& streams, std::vector<std::string>& notes) const {
  streams.input = is_file_ ? fmt::format("/proc/{}/fd/0", getpid()) : "/dev/null";
  streams.input_begin = begin_;
  if (is_used_up_)
    notes.emplace_back("standard input was a pipe, a terminal or a device, which the timed run had to itself: the counted run had none");
}

void choose_code(const ProfileOptions& options, std::vector<std::string>& notes) {
  if (!options.avx2) return;
  if (const auto set = choose_avx2(); !set.empty()) notes.push_back(fmt::format("--avx2 set for both runs: {}", fmt::join(set, " ")));
}

void require_window(const ProfileOptions& options, const NativeRun& native) {
  const RunWindow& window = options.window;
  if (window.is_whole() || native.window_seconds > 0) return;
  if (window.is_of_time())
    throw user_error(
        fmt::format("--window={}: the program had ended by then, after {}", window.text, duration(native.ending.wall_seconds)));
  const auto& others = native.regions.outside;
  throw user_error(fmt::format("--window={}: the timed run had no such entry of a region; {}", window.text,
                               others.empty() ? "none told of its entries (a static program, or an earlier plumbline.h, tells nothing)"
                                              : fmt::format("the regions that it entered: {}", fmt::join(others, ", "))));
}

// The emulator runs threads in turn, so that it goes by their CPU time. Its slowdowns are those of validation/emulated_counters.md.
void announce_counting(const ProfileOptions& options, const ProgramEnding& native) {
  constexpr double least_seconds = 1;
  const bool caches = options.caches != "no";
  const double cpu = native.user_seconds, least = caches ? 10 : 3, most = caches ? 110 : 55;
  if (cpu < least_seconds || options.json) return;
  say(fmt::format("plumbline: counting takes {:.0f} to {:.0f} times the CPU time of {}: {} to {}\n", least, most, duration(cpu),
                  duration(least * cpu), duration(most * cpu)));
}

std::string why_not_joined(const ProfileOptions& options, const ProgramEnding& native, const EmulatedEnding& counted,
                           const fs::path& counted_errors) {
  if (native.interrupted != 0) return fmt::format("signal {} ended the timed run, and nothing was counted", native.interrupted);
  if (options.window.is_of_time())
    return "--window takes a stretch of time, by which counts cannot be cut: nothing was counted (--window=region:NAME cuts both)";
  if (options.time_only) return "--time-only: nothing was counted";
  if (counted.interrupted != 0) return fmt::format("signal {} ended the counted run", counted.interrupted);
  if (counted.refused) return counted.fault;
  if (native.code == counted.code) return "";
  return fmt::format("the timed run ended with exit {}, the counted one with exit {}{}: they did not do the same", native.code,
                     counted.code, last_words(counted_errors));
}

}  // namespace plumbline::app
