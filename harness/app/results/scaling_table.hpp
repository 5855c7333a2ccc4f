// Projections onto whole allocations become tables: each application by nodes, where communication takes half, and what was measured.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "app/terminal/columns.hpp"
#include "model/scaling/timed_application.hpp"

namespace plumbline::app {

/// An application on so many nodes.
struct ScalingRow {
  const TimedApplication* of = nullptr;
  Scaling scaling = Scaling::strong;
  ScaledTime told = {};
};

/// An application by one kind of scaling, as a whole.
struct ScalingSummary {
  const TimedApplication* of = nullptr;
  Scaling scaling = Scaling::strong;
  std::optional<std::uint64_t> half_nodes = {};  // where a rank computes less than half of the time; nullopt: nowhere in the range
  std::optional<std::uint64_t> most_nodes = {};  // beyond which the problem cannot be cut; nullopt: no such end
  double calibration = absent;
};

/// A projection from few ranks of a node onto more of them, beside what those took.
struct HeldScaling {
  const TimedApplication *from = nullptr, *to = nullptr;
  Scaling scaling = Scaling::weak;
  ScaledTime told = {};

  double error_percent() const { return 100 * (told.seconds / to->scaled.seconds - 1); }
  /// Whether the interval holds the time that was measured.
  bool is_inside() const { return told.lo <= to->scaled.seconds && to->scaled.seconds <= told.hi; }
  /// Says why this is no fair test; empty where it is one.
  std::string remark() const;
};

const Columns<ScalingRow>& scaling_columns();
const Columns<ScalingSummary>& scaling_summary_columns();
const Columns<HeldScaling>& held_scaling_columns();

}  // namespace plumbline::app
