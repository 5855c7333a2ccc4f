#include "core/profiler_metric.hpp"

#include <cmath>

namespace plumbline {
namespace {

std::string weight_text(double weight) {
  std::string text = std::to_string(weight);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

}  // namespace

std::string ProfilerMetric::formula() const {
  std::string text;
  for (const auto& term : terms)
    text += (text.empty() ? "" : " + ") + (term.weight == 1 ? "" : weight_text(term.weight) + " x ") + term.event;
  if (terms.size() > 1 && !(times.empty() && over.empty())) text = "(" + text + ")";
  for (const auto& factor : times) text += " x " + factor;
  return over.empty() ? text : text + " / " + over;
}

}  // namespace plumbline
