#include "model/cases/columns.hpp"

#include <algorithm>

#include "core/twin.hpp"

namespace plumbline {
namespace {

std::string key(const std::string& backend, const std::string& event) { return backend + '\n' + event; }

/// The column of a quantity of the model.
std::string column_of(const std::string& quantity, bool on_gpu) {
  if (quantity.starts_with(executed_prefix)) return quantity.substr(executed_prefix.size());
  return quantity.starts_with("bytes.reg-L1") && !on_gpu ? "written." + quantity : quantity;
}

bool ran_on_gpu(const Measured& measured) { return measured.of != nullptr && measured.of->gpus > 0; }

}  // namespace

Columns::Columns(const Measurements& measurements, std::span<const Bounds> seconds) : cases_(measurements.cases.size()) {
  for (const auto& measured : measurements.cases) {
    for (const auto& [backend, events] : measured.counts)
      for (const auto& [event, count] : events) events_.try_emplace(key(backend, event), events_.size());
    if (measured.model == nullptr) continue;
    for (const auto& [quantity, bounds] : *measured.model)
      quantities_.try_emplace(column_of(quantity, ran_on_gpu(measured)), quantities_.size());
  }
  if (!seconds.empty()) quantities_.try_emplace("seconds", quantities_.size());
  counts_.resize(cases_ * events_.size(), nullptr);
  bounds_.resize(cases_ * quantities_.size());
  for (std::size_t at = 0; at < cases_; ++at) {
    const Measured& measured = measurements.cases[at];
    on_gpu_.push_back(ran_on_gpu(measured));
    for (const auto& [backend, events] : measured.counts)
      for (const auto& [event, count] : events) counts_[at * events_.size() + events_.at(key(backend, event))] = &count;
    if (!seconds.empty()) bounds_[at * quantities_.size() + quantities_.at("seconds")] = seconds[at];
    if (measured.model == nullptr) continue;
    for (const auto& [quantity, bounds] : *measured.model)
      bounds_[at * quantities_.size() + quantities_.at(column_of(quantity, on_gpu_.back()))] = bounds;
  }
}

std::size_t Columns::event(const std::string& backend, const std::string& name) const {
  const auto found = events_.find(key(backend, name));
  return found == events_.end() ? none : found->second;
}

std::size_t Columns::quantity(const std::string& name) const {
  const auto found = quantities_.find(name);
  return found == quantities_.end() ? none : found->second;
}

std::vector<std::string> Columns::quantities_below(const std::string& prefix) const {
  std::vector<std::string> names;
  for (const auto& [name, number] : quantities_)
    if (name.starts_with(prefix)) names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace plumbline
