#include "model/ceilings/inferred_limits.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "core/flavor.hpp"
#include "model/ceilings/core_limits.hpp"
#include "model/ceilings/disturbances.hpp"
#include "model/statistics/spread.hpp"
#include "model/statistics/words.hpp"

namespace plumbline {
namespace {

// Instructions a clock that cores may have pipes for (tile products: every 16 or 8 clocks), and vectors that they load or store.
constexpr std::array vector_rates{1.0, 2.0, 3.0, 4.0};
constexpr std::array dot_rates{0.5, 1.0, 2.0};
constexpr std::array possible_tile_rates{1.0 / 16, 1.0 / 8};
constexpr std::array load_rates{1.0, 2.0, 3.0, 4.0};
constexpr std::array store_rates{1.0, 2.0};
constexpr double near = 0.9;  // what is measured of a limit that is really there

/// The evidence that undisturbed samples of a ceiling give.
struct Evidence {
  Ceiling* ceiling = nullptr;
  std::string isa = {};
  double shown = absent;  // FLOP or bytes a clock and core: of the samples the upper quartile; absent where none was undisturbed
};

std::string isa_of(const std::string& method) { return split_flavor(method.substr(0, method.find_first_of(",: "))).isa; }

double cores_of(const Ceiling& ceiling) { return static_cast<double>(ceiling.ranks * ceiling.threads); }

bool is_arithmetic(const Ceiling& c) {
  constexpr std::array patterns{"fma", "add", "mul", "mul+add", "fma+add", "scalar fma", "scalar add", "dot", "amx"};
  return c.is_compute() && std::any_of(patterns.begin(), patterns.end(), [&](const char* pattern) { return c.pattern == pattern; });
}

bool is_sample_of(const CeilingRow& row, const Ceiling& c) {
  if (row.node != c.node || row.pattern != c.pattern || row.precision != c.precision || row.unit != c.unit || row.ranks != c.ranks ||
      row.threads != c.threads || row.level == CeilingKind::choice || row.form != c.samples_form)
    return false;
  return c.is_compute() ? row.level == c.level && name_without_form(row) == c.name : row.working_set_bytes == c.samples_bytes;
}

Evidence evidence_of(Ceiling& ceiling, std::span<const CeilingRow> samples, const std::vector<bool>& quiet) {
  Evidence evidence{.ceiling = &ceiling, .isa = isa_of(ceiling.method)};
  std::vector<double> shown;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const CeilingRow& row = samples[i];
    if (quiet[i] && row.status == Status::ok && is_sample_of(row, ceiling) && isa_of(row.method) == evidence.isa)
      shown.push_back(row.value * 1e9 / (row.clock_hz * cores_of(ceiling)));
  }
  evidence.shown = upper_quartile(shown);  // a clock that was read too low makes a rate too high: not the largest one
  return evidence;
}

std::string number_word(double rate) {
  constexpr std::array words{"one", "two", "three", "four"};
  return rate < 1 ? "half of one" : words[static_cast<std::size_t>(rate) - 1];
}

void set_limit(Ceiling& ceiling, double per_clock, const std::string& why) {
  const double limit = per_clock * ceiling.clock_hz * cores_of(ceiling) * 1e-9;
  if (ceiling.value > most_of_limit * limit) {
    ceiling.limit_reason = "more than the limit that the undisturbed samples tell of (" + why + "): the clock beside the best one is wrong";
    return;
  }
  ceiling.limit = limit;
  ceiling.limit_basis = LimitBasis::inferred;
  ceiling.limit_source = "inferred: " + why;
}

// ------------------------------------------------------------------------------------------------------------------------ arithmetic

/// An instruction: how many operations it does, and how many of it a core may do in a clock.
struct Instruction {
  double operations = absent;
  std::span<const double> rates = vector_rates;
};

Instruction instruction_of(const Ceiling& c, std::string_view isa) {
  constexpr std::string_view scalar = "scalar ", tensor = "tensor.";
  const bool of_tiles = c.precision.starts_with(tensor);
  const std::string precision = of_tiles ? c.precision.substr(tensor.size()) : c.precision;
  const double bytes = static_cast<double>(precision_bytes(precision)), lanes = vector_bytes(isa) / bytes;
  if (of_tiles) return {2 * 16 * 16 * 64 / bytes, possible_tile_rates};
  if (c.pattern == "dot") return {2 * lanes, dot_rates};
  const bool is_scalar = c.pattern.starts_with(scalar);
  const std::string kind = is_scalar ? c.pattern.substr(scalar.size()) : c.pattern;
  return {(is_scalar ? 1 : lanes) * (kind == "fma" ? 2 : kind == "fma+add" ? 1.5 : 1)};
}

/// The pipes that all precisions of a kind of instruction have in common. Dot products and tiles have their own.
std::string pipes_of(const Evidence& e) {
  const bool own = e.ceiling->pattern == "dot" || e.ceiling->precision.starts_with("tensor.");
  return e.ceiling->pattern + (own ? " " + e.isa + " " + e.ceiling->precision : " " + e.isa.substr(0, e.isa.find("fp16")));
}

/// Instructions a clock by precision: the most of any team.
using RatesByForm = std::map<std::string, double>;

RatesByForm rates_of(const std::vector<Evidence*>& members) {
  RatesByForm rates;
  for (const Evidence* e : members) {
    if (!std::isfinite(e->shown)) continue;
    double& most = rates[e->ceiling->precision];
    most = std::max(most, e->shown / instruction_of(*e->ceiling, e->isa).operations);
  }
  return rates;
}

std::string pipe_words(const Ceiling& c, std::string_view isa, double rate) {
  if (c.precision.starts_with("tensor.")) return "a tile product every " + std::to_string(std::lround(1 / rate)) + " clocks";
  const std::string what =
      c.pattern.starts_with("scalar") ? "scalar instruction" : std::to_string(std::lround(8 * vector_bytes(isa))) + "-bit instruction";
  return number_word(rate) + " " + what + (rate > 1 ? "s" : "") + " a clock";
}

/// The finding in words: "30.2 of 32 operations a clock".
std::string shown_words(double shown, double limit, const char* what) {
  return significant(shown, 3) + " of " + significant(limit, 3) + " " + what + " a clock";
}

void infer_arithmetic(const std::vector<Evidence*>& members) {
  const RatesByForm rates = rates_of(members);
  const auto best = std::max_element(rates.begin(), rates.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  for (Evidence* e : members) {
    Ceiling& c = *e->ceiling;
    const Instruction instruction = instruction_of(c, e->isa);
    if (best == rates.end()) {
      c.limit_reason = "no sample was undisturbed, so nothing is inferred";
      continue;
    }
    const Hypothesis all = hypothesis_of(best->second, instruction.rates);
    if (!all.reached) {
      c.limit_reason = best->first + " shows " + significant(best->second, 3) +
                       " instructions a clock, which tells no number of pipes: too few for the next one, or the clock lies";
      continue;
    }
    const auto own = rates.find(c.precision);
    const Hypothesis mine = own == rates.end() ? Hypothesis{} : hypothesis_of(own->second, instruction.rates);
    if (mine.reached && mine.rate != all.rate) {
      c.limit_reason = "undisturbed samples of " + c.precision + " tell of " + number_word(mine.rate) + " instruction a clock, those of " +
                       best->first + " of " + number_word(all.rate);
      continue;
    }
    const double limit = all.rate * instruction.operations;
    const double told = own == rates.end() || !mine.reached ? best->second * instruction.operations : own->second * instruction.operations;
    set_limit(c, limit,
              (mine.reached ? c.precision : best->first) + " shows " + shown_words(told, limit, "operations") + ": " +
                  pipe_words(c, e->isa, all.rate));
  }
}

// -------------------------------------------------------------------------------------------------------------------------------- L1

/// Loads and stores of each pattern in its algorithmic bytes.
struct Mix {
  const char* pattern;
  double loads, stores;
};
constexpr std::array mixes{Mix{"load", 1, 0},   Mix{"store", 0, 1}, Mix{"copy", 1, 1},
                           Mix{"update", 1, 1}, Mix{"triad", 2, 1}, Mix{"loads2store1", 2, 1}};

const Mix* mix_of(const std::string& pattern) {
  const auto* const found = std::find_if(mixes.begin(), mixes.end(), [&](const Mix& mix) { return mix.pattern == pattern; });
  return found == mixes.end() ? nullptr : found;
}

/// The bytes a clock that a core loads (or stores): the widest vectors of those that were measured, as often as is seen.
struct Port {
  double bytes = absent;
  std::string words = {};   // "load shows 120 of 128 bytes a clock: two of 64"
  std::string reason = {};  // why it is not known
};

/// Infers a port. `alone`: the pattern that is bound by this port; `share(mix)` what part of a pattern's bytes goes through it.
template <class Share>
Port port_of(const std::vector<Evidence*>& members, const char* alone, std::span<const double> rates, Share share) {
  const Evidence* best = nullptr;
  double least = 0;  // that the patterns together prove
  for (const Evidence* e : members) {
    if (!std::isfinite(e->shown)) continue;
    least = std::max(least, e->shown * share(*mix_of(e->ceiling->pattern)));
    if (e->ceiling->pattern == alone && (best == nullptr || e->shown > best->shown)) best = e;
  }
  if (best == nullptr) return {.reason = std::string("no undisturbed sample of ") + alone + "s from L1"};
  const double width = vector_bytes(best->isa);
  const Hypothesis found = hypothesis_of(std::max(best->shown, least) / width, rates);
  if (!std::isfinite(found.rate) || best->shown < near * found.rate * width)
    return {.reason = std::string("undisturbed ") + alone + "s show " + significant(best->shown, 3) +
                      " bytes a clock, which tells no number of vectors of " + significant(width, 3) + " bytes"};
  return {.bytes = found.rate * width,
          .words = std::string(alone) + " shows " + shown_words(best->shown, found.rate * width, "bytes") + ": " + number_word(found.rate) +
                   " of " + significant(width, 3) + " bytes"};
}

double share_of(double part, const Mix& mix) { return part / (mix.loads + mix.stores); }

void infer_l1(const std::vector<Evidence*>& members) {
  const Port loads = port_of(members, "load", load_rates, [](const Mix& mix) { return share_of(mix.loads, mix); });
  const Port stores = port_of(members, "store", store_rates, [](const Mix& mix) { return share_of(mix.stores, mix); });
  for (Evidence* e : members) {
    Ceiling& c = *e->ceiling;
    const Mix& mix = *mix_of(c.pattern);
    const Port* const unknown = mix.loads > 0 && !loads.reason.empty()     ? &loads
                                : mix.stores > 0 && !stores.reason.empty() ? &stores
                                                                           : nullptr;
    if (unknown != nullptr) {
      c.limit_reason = unknown->reason;
      continue;
    }
    // The time is that of the busier port, as core_limits.cpp has it.
    const double clocks = std::max(mix.loads > 0 ? mix.loads / loads.bytes : 0, mix.stores > 0 ? mix.stores / stores.bytes : 0);
    set_limit(c, (mix.loads + mix.stores) / clocks,
              mix.stores == 0  ? loads.words
              : mix.loads == 0 ? stores.words
                               : loads.words + "; " + stores.words);
  }
}

}  // namespace

Hypothesis hypothesis_of(double shown, std::span<const double> rates) {
  for (const double rate : rates)
    if (shown <= most_of_limit * rate) return {rate, shown >= near * rate};
  return {};
}

void infer_limits(std::vector<Ceiling>& ceilings, std::span<const CeilingRow> samples, std::span<const NodeFacts> nodes) {
  std::set<std::string> unknown;
  for (const auto& node : nodes)
    if (!is_known_core(node.core)) unknown.insert(node.node);
  if (unknown.empty()) return;
  const std::vector<bool> quiet = undisturbed(samples);
  std::vector<Evidence> evidence;
  for (auto& c : ceilings) {
    if (c.status != Status::ok || c.scope == gpu_scope || !unknown.contains(c.node) || std::isfinite(c.limit)) continue;
    if (is_arithmetic(c) || (c.level == "L1" && c.unit == "GB/s" && mix_of(c.pattern) != nullptr))
      evidence.push_back(evidence_of(c, samples, quiet));
    else
      c.limit_reason = "this CPU is in no vendor's table, and only arithmetic and L1 tell enough to infer a limit";
  }
  std::map<std::pair<std::string, std::string>, std::vector<Evidence*>> groups;  // node and pipes; of L1 one
  for (auto& e : evidence) groups[{e.ceiling->node, e.ceiling->is_compute() ? pipes_of(e) : ""}].push_back(&e);
  for (const auto& [which, members] : groups) which.second.empty() ? infer_l1(members) : infer_arithmetic(members);
}

}  // namespace plumbline
