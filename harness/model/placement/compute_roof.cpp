#include "model/placement/compute_roof.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

namespace plumbline {
namespace {

/// A mix that takes no more than this beyond its slower kind alone hides the other kind wholly: then nothing says how many pipes both have.
constexpr double hidden_within = 1.02;

enum Pattern : std::size_t { fma, add, mul, mul_add, fma_add, patterns };

std::optional<Pattern> pattern_of(std::string word) {
  std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) { return std::tolower(c); });
  if (word.starts_with("scalar")) return std::nullopt;
  if (word == "add") return add;
  if (word == "mul") return mul;
  if (word == "mul+add" || word == "no fma") return mul_add;
  if (word == "fma+add") return fma_add;
  return fma;
}

/// FLOPs of one instruction of each kind, or of a pair of them.
constexpr std::array<double, patterns> flops_each{2, 1, 1, 2, 3};

/// Instructions of each kind, in any unit.
struct Instructions {
  double fma = 0, add = 0, mul = 0;
  double flops() const { return 2 * fma + add + mul; }
};

struct Cost {
  double seconds = 0;
  const ArithmeticCeiling* by = nullptr;
};

/// The time that each of two kinds costs on the pipes that they share; nothing where they share none.
struct Shared {
  double multiplied = 0, added = 0;
};

/// The units of one precision as its ceilings show them: every set of kinds has so many pipes, each instruction takes one, and the time is
/// that of the set that is busiest for its pipes. (So for single kinds; FMAs with products, which the multiplier of the FMAs does, so that
/// the more numerous pipes hold for both; and either with sums, by the measured mix.) Seconds are of a billion instructions.
class Pipes {
 public:
  Pipes(const std::string& precision, std::span<const ArithmeticCeiling> ceilings) {
    for (const auto& ceiling : ceilings) {
      const auto pattern = pattern_of(ceiling.pattern);
      if (ceiling.precision != precision || !pattern || !(ceiling.gflops > 0)) continue;
      const ArithmeticCeiling*& best = best_[*pattern];
      if (best == nullptr || ceiling.gflops > best->gflops) best = &ceiling;
    }
    if (!exists()) return;
    double fastest = HUGE_VAL;
    for (const Pattern kind : {fma, add, mul}) fastest = std::min(fastest, measured(kind));
    for (const Pattern pair : {mul_add, fma_add})
      if (!std::isfinite(fastest)) fastest = std::min(fastest, measured(pair) / 2);
    for (const Pattern kind : {fma, add, mul}) alone_[kind] = best_[kind] == nullptr ? fastest : measured(kind);
    fused_ = shared(alone_[fma], fma_add, alone_[mul], mul_add);
    product_ = shared(alone_[mul], mul_add, alone_[fma], fma_add);
  }

  bool exists() const {
    return std::any_of(best_.begin(), best_.end(), [](const auto* one) { return one != nullptr; });
  }
  double fma_gflops() const { return best_[fma] == nullptr ? absent : best_[fma]->gflops; }

  Cost cost(const Instructions& x) const {
    Cost most;
    const auto consider = [&](double seconds, const ArithmeticCeiling* by) {
      if (seconds > most.seconds * 1.000001) most = {seconds, by};
    };
    const Pattern multiplied = x.fma >= x.mul ? fma : mul;
    consider(x.fma * alone_[fma], named(fma));
    consider(x.add * alone_[add], named(add));
    consider(x.mul * alone_[mul], named(mul));
    consider((x.fma + x.mul) * std::min(alone_[fma], alone_[mul]), named(multiplied));
    const double part = x.fma + x.mul > 0 ? x.fma / (x.fma + x.mul) : 0;
    consider(x.fma * fused_.multiplied + x.mul * product_.multiplied + x.add * (part * fused_.added + (1 - part) * product_.added),
             named(multiplied == fma ? fma_add : mul_add, x.add > x.fma + x.mul ? add : multiplied));
    if (best_[mul_add] == nullptr && best_[fma_add] == nullptr) consider(x.flops() / highest()->gflops, highest());
    return most;
  }

