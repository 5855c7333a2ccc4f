// The record of projections onto more ranks than an application was timed on: how they erred where the truth became known. It is apart from
// that of cases, and intervals of scaling come from it.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "model/projecting/projection_record.hpp"
#include "model/scaling/scaled_application.hpp"

namespace plumbline {

/// A projection from some ranks onto more of them.
struct RanksPair {
  std::string from = {}, to = {};                  // cases, with what tells their runs apart
  std::string from_machine = {}, to_machine = {};  // CPU models
  std::string kernel = {};
  Scaling scaling = Scaling::weak;
};

/// The row of a pair whose truth is known. The scaling model tells computing by the method `overlap`, under which its error stands.
RecordRow row_of(const RanksPair& pair, const ScaledTime& told, double true_seconds);

/// Takes the interval of a projection onto as many ranks as are in the record's pairs from there: seconds times and over the conformal
/// quantile of how others erred, the application itself left out. Where the record has too few of them it stays as the model has it.
void take_interval(ScaledTime& told, const RanksPair& pair, std::span<const RecordRow> record);

/// Opens the interval of a projection onto more ranks than the record's pairs have at least as far as theirs.
void open_interval(ScaledTime& told, const RanksPair& pair, std::span<const RecordRow> record);

}  // namespace plumbline
