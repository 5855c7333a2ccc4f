// Projections become tables: a program's parts and its whole on each target, by each method that was asked for.
#pragma once
#include <string>
#include <vector>

#include "app/terminal/columns.hpp"
#include "model/projecting/projected_program.hpp"

namespace plumbline::app {

/// A program on a target by one method.
struct ToldProjection {
  Projection plain = {};  // by equations (5) to (7), with the groups, whose times are the method's
  ProgramProjection told = {};

  double speedup() const { return plain.seconds_before / told.seconds; }
  double error_percent() const { return 100 * (told.seconds / plain.measured_seconds - 1); }
};

/// One target: the table by equations (5) to (7), and what each method that was asked for says of the whole.
struct TargetProjections {
  Projection plain = {};
  std::vector<ToldProjection> told = {};
};

Columns<ToldProjection> projection_columns();

/// The rows for CSV: a line a group, then the whole.
Json flat_rows(const std::vector<ToldProjection>& projections);

std::string projection_text(const TargetProjections& target);
std::string projection_markdown(const TargetProjections& target);

/// A sentence on the time that no group covers.
std::string rest_in_words(const Projection& p);

}  // namespace plumbline::app
