#include "campaign.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/kernel.hpp"
#include "core/twin.hpp"

namespace plumbline::test {
namespace {

const std::array<CacheLevel, 3> fake_caches{{{.name = "L1", .bytes = 32768, .ways = 8},
                                             {.name = "L2", .bytes = 1 << 20, .ways = 16},
                                             {.name = "L3", .bytes = 32 << 20, .ways = 16, .shared = true}}};

struct Shape {
  const char* kernel;
  Parameters parameters;
};

std::vector<Shape> shapes() {
  std::vector<Shape> all;
  for (const char* form : {"loop", "inline"})
    for (const std::int64_t n : {2, 5, 9, 17, 29})
      for (const std::int64_t m : {64, 256, 1024}) all.push_back({"validation/series", {{"form", std::string(form)}, {"n", n}, {"m", m}}});
  for (const std::int64_t n : {64, 256, 1024}) all.push_back({"validation/stencil5", {{"n", n}}});
  for (const char* kernel : {"validation/stencil7", "validation/stencil7c"})
    for (const std::int64_t n : {24, 64, 128}) all.push_back({kernel, {{"n", n}}});
  for (const char* kernel : {"validation/triad", "validation/dot"})
    for (const std::int64_t n : {1000, 30000, 1000000, 4000000}) all.push_back({kernel, {{"n", n}}});
  return all;
}

void add_rows(Results& results, const TrueCase& one, const MadeCounter& made, Random& random) {
  const auto add = [&](int group, const std::function<double(const TrueCase&, Random&)>& count) {
    for (std::int32_t rank = 0; rank < one.row.ranks; ++rank)
      for (int repetition = 0; repetition < made.times; ++repetition) {
        const double net = disturbed(count(one, random), made, random);
        results.counts.push_back({.case_id = one.row.id, .node = "node0", .session = "s", .event = made.counter.name, .backend = "made"});
        CountRow& row = results.counts.back();
        row.group = group;
        row.rank = rank;
        row.repetition = repetition;
        row.raw = static_cast<std::uint64_t>(std::max(0.0, net));
        row.net = net;
      }
  };
  add(0, made.count);
  if (made.joint) add(1, made.joint);
}

/// Makes references up. Without optimization variables lie in memory, which costs a triad about four times its references as written;
/// optimized stencils keep some neighbours in registers.
References made_up_references(const TrueCase& one) {
  const bool is_stencil = one.row.kernel.find("/stencil") != std::string::npos;
  const auto times = [](double references, double factor) { return static_cast<std::uint64_t>(references * factor); };
  const double loads = is_stencil ? 0.8 : 1;
  return {times(one.of({"bytes.reg-L1.load"}), one.level() == "O0" ? 5 : loads),
          times(one.of({"bytes.reg-L1.store"}), one.level() == "O0" ? 3 : 1), times(one.of({"bytes.reg-L1.nt_store"}), 1)};
}

}  // namespace

std::string TrueCase::level() const { return split_flavor(row.flavor).level; }
std::string TrueCase::compiler() const { return split_flavor(row.flavor).compiler; }

double TrueCase::of(const std::vector<std::string>& quantities) const {
  double sum = 0;
  for (const auto& quantity : quantities) sum += truth.contains(quantity) ? truth.at(quantity) : 0;
  return sum;
}

TrueCase true_case(const Case& measured, std::span<const CacheLevel> caches, Random& random) {
  TrueCase one{.row = measured.row(), .truth = {}, .model = {}};
  for (const auto& [quantity, amount] : expected_counts(measured.work(), caches, measured.team.threads)) {
    const auto lo = static_cast<double>(amount.lo), hi = static_cast<double>(amount.hi);
    one.model[quantity] = {lo, hi};
    one.truth[quantity] = lo + random.uniform() * (hi - lo);
  }
  for (auto& [quantity, amount] : one.truth) {  // a boundary's total is that of its flows
    if (!quantity.starts_with("bytes.") || quantity.find('.', 6) != std::string::npos) continue;
    amount = 0;
    for (const auto& [flow, part] : one.truth)
      if (flow.starts_with(quantity + ".")) amount += part;
  }
  return one;
}

void set_executed(TrueCase& one, const Counts& executed) {
  for (const auto& [quantity, amount] : executed) {
    one.model[quantity] = {static_cast<double>(amount.lo), static_cast<double>(amount.hi)};
    one.truth[quantity.substr(executed_prefix.size())] = static_cast<double>(amount.lo);
  }
}

double disturbed(double count, const MadeCounter& made, Random& random) {
  if (made.noise_free) return count;
  count *= 1 + made.noise.relative * random.normal();
  count += made.noise.background * random.uniform();
  if (random.with_probability(made.noise.interrupted)) count += made.noise.interrupt * random.uniform();
  return count;
}

std::vector<TrueCase> realistic_campaign(std::uint64_t seed) {
  Random random(seed);
  std::vector<TrueCase> cases;
  for (const auto& [kernel, parameters] : shapes())
    for (const char* precision : {"fp64", "fp32"})
      for (const char* flavor : {"gcc11-O0-v3", "gcc11-O3-v3", "gcc12-O0-v3", "gcc12-O3-v3", "clang14-O0-v3", "clang14-O3-v3"})
        for (const int ranks : {1, 2}) {
          const std::string name = kernel;
          if (ranks == 2 && name != "validation/triad" && name != "validation/dot") continue;
          cases.push_back(true_case({.kernel = find_kernel(kernel),
                                     .parameters = parameters,
                                     .precision = precision,
                                     .flavor = {.name = flavor, .precision = precision, .sweep = nullptr},
                                     .team = {.ranks = ranks, .threads = 1}},
                                    fake_caches, random));
          set_executed(cases.back(), executed_counts(made_up_references(cases.back())));
        }
  return cases;
}

Noise noise_of(Kind kind, Random& random) {
  if (kind == Kind::flops) return {.relative = random.log_between(2e-4, 3e-3), .background = random.between(0, 4), .interrupt = 200};
  return {.relative = random.log_between(1e-3, 1e-2), .background = random.between(0, 1024), .interrupt = 32768};
}

Results results_of(const std::vector<TrueCase>& cases, std::span<const MadeCounter> counters, std::uint64_t seed) {
  Random random(seed);
  Results results;
  for (const auto& one : cases) {
    results.cases.push_back(one.row);
    for (const auto& [quantity, bounds] : one.model) results.model.push_back({one.row.id, quantity, bounds.first, bounds.second});
    for (const auto& made : counters) add_rows(results, one, made, random);
  }
  return results;
}

Counter claiming(const std::string& name, std::vector<std::string> quantities) {
  const Kind kind = quantities.front().starts_with("flops.") ? Kind::flops : Kind::bytes;
  return {.name = name, .backend = "made", .terms = {{name, 1}}, .quantities = std::move(quantities), .kind = kind};
}

}  // namespace plumbline::test
