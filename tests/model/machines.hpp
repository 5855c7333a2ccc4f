// Machines that never were: what a load sweep and a pointer chase would measure on them, disturbances included.
#pragma once
#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "model/ceilings/levels.hpp"

namespace plumbline::test {

inline constexpr double KiB = 1024, MiB = 1024 * KiB;

struct Cache {
  double bytes = 0;
  double nanoseconds = 0, gbs = 0;  // a dependent load from it, a stream from it
  double sharpness = 7;             // of the way out: exponent of the miss ratio's rise; a Cascade Lake's L2 has 7
};

/// The reach of a TLB, beyond which a load, and a byte of a stream, cost this many times more.
struct TlbStep {
  double bytes = 0, load = 1, byte = 1;
};

struct Machine {
  std::string name = {};
  std::vector<Cache> caches = {};  // from the core outwards
  double memory_nanoseconds = 100, memory_gbs = 12;
  std::vector<TlbStep> tlb = {};
  std::function<double(double)> rate_factor = {};  // a plateau that is not flat, by bytes
  double chase_holds = 1;                          // of the last cache, where invisible neighbours push out what is touched seldom

  /// The part of a working set that a cache does not serve: half at 1.17 of its size.
  static double missing(double bytes, const Cache& cache, double share = 1) {
    return 1 / (1 + std::pow(bytes / (1.17 * share * cache.bytes), -cache.sharpness));
  }
  double nanoseconds(double bytes) const {
    double cost = caches.front().nanoseconds;
    for (std::size_t i = 0; i < caches.size(); ++i) {
      const bool last = i + 1 == caches.size();
      cost += ((last ? memory_nanoseconds : caches[i + 1].nanoseconds) - caches[i].nanoseconds) *
              missing(bytes, caches[i], last ? chase_holds : 1);
    }
    for (const auto& step : tlb)
      if (bytes > step.bytes) cost *= 1 + (step.load - 1) * (1 - step.bytes / bytes);
    return cost;
  }
  double gbs(double bytes) const {
    double cost = 1 / caches.front().gbs;
    for (std::size_t i = 0; i < caches.size(); ++i)
      cost += (1 / (i + 1 < caches.size() ? caches[i + 1].gbs : memory_gbs) - 1 / caches[i].gbs) * missing(bytes, caches[i]);
    for (const auto& step : tlb)
      if (bytes > step.bytes) cost *= 1 + (step.byte - 1) * (1 - step.bytes / bytes);
    return (rate_factor ? rate_factor(bytes) : 1) / cost;
  }
};

/// The disturbances of a run: every sample is a little slow; now and then a burst slows down what is measured meanwhile.
struct Disturbance {
  double jitter = 0.02;     // scale of the exponential slow-down of every sample
  double bursts = 0;        // expected number a round and curve
  double burst_points = 5;  // mean length
  double burst_factor = 2;  // largest slow-down
};

struct Sweep {
  double near = 3, far = 2;  // points an octave below and above 8 MiB
  double largest = 256 * MiB;
  int rounds = 3;
  double smallest = 4.5 * KiB;
};

inline std::vector<double> sizes_of(const Sweep& sweep) {
  std::vector<double> sizes;
  for (double bytes = sweep.smallest; bytes < sweep.largest / 1.1; bytes *= std::exp2(1 / (bytes < 8 * MiB ? sweep.near : sweep.far)))
    sizes.push_back(std::floor(bytes / 64) * 64);
  sizes.push_back(sweep.largest);
  return sizes;
}

/// A curve: `cost(bytes)` by working set, `sample(cost)` what is stored of it.
template <class Cost, class Sample>
std::vector<CurvePoint> curve_of(const Sweep& sweep, const Disturbance& disturbance, std::mt19937_64& random, Cost cost, Sample sample) {
  const auto uniform = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
  std::vector<CurvePoint> points;
  for (const double bytes : sizes_of(sweep)) points.push_back({bytes, {}});
  for (int round = 0; round < sweep.rounds; ++round) {
    double left = 0, factor = 1;
    for (auto& point : points) {
      if (left <= 0 && uniform() < disturbance.bursts / static_cast<double>(points.size())) {
        left = 1 - std::log(1 - uniform()) * (disturbance.burst_points - 1);
        factor = 1 + uniform() * (disturbance.burst_factor - 1);
      }
      const double slow = (left > 0 ? factor : 1) * (1 - disturbance.jitter * std::log(1 - uniform()));
      left -= 1;
      point.samples.push_back(sample(cost(point.bytes) * slow));
    }
  }
  return points;
}

inline std::vector<CurvePoint> load_curve(const Machine& m, const Sweep& sweep, const Disturbance& disturbance, std::mt19937_64& random) {
  return curve_of(
      sweep, disturbance, random, [&](double bytes) { return 1 / m.gbs(bytes); }, [](double cost) { return 1 / cost; });
}
inline std::vector<CurvePoint> chase_curve(const Machine& m, const Sweep& sweep, const Disturbance& disturbance, std::mt19937_64& random) {
  return curve_of(
      sweep, disturbance, random, [&](double bytes) { return m.nanoseconds(bytes) * 1e-9; }, [](double cost) { return cost; });
}

/// A second level whose rate rises towards its end, as measured on a Zen 5: 172-208 GB/s at 129-384 KiB, 261 near 768 KiB.
inline double slow_at_first(double bytes) {
  if (bytes < 64 * KiB || bytes > 700 * KiB) return 1;
  return bytes < 200 * KiB ? 0.68 : bytes < 400 * KiB ? 0.78 : 0.9;
}

inline std::vector<Machine> machines() {
  return {
      {"Cascade Lake", {{32 * KiB, 1.3, 320}, {1 * MiB, 4.5, 110}, {35.75 * MiB, 24, 24, 4}}, 100, 11},
      {"Zen 5", {{48 * KiB, 1.0, 525}, {1 * MiB, 3.4, 261}, {32 * MiB, 12, 118, 5}}, 110, 40, {}, slow_at_first},
      {"Zen 3 with V-Cache", {{32 * KiB, 0.9, 280}, {512 * KiB, 2.7, 140}, {96 * MiB, 12, 80, 5}}, 85, 35},
      {"Zen 2, 4 KiB pages",
       {{32 * KiB, 1.2, 200}, {512 * KiB, 3.6, 100}, {16 * MiB, 12, 55, 5}},
       110,
       22,
       {{256 * KiB, 1.45, 1.25}, {8 * MiB, 1.6, 1.08}}},
      {"Cascade Lake, nested 4 KiB pages",
       {{32 * KiB, 1.3, 320}, {1 * MiB, 4.5, 110}, {35.75 * MiB, 24, 24, 4}},
       100,
       11,
       {{256 * KiB, 1.5, 1.03}, {6 * MiB, 1.9, 1.05}}},
      {"Alder Lake", {{48 * KiB, 1.0, 400}, {1.25 * MiB, 3, 170}, {30 * MiB, 15, 70, 5}}, 85, 30},
      {"Haswell with eDRAM", {{32 * KiB, 1.1, 220}, {256 * KiB, 3.2, 75}, {6 * MiB, 12, 38, 5}, {128 * MiB, 42, 22, 5}}, 95, 12},
      {"A64FX", {{64 * KiB, 2.5, 200}, {8 * MiB, 17, 75, 5}}, 130, 40},
      {"Cortex-A72", {{32 * KiB, 1.8, 28}, {1 * MiB, 8, 15, 4}}, 120, 5},
      {"Neoverse V1", {{64 * KiB, 1.5, 160}, {1 * MiB, 5, 90}, {32 * MiB, 30, 34, 5}}, 115, 27},
      {"M1", {{128 * KiB, 0.95, 150}, {12 * MiB, 5.5, 100, 5}}, 100, 60},
  };
}

/// A machine of two or three caches of any sizes; each level is 2.5 to 6 times slower to load from and 1.6 to 4 times to stream from than
/// the one before.
inline Machine any_machine(std::mt19937_64& random) {
  const auto between = [&](double lo, double hi) { return lo + (hi - lo) * static_cast<double>(random() >> 11) * 0x1p-53; };
  Machine m{.name = "any"};
  double bytes = 24 * KiB * std::exp2(between(0, 2.5)), nanoseconds = between(0.8, 2), gbs = between(50, 500);
  const std::size_t caches = 2 + random() % 2;
  for (std::size_t i = 0; i < caches; ++i) {
    m.caches.push_back({bytes, nanoseconds, gbs, between(4, 12)});
    bytes *= std::exp2(between(3, 5));
    nanoseconds *= between(2.5, 6);
    gbs /= between(1.6, 4);
  }
  m.memory_nanoseconds = nanoseconds;
  m.memory_gbs = gbs;
  return m;
}

}  // namespace plumbline::test
