// A mix of FMAs, sums and products can reach a part of the peak: an FMA does two operations in the time of one (Yang, Kurth, Williams 2019,
// equations 6 and 7).
#pragma once
#include <cmath>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "core/counter.hpp"
#include "core/profiler_metric.hpp"
#include "core/records.hpp"
#include "model/cases/measured.hpp"

namespace plumbline {

/// The start of the quantities that are FLOPs: "flops.fp64" is of the precision "fp64".
inline constexpr std::string_view flops_prefix = "flops.";

/// The mix of one precision, as parts of its instructions.
struct FmaMix {
  double fraction = absent;           // a = FMAs over all instructions (Yang et al. 2019, equation 6)
  double add = absent, mul = absent;  // sums and products over all instructions
  double ceiling = absent;            // b = (2 a + 1 - a) / 2, attainable part of the FMA peak (equation 7)
  std::string source = {};            // who counted them: emulated | hardware | static | model; another profiler's name

  bool is_known() const { return std::isfinite(fraction); }
};

/// The mix of so many instructions, whatever their number of threads. Absent where one of the counts is, where one is negative, or where
/// there are none.
inline FmaMix fma_mix(double fma, double add, double mul) {
  const double all = fma + add + mul;
  if (!(fma >= 0 && add >= 0 && mul >= 0 && all > 0 && std::isfinite(all))) return {};
  const double fraction = fma / all;
  return {fraction, add / all, mul / all, (1 + fraction) / 2};
}

/// The mix of terms that say which kind of arithmetic each counts, an FMA weighing two of its operations. Absent where FMAs, sums or
/// products have no term, or one of them was not counted.
FmaMix fma_mix(std::span<const Term> terms, const std::map<std::string, Reported>& counts);

/// The mixes by precision: "fp64". A precision without any such arithmetic is left out.
using FmaMixes = std::map<std::string, FmaMix>;

/// The mixes by a backend that calls its events as the quantities are called: the emulator, or who counts the code.
FmaMixes counted_fma_mixes(const Measured& measured, const std::string& backend, const std::string& source);
/// The mixes by the first metrics of another profiler that tell kinds apart and are all there.
FmaMixes profiled_fma_mixes(const ProfilerMetrics& table, const std::map<std::string, Reported>& values, int chip);
/// The mixes by the model, where it leaves no sum beside a product: a compiler may fuse them.
FmaMixes modelled_fma_mixes(const Measured& measured);

}  // namespace plumbline
