#include "counters/papi/sde_export.hpp"

#include <sde_lib.h>

#include <deque>

#include "counters/emulated/emulated.hpp"

namespace plumbline {
namespace {

struct Exported {
  papi_handle_t library = papi_sde_init("plumbline");
  std::vector<EventDescription> events;
  std::deque<std::function<long long()>> values;  // libsde keeps their addresses
  std::vector<std::uint64_t> totals;
};

Exported& exported() {
  static Exported all;
  return all;
}

long long value_of(void* function) { return (*static_cast<std::function<long long()>*>(function))(); }

}  // namespace

void sde_counter(const std::string& name, const std::string& description, std::function<long long()> value) {
  Exported& all = exported();
  for (const auto& event : all.events)
    if (event.name == std::string(sde_prefix) + name) return;
  all.values.push_back(std::move(value));
  papi_sde_register_counter_cb(all.library, name.c_str(), PAPI_SDE_RO | PAPI_SDE_DELTA, PAPI_SDE_long_long, value_of, &all.values.back());
  papi_sde_describe_counter(all.library, name.c_str(), description.c_str());
  all.events.push_back({std::string(sde_prefix) + name, "counts", description});
}

void export_emulated_counters() {
  static const bool once = [] {
    std::size_t place = 0;
    for (const auto& event : emulated_events()) {
      sde_counter(event.name, event.description, [place] { return emulated_total(place); });
      exported().events.back().unit = event.unit;
      ++place;
    }
    return true;
  }();
  static_cast<void>(once);
}

const std::vector<EventDescription>& sde_counters() { return exported().events; }

void show_emulated_totals(const std::vector<std::uint64_t>& totals) { exported().totals = totals; }

long long emulated_total(std::size_t place) {
  const auto& totals = exported().totals;
  return place < totals.size() ? static_cast<long long>(totals[place]) : 0;
}

}  // namespace plumbline
