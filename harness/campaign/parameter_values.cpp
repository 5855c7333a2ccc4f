#include "campaign/parameter_values.hpp"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "campaign/campaign_keys.hpp"

namespace plumbline {
namespace {

constexpr std::size_t most_values = 100'000;

std::vector<std::int64_t> by_step(std::int64_t from, std::int64_t to, std::int64_t step) {
  std::vector<std::int64_t> values;
  for (std::int64_t value = from; value <= to && values.size() <= most_values; value += step) {
    values.push_back(value);
    if (value > to - step) break;  // the next would pass the end, or overflow
  }
  return values;
}

// Each value from the first, not from the one before: rounding does not add up.
std::vector<std::int64_t> by_factor(std::int64_t from, std::int64_t to, double factor) {
  std::vector<std::int64_t> values;
  for (int power = 0; values.size() <= most_values; ++power) {
    const double value = std::round(static_cast<double>(from) * std::pow(factor, power));
    if (value > static_cast<double>(to) || value >= 0x1p62) break;
    const auto integer = static_cast<std::int64_t>(value);
    if (values.empty() || values.back() != integer) values.push_back(integer);
  }
  return values;
}

double factor_of(const WrittenTable& range) {
  const auto factor = range.positive("factor");
  if (factor->value < 1.01)
    range.fail(factor->at, fmt::format("'factor' in {} is {}, but must be at least 1.01", range.title(), factor->value));
  return factor->value;
}

std::vector<std::int64_t> range_values(const WrittenTable& range) {
  range.allow_only(range_keys.names());
  const bool geometric = range.has("factor");
  if (geometric && range.has("step"))
    range.fail(range.at("factor"), fmt::format("{} has both 'step' and 'factor': use one", range.title()));
  constexpr std::int64_t limit = std::int64_t{1} << 62;
  const auto from = range.integer("from", geometric ? 1 : -limit, limit), to = range.integer("to", -limit, limit);
  if (!from || !to) range.fail(range.at(), fmt::format("{} needs 'from' and 'to' (and 'step' or 'factor')", range.title()));
  std::vector<std::int64_t> values;
  if (geometric) {
    values = by_factor(from->value, to->value, factor_of(range));
  } else {
    const auto step = range.integer("step", 1, limit);
    values = by_step(from->value, to->value, step ? step->value : 1);
  }
  if (values.empty())
    range.fail(range.at(), fmt::format("the sweep is empty: {} goes from {} to {}", range.title(), from->value, to->value));
  if (values.size() > most_values) range.fail(range.at(), fmt::format("{} has more than {} values", range.title(), most_values));
  return values;
}

class Values {
 public:
  Values(const WrittenTable& params, const std::string& name) : params_(params), name_(name) {}

  void add(const toml::node& node, bool in_list = false) {
    const auto at = location_of(node.source());
    if (node.is_integer()) {
      keep(node.as_integer()->get(), at);
    } else if (node.is_string()) {
      keep(node.as_string()->get(), at);
    } else if (node.is_table()) {
      for (const auto value : range_values(WrittenTable(*node.as_table(), params_.path(), fmt::format("the range of '{}'", name_))))
        keep(value, at);
    } else if (node.is_array() && !in_list) {
      for (const auto& element : *node.as_array()) add(element, true);
    } else {
      params_.fail_type(name_, node, "an integer, a word, a range {from=, to=, step= or factor=} or a list of these");
    }
  }
  std::vector<Written<Value>> take() && { return std::move(all_); }

 private:
  void keep(Value value, Location at) {
    if (known_.insert(value).second) all_.push_back({std::move(value), at});
  }
  const WrittenTable& params_;
  const std::string& name_;
  std::vector<Written<Value>> all_;
  std::set<Value> known_;
};

}  // namespace

std::vector<Written<Value>> parameter_values(const WrittenTable& params, const std::string& name) {
  Values values(params, name);
  values.add(*params.node(name));
  auto all = std::move(values).take();
  if (all.empty()) params.fail(params.at(name), fmt::format("the sweep is empty: '{}' in {} is an empty list", name, params.title()));
  return all;
}

}  // namespace plumbline
