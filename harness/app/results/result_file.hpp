// The judging commands see a result file like this: loaded, its machines read, and the cases that the user asked for.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "app/terminal/table.hpp"
#include "core/counter_set.hpp"
#include "core/records.hpp"
#include "model/ceilings/ceilings.hpp"

namespace plumbline::app {

struct Selection {
  std::string file;
  std::string kernel;  // glob over kernel names and case ids; empty: all
  std::string node;    // empty: all
  Format format = Format::text;
};

/// The rows of the selected cases and nodes; that the file is not whole is said on standard error. Throws Error (user) when the selection
/// matches nothing.
Results load_selected(const Selection& selection);

/// Says that the file's journal is still beside it, so that the file is not whole, and what to do; empty where it is.
std::string unfinished_note(const std::string& file);

/// The facts of the machine documents; a node whose document is missing or unreadable is left out and named in `notes`.
std::vector<NodeFacts> node_facts(const Results& results, std::vector<std::string>& notes);

/// The counters to place cases by: of the set file that the user names, else of the set that the run counted with; none where there is
/// neither. Throws Error (user) where the file is no set.
std::optional<CounterSet> chosen_counters(const Results& results, const std::string& set_file);

/// The notes as lines under a table, each once.
std::string note_lines(const std::vector<std::string>& notes);

}  // namespace plumbline::app
