// Table I of Kwack et al. 2018 shows what the loop of the Empirical Roofline Toolkit reaches as each compiler makes it (kernel
// ert/compiled), by kind of arithmetic and precision, beside the ceilings that kernels in forced instructions find (ert/peak, ert/stream).
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "model/ceilings/ceilings.hpp"

namespace plumbline {

/// A rate of ERT's loop, where it was reached, and the ceiling it is held against.
struct ErtRate {
  double value = absent;              // the best sample, GFLOP/s or GB/s
  std::int64_t k = 0;                 // FLOPs an element
  double working_set_bytes = absent;  // of the team
  double ceiling = absent;            // in the same unit
  std::string ceiling_name = {};
  Status status = Status::unavailable;
  std::string reason = {};

  /// The rate in percent of the ceiling; absent where either is.
  double percent() const { return 100 * value / ceiling; }
};

struct ErtRow {
  std::string kind = {};       // "vector FMA", "vector add", "scalar FMA", "scalar add"
  std::string precision = {};  // fp64, fp32
  std::string flavor = {};
  bool is_max = false;  // the best of the kind's flavors, column by column
  std::string node = {};
  std::int64_t ranks = 1, threads = 1;
  ErtRate flops = {};  // GFLOP/s
  std::vector<std::pair<std::string, ErtRate>> levels =
      {};  // L1, L2, ..., mem -> GB/s in bytes as ERT has them: a load and a store of each element
};

/// The working sets of a team, in bytes, that lie in one level of memory and in no other: above `above`, up to `up_to`.
struct LevelRange {
  std::string name = {};
  double above = 0, up_to = 0;
};

/// The ranges of levels, from how far each was found to reach in the loads of one array by that team. A working set up to twice a cache's
/// size is partly still in it, up to three times for the last one. Empty when no level was found.
std::vector<LevelRange> level_ranges(std::span<const Ceiling> ceilings, const std::string& node, std::int64_t ranks, std::int64_t threads);

/// A case of ERT's loop on one node.
struct ErtSample {
  std::string kind = {}, precision = {}, flavor = {}, node = {};
  std::int64_t ranks = 1, threads = 1;
  std::int64_t k = 0;
  double working_set_bytes = absent;     // of the team
  double gflops = absent, gbs = absent;  // of the fastest repetition
  Status status = Status::ok;
  std::string reason = {};
};

/// The cases of kernel ert/compiled, in the order of the file.
std::vector<ErtSample> ert_samples(const Results& results);

/// Makes one row of a table from samples of one kind, precision, flavor, node and team. Bandwidth is taken by its smallest k: with more
/// FLOPs an element the arithmetic is in the way. That of memory is taken by the largest working set: of any other more is still in a
/// cache.
ErtRow ert_row(std::span<const ErtSample> samples, std::span<const LevelRange> levels, std::span<const Ceiling> ceilings);

/// The row of the best of each column; a column that no row has is absent with the first one's reason.
ErtRow ert_max(std::span<const ErtRow> rows);

/// Makes the whole table by node and team; in it by kind and precision, the paper's order, each with a row of maxima at its end.
std::vector<ErtRow> ert_table(const Results& results, std::span<const Ceiling> ceilings);

}  // namespace plumbline
