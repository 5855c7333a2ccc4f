#include "comm/exchange_samples.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace plumbline {
namespace {

constexpr double pause_factor = 3;  // times as long as the fastest run's turns

/// The number of turns that make a sample, from the seconds that `turns` of them took; it grows in steps, because the first turns are slow.
std::uint64_t more(std::uint64_t turns, double seconds, double wanted) {
  const double factor = std::clamp(1.2 * wanted / std::max(seconds, 1e-7), 1.0, 50.0);
  return static_cast<std::uint64_t>(std::ceil(static_cast<double>(turns) * factor));
}

}  // namespace

std::uint64_t ExchangeSamples::next_turns() const {
  return samples_ < protocol_.samples && spent_ < protocol_.patience_seconds ? turns_ : 0;
}

void ExchangeSamples::take(double seconds) {
  const double turn = seconds / static_cast<double>(turns_);
  const bool warms_up = std::exchange(is_first_, false);
  const bool paused = !warms_up && !left_one_out_ && turn > pause_factor * fastest_;
  left_one_out_ = left_one_out_ || paused;
  fastest_ = std::min(fastest_, turn);
  if (paused) return;
  if (!warms_up) spent_ += seconds;
  if (warms_up || (seconds < protocol_.sample_seconds && spent_ < protocol_.patience_seconds)) {
    turns_ = more(turns_, seconds, protocol_.sample_seconds);
  } else {
    best_ = std::min(best_, turn);
    ++samples_;
  }
}

}  // namespace plumbline
