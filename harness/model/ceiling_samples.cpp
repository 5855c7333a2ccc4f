#include "model/ceiling_samples.hpp"

namespace plumbline {

Ceiling described(const CeilingRow& row) {
  return {.name = row.name,
          .precision = row.precision,
          .level = row.level,
          .pattern = row.pattern,
          .ranks = row.ranks,
          .threads = row.threads,
          .node = row.node,
          .unit = row.unit,
          .method = row.method,
          .scope = row.scope == gpu_scope ? row.scope : ""};  // of a CPU's it is that of the best sample (model/ceiling_limits.hpp)
}

void take_spread(Ceiling& ceiling, const Spread& spread) {
  ceiling.n = spread.n;
  ceiling.min = spread.min;
  ceiling.median = spread.median;
  ceiling.max = spread.max;
  ceiling.cv = spread.cv;
}

}  // namespace plumbline
