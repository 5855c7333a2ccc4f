// The scores of counters are printed as tables for people, within 120 columns.
#pragma once
#include <string>

#include "model/scoring/accuracy.hpp"

namespace plumbline::app {

/// The scores as text, one line a counter and its reason below, by convention; whether the exact witnesses are exact.
std::string score_text(const Accuracy& accuracy);

/// The evidence of the counters of one name, all of it, as text.
std::string evidence_text(const Accuracy& accuracy);

}  // namespace plumbline::app
