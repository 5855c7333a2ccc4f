// Some runs of an exchange are its samples, and each makes a number of turns that is found here.
#pragma once
#include <cstdint>
#include <limits>

#include "comm/exchange.hpp"

namespace plumbline {

/// The samples of an exchange. The first run warms up. One run that is much slower than the fastest is left out: a rank had lost its core
/// for a while. Neither counts for the patience; what stays so slow, the next run tells.
class ExchangeSamples {
 public:
  explicit ExchangeSamples(const ExchangeProtocol& protocol) : protocol_(protocol) {}

  /// The number of turns in the next run; 0 when there are samples enough, or the patience is over.
  std::uint64_t next_turns() const;
  /// Takes the seconds that a run of next_turns() took.
  void take(double seconds);
  /// The seconds of a turn in the fastest sample.
  double best_turn() const { return best_; }

 private:
  static constexpr double none = std::numeric_limits<double>::infinity();

  ExchangeProtocol protocol_;
  std::uint64_t turns_ = 1;
  int samples_ = 0;
  double best_ = none;     // seconds of a turn, of a sample
  double fastest_ = none;  // the same, of any run
  double spent_ = 0;       // seconds, of the runs that count
  bool is_first_ = true, left_one_out_ = false;
};

}  // namespace plumbline
