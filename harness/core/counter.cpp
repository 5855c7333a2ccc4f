#include "core/counter.hpp"

#include "core/enumerators.hpp"

namespace plumbline {

std::string_view to_string(Convention convention) { return enumerator_name(convention); }

bool is_fma_mix_kind(std::string_view kind) { return kind == "add" || kind == "mul" || kind == "fma"; }

std::vector<std::string> events_of(const Counter& counter) {
  std::vector<std::string> events;
  for (const auto& term : counter.terms) events.push_back(term.event);
  if (!counter.over.empty()) events.push_back(counter.over);
  return events;
}

std::string Counter::claim() const {
  std::string text = quantities.empty() ? "" : quantities.front();
  for (std::size_t i = 1; i < quantities.size(); ++i) text += " + " + quantities[i].substr(quantities[i].rfind('.') + 1);
  return text;
}

}  // namespace plumbline
