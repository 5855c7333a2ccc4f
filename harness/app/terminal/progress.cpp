#include "app/terminal/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

#include "app/terminal/streams.hpp"
#include "measure/clock.hpp"

namespace plumbline::app {
namespace {

constexpr double seconds_between_log_lines = 15;

std::size_t terminal_columns() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 100;
}

}  // namespace

std::string duration_text(double seconds) {
  const auto whole = static_cast<long>(seconds + 0.5);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

Progress::Progress(std::size_t total, double estimated_seconds, bool shown)
    : total_(total), estimated_seconds_(estimated_seconds), started_(now_seconds()), shown_(shown), terminal_(isatty(STDERR_FILENO) == 1) {}

void Progress::begin() { started_ = now_seconds(); }

void Progress::round(std::size_t index, const std::string& what, double estimated_done_seconds) {
  if (!shown_) return;
  const double now = now_seconds(), elapsed = now - started_;
  const bool last = index + 1 == total_;
  if (!terminal_ && !last && index != 0 && now - last_line_ < seconds_between_log_lines) return;
  last_line_ = now;
  // The estimate knows the shape of the work, not this machine's speed: scale it by what was seen so far.
  const double done = estimated_done_seconds / std::max(estimated_seconds_, 1e-9);
  const double left = done > 0.02 ? elapsed / done - elapsed : estimated_seconds_ - estimated_done_seconds;
  print(fmt::format("case {} of {}, about {} left: {}", index + 1, total_, duration_text(std::max(0.0, left)), what), !terminal_);
}

void Progress::say(const std::string& message) {
  if (shown_) print(message, true);
}

void Progress::print(const std::string& line, bool lasting) {
  if (!terminal_) {
    app::say(line + "\n");
    return;
  }
  app::say(fmt::format("\r\033[K{}{}", lasting ? line : line.substr(0, terminal_columns() - 1), lasting ? "\n" : ""));
}

}  // namespace plumbline::app
