// What a run saw of its nodes, as far as judging them takes it: of each thing measured its samples as numbers, not as rows.
#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "app/observed_file.hpp"
#include "app/table.hpp"

namespace plumbline::app {

/// What was seen of a node while it measured again: numbers by name, or why they are not known (machine/conditions.hpp).
using SeenConditions = std::map<std::string, Json>;

struct SeenNodes {
  Side side = {};
  std::vector<WrongResult> wrong = {};
  std::map<std::string, std::vector<std::string>> right = {};  // [ceiling]: nodes on which a sample of it was right
  std::vector<RemeasuredRow> remeasured = {};
  std::map<std::string, SeenConditions> conditions = {};  // [node]
  std::vector<std::string> notes = {};

  void add(const Results& results);
};

/// Of a run that may still go on: its result file, else its journals, of which the rows of one node at a time are in memory.
SeenNodes seen_in_run(const std::filesystem::path& store);

}  // namespace plumbline::app
