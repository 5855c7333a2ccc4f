#include "profile/timed_functions.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace plumbline {
namespace {

/// A thread of a process.
using Thread = std::pair<int, int>;
using SamplesByThread = std::map<Thread, std::uint64_t>;
/// The place of a function: its file, and where it begins there.
using Place = std::pair<std::string, std::uint64_t>;

/// Threads with less than this part of what the busiest one has were not at work beside it.
constexpr double takes_part_from = 0.1;

std::uint64_t most(const SamplesByThread& threads) {
  std::uint64_t samples = 0;
  for (const auto& [thread, own] : threads) samples = std::max(samples, own);
  return samples;
}

int taking_part(const SamplesByThread& threads) {
  const auto least = takes_part_from * static_cast<double>(most(threads));
  return static_cast<int>(std::ranges::count_if(threads, [&](const auto& one) { return static_cast<double>(one.second) >= least; }));
}

}  // namespace

Share share_of(std::uint64_t samples, std::uint64_t all) {
  if (all == 0) return {0, 0, 1};
  const double n = static_cast<double>(all), part = static_cast<double>(samples) / n, z = 1.96, scale = 1 + z * z / n,
               middle = (part + z * z / (2 * n)) / scale, half = z / scale * std::sqrt(part * (1 - part) / n + z * z / (4 * n * n));
  return {part, std::max(0.0, middle - half), std::min(1.0, middle + half)};
}

TimedProfile join(const Samples& samples, const Profile& counted, Symbols& symbols) {
  std::map<Place, TimedFunction> functions;
  std::map<Place, SamplesByThread> threads_of;
  SamplesByThread threads;
  for (const auto& one : counted.functions) {
    // The symbols of a place may be several; both runs are asked for the same one.
    const std::uint64_t begin = one.begin == 0 ? 0 : symbols.at_address(one.object, one.begin).begin;
    TimedFunction& function = functions[{one.object, begin}];
    function.name = one.name, function.object = one.object, function.begin = begin;
    if (!function.counts) function.counts.emplace();
    add(*function.counts, one.counts);
  }
  TimedProfile profile;
  for (const auto& place : samples.places) {
    const FunctionPlace at = symbols.at_offset(place.object, place.file_offset);
    const Place key{place.object.empty() ? "???" : place.object, at.begin};
    TimedFunction& function = functions[key];
    if (function.name.empty()) function.name = at.name, function.object = key.first, function.begin = at.begin;
    function.samples += place.samples;
    threads_of[key][{place.process, place.thread}] += place.samples;
    threads[{place.process, place.thread}] += place.samples;
    profile.samples += place.samples;
  }
  std::uint64_t uncounted = 0;
  for (auto& [key, function] : functions) {
    const SamplesByThread& own = threads_of[key];
    function.threads = taking_part(own);
    function.cpu_seconds = samples.seconds_each * static_cast<double>(function.samples);
    function.longest_seconds = samples.seconds_each * static_cast<double>(most(own));
    if (!function.counts) uncounted += function.samples;
    profile.functions.push_back(std::move(function));
  }
  profile.threads = taking_part(threads);
  profile.uncounted_part = profile.samples == 0 ? 0 : static_cast<double>(uncounted) / static_cast<double>(profile.samples);
  std::ranges::stable_sort(profile.functions, [](const auto& a, const auto& b) { return a.samples > b.samples; });
  return profile;
}

}  // namespace plumbline
