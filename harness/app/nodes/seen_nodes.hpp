// A run sees its nodes, as far as judging them takes it: of each thing measured its samples as numbers, not as rows.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "app/nights/observed_file.hpp"
#include "app/terminal/table.hpp"
#include "store/run_files.hpp"

namespace plumbline::app {

/// The conditions of a node while it measured again: numbers by name, or why they are not known (machine/conditions.hpp); for its GPUs
/// "gpu1_temperature_celsius" and so on (machine/gpu_conditions.hpp), and as "gpu1" which one that is.
using SeenConditions = std::map<std::string, Json>;

/// The reason why a round of a GPU's ceilings failed, by node and device.
using FailedGpus = std::map<std::string, std::map<int, std::string>>;

struct SeenNodes {
  std::string cluster = {};  // empty: unknown
  Side side = {};
  std::vector<WrongResult> wrong = {};
  std::map<std::string, std::vector<std::string>> right = {};  // [ceiling]: nodes on which a sample of it was right
  std::vector<RemeasuredRow> remeasured = {};
  std::map<std::string, SeenConditions> conditions = {};  // [node]
  FailedGpus failed_gpus = {};
  std::vector<std::string> notes = {};

  void add(const Results& results);
};

/// The nodes of a run that may still go on: from its result file, else its journals, of which the rows of one node at a time are in memory.
SeenNodes seen_in_run(const RunFiles& files);

}  // namespace plumbline::app