  /// The least time of a billion FLOPs, of the mix that takes the shortest: one kind alone, or FMAs or products beside as many sums as fit.
  Cost least_cost() const {
    Cost least{1 / highest()->gflops, highest()};
    const auto try_mix = [&](const Instructions& x) {
      const Cost one = cost(x);
      if (const double seconds = one.seconds / x.flops(); seconds < least.seconds) least = {seconds, one.by};
    };
    for (const Instructions& x : {Instructions{1, 0, 0}, Instructions{0, 1, 0}, Instructions{0, 0, 1}}) try_mix(x);
    for (const bool fused : {true, false}) {
      const Shared& both = fused ? fused_ : product_;
      const double multiplied = 1 / alone_[fused ? fma : mul], added = 1 / alone_[add];
      const double beside = both.added > 0 ? std::clamp((1 - both.multiplied * multiplied) / both.added, 0.0, added) : added;
      const double under = both.multiplied > 0 ? std::clamp((1 - both.added * added) / both.multiplied, 0.0, multiplied) : multiplied;
      try_mix(fused ? Instructions{multiplied, beside, 0} : Instructions{0, beside, multiplied});
      try_mix(fused ? Instructions{under, added, 0} : Instructions{0, added, under});
    }
    return least;
  }

 private:
  double measured(Pattern pattern) const { return best_[pattern] == nullptr ? HUGE_VAL : flops_each[pattern] / best_[pattern]->gflops; }

  const ArithmeticCeiling* highest() const {
    const ArithmeticCeiling* most = nullptr;
    for (const auto* one : best_)
      if (one != nullptr && (most == nullptr || one->gflops > most->gflops)) most = one;
    return most;
  }

  const ArithmeticCeiling* named(Pattern pattern, Pattern otherwise = fma) const {
    if (best_[pattern] != nullptr) return best_[pattern];
    return best_[otherwise] != nullptr ? best_[otherwise] : highest();
  }

  /// The sharing of a multiplying kind with sums, from their pair; where that was not measured, as much in proportion as the other
  /// multiplying kind's.
  Shared shared(double multiplied, Pattern pair, double other, Pattern other_pair) const {
    const double added = alone_[add];
    double both = measured(pair);
    if (!std::isfinite(both)) both = measured(other_pair) * (multiplied + added) / (other + added);
    if (!std::isfinite(both)) return {};
    const double slower = std::max(multiplied, added), faster = std::min(multiplied, added);
    both = std::clamp(both, slower, slower + faster);
    if (both <= hidden_within * slower && faster * hidden_within < slower) return {};
    const double least = std::min(both / 2, faster);  // the other has what is left
    return multiplied <= added ? Shared{least, both - least} : Shared{both - least, least};
  }

  std::array<const ArithmeticCeiling*, patterns> best_{};
  std::array<double, 3> alone_{};
  Shared fused_, product_;
};

Cost cost_of(const ArithmeticShare& share, const Pipes& pipes) {
  if (!share.tells_kinds()) {
    const Cost least = pipes.least_cost();
    return {least.seconds * share.flops, least.by};
  }
  const Instructions parts{share.fma, share.add, share.mul};
  const Cost cost = pipes.cost(parts);
  return {cost.seconds * share.flops / parts.flops(), cost.by};
}

}  // namespace

double fma_peak(const std::string& precision, std::span<const ArithmeticCeiling> ceilings) {
  return Pipes(precision, ceilings).fma_gflops();
}

ComputeRoof compute_roof(const ArithmeticMix& mix, std::span<const ArithmeticCeiling> ceilings) {
  ComputeRoof roof{.is_of_kinds = true};
  double flops = 0, left_out = 0, nanoseconds = 0, longest = 0, most_flops = 0;
  for (const auto& [precision, share] : mix) {
    if (!(share.flops > 0)) continue;
    flops += share.flops;
    const Pipes pipes(precision, ceilings);
    if (!pipes.exists()) {
      left_out += share.flops;
      roof.left_out += (roof.left_out.empty() ? "" : ", ") + precision;
      continue;
    }
    const Cost cost = cost_of(share, pipes);
    nanoseconds += cost.seconds;
    if (cost.seconds > longest) longest = cost.seconds, roof.ceiling = cost.by->name;
    if (share.flops > most_flops) most_flops = share.flops, roof.fma_gflops = pipes.fma_gflops();
    roof.is_of_kinds = roof.is_of_kinds && share.tells_kinds();
  }
  if (flops > 0 && nanoseconds > 0 && 2 * left_out <= flops) {
    roof.gflops = flops / nanoseconds;
    return roof;
  }
  return {.reason = flops > 0 ? "no ceiling of arithmetic in " + roof.left_out : "no FLOPs"};
}

}  // namespace plumbline
