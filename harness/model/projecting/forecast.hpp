// All methods tell of a pair, with 90 % intervals, and have learned from other pairs alone.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "model/projecting/projection_record.hpp"

namespace plumbline {

struct Forecast {
  ByMethod seconds = {absent, absent, absent, absent, absent};
  ByMethod lo = seconds, hi = seconds;  // absent where the record is too short
  std::string learned_from = {};        // the class of the record that intervals are of
  std::size_t pairs = 0;                // in it
};

/// Whether a known pair may be learned from when one is judged; where it may not, its part is left out wholly.
using MayLearn = std::function<bool(const std::string& kernel, const std::string& from_machine, const std::string& to_machine)>;

/// The record of pairs whose truth is known: each method's error, the fitted ones' with the pair's own kernel left out.
std::vector<RecordRow> record_of(std::span<const ProjectedPair> known, const MayLearn& may_learn);

/// A pair is told by overlaps and a record that do not know it.
Forecast forecast(const ProjectedPair& pair, const Overlaps& overlaps, std::span<const RecordRow> record, const MayUse& may_use);

/// The part of the record that is left out for a pair: its kernel, or a machine that it is on.
enum class HeldOut { kernel, machine };

/// Every pair is told by what the others say, those with its kernel (or with its target's machine) left out of everything that is fitted.
/// `before_each` is called before each of them, and may throw to end it.
std::vector<Forecast> held_out_forecasts(std::span<const ProjectedPair> pairs, HeldOut left_out,
                                         const std::function<void()>& before_each = {});

}  // namespace plumbline
