// The progress of a run is one line that is rewritten on a terminal, a plain line now and then in a log.
#pragma once
#include <cstddef>
#include <string>

namespace plumbline::app {

class Progress {
 public:
  /// Makes the progress of `total` rounds of `estimated_seconds` in all; silent when `shown` is false (ranks other than 0).
  Progress(std::size_t total, double estimated_seconds, bool shown);

  /// Starts the estimate's clock, which does not begin with the object.
  void begin();
  /// Tells, before round `index` (from 0), what is measured, and how much of the estimate lies behind.
  void round(std::size_t index, const std::string& what, double estimated_done_seconds);
  /// Clears the terminal's line and prints `message`.
  void say(const std::string& message);

 private:
  void print(const std::string& line, bool lasting);

  std::size_t total_;
  double estimated_seconds_, started_, last_line_ = 0;
  bool shown_, terminal_;
};

/// Prints seconds as "3 s", "2 min 05 s", "1 h 20 min".
std::string duration_text(double seconds);

}  // namespace plumbline::app
