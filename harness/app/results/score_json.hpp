// A counter's score is written as JSON, every number beside a reason where it is missing.
#pragma once
#include "app/terminal/table.hpp"
#include "model/scoring/accuracy.hpp"
#include "model/scoring/derived_intensity.hpp"
#include "model/scoring/score_groups.hpp"
#include "model/statistics/time_agreement.hpp"

namespace plumbline::app {

Json row_json(const CaseScore& row);
Json counter_json(const CounterScore& score);
Json agreement_json(const TimeAgreement& agreement);
Json group_json(const GroupScore& score);
Json intensity_json(const IntensityScore& score);
Json intensity_json(const IntensitySummary& summary);

}  // namespace plumbline::app
