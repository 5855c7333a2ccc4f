#include "model/comparing/checked_series.hpp"

#include <cmath>

namespace plumbline {

double log_cost(double value, const std::string& unit) { return less_is_better(unit) ? std::log(value) : -std::log(value); }
double value_of(double log_cost, const std::string& unit) { return std::exp(less_is_better(unit) ? log_cost : -log_cost); }

}  // namespace plumbline
