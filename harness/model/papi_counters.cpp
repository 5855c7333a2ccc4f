// What PAPI's events claim to see, as data.
#include <array>
#include <set>

#include "model/accuracy.hpp"

namespace plumbline {
namespace {

struct Claim {
  const char *event, *precisions;
};

// PAPI's own descriptions (papiStdEventDefs.h). Presets of instructions claim nothing here: one may do several operations.
constexpr std::array claims{Claim{"PAPI_DP_OPS", "fp64"}, Claim{"PAPI_SP_OPS", "fp32"}, Claim{"PAPI_FP_OPS", "fp64 fp32"}};

constexpr const char* sde_prefix = "sde:::plumbline::";

/// The software-defined event of an emulated one claims what that claims; it is no witness of this harness's own.
Counter through_papi(Counter counter) {
  counter.name = counter.name.starts_with("emulated.") ? "papi.sde." + counter.name.substr(9) : "papi.sde " + counter.name;
  counter.backend = "papi";
  for (auto& term : counter.terms) term.event = sde_prefix + term.event;
  counter.exact = false;
  return counter;
}

std::vector<Counter> all_of_papi() {
  std::vector<Counter> all;
  for (const auto& [event, precisions] : claims) {
    Counter counter{.name = event, .backend = "papi", .terms = {{event, 1}}, .quantities = {}, .kind = Kind::flops};
    for (const char* precision : {"fp64", "fp32"})
      if (std::string_view(precisions).find(precision) != std::string_view::npos)
        counter.quantities.push_back(std::string("flops.") + precision);
    all.push_back(std::move(counter));
  }
  for (const auto& counter : known_counters()) all.push_back(through_papi(counter));
  return all;
}

}  // namespace

std::vector<Counter> counters_in(const Measurements& measurements) {
  const auto counted = events_counted(measurements, "papi");
  std::vector<Counter> all(known_counters().begin(), known_counters().end());
  for (auto& counter : all_of_papi()) {
    bool whole = true;
    for (const auto& term : counter.terms) whole = whole && counted.contains(term.event);
    if (whole) all.push_back(std::move(counter));
  }
  return all;
}

}  // namespace plumbline
