#include "profile/timed_functions.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace plumbline {
namespace {

/// The place of a function: its file, and where it begins there.
using Place = std::pair<std::string, std::uint64_t>;

void take_sum(const Samples& samples, const SampleSum& sum, TimedFunction& function) {
  function.sum = sum;
  function.cpu_seconds = samples.seconds_each * static_cast<double>(sum.samples);
  function.seconds = samples.seconds_each * static_cast<double>(sum.elapsed);
}

}  // namespace

int TimedFunction::cores() const { return std::max(1, static_cast<int>(std::lround(sum.cores))); }

Share share_of(std::uint64_t samples, std::uint64_t all) {
  if (all == 0) return {0, 0, 1};
  const double n = static_cast<double>(all), part = static_cast<double>(samples) / n, z = 1.96, scale = 1 + z * z / n,
               middle = (part + z * z / (2 * n)) / scale, half = z / scale * std::sqrt(part * (1 - part) / n + z * z / (4 * n * n));
  return {part, std::max(0.0, middle - half), std::min(1.0, middle + half)};
}

TimedProfile join(const Samples& samples, const Profile& counted, Symbols& symbols) {
  std::map<Place, TimedFunction> functions;
  for (const auto& one : counted.functions) {
    // The symbols of a place may be several; both runs are asked for the same one.
    const std::uint64_t begin = one.begin == 0 ? 0 : symbols.at_address(one.object, one.begin).begin;
    TimedFunction& function = functions[{one.object, begin}];
    function.name = one.name, function.object = one.object, function.begin = begin;
    if (!function.counts) function.counts.emplace();
    add(*function.counts, one.counts);
  }
  TimedProfile profile;
  std::uint64_t uncounted = 0;
  for (const auto& one : samples.functions) {
    TimedFunction& function = functions[{one.object, one.begin}];
    if (function.name.empty()) function.name = one.name, function.object = one.object, function.begin = one.begin;
    take_sum(samples, one.sum, function);
    if (!function.counts) uncounted += one.sum.samples;
  }
  take_sum(samples, samples.whole, profile.whole);
  for (auto& [key, function] : functions) profile.functions.push_back(std::move(function));
  if (uncounted > 0) profile.uncounted_part = static_cast<double>(uncounted) / static_cast<double>(samples.whole.samples);
  std::ranges::stable_sort(profile.functions, [](const auto& a, const auto& b) { return a.sum.samples > b.sum.samples; });
  return profile;
}

}  // namespace plumbline
