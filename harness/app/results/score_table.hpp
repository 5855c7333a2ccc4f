// The scores of counters as tables for people, within 120 columns.
#pragma once
#include <string>

#include "model/scoring/accuracy.hpp"

namespace plumbline::app {

/// One line a counter and its reason below, by convention; whether the exact witnesses are exact.
std::string score_text(const Accuracy& accuracy);

/// All evidence of the counters of one name.
std::string evidence_text(const Accuracy& accuracy);

}  // namespace plumbline::app
