// The report on like nodes that were held against each other, with the evidence: at the end of a run, and by `plumbline nodes`.
#pragma once
#include <string>
#include <vector>

#include "app/nodes/node_judgement.hpp"
#include "app/terminal/table.hpp"
#include "core/error.hpp"

namespace plumbline::app {

/// 4: a wrong result, 3: a node is named, else 0.
Exit exit_of(const NodeReport& report);

/// The nodes that are slower, one line each, as an error tells it.
std::vector<std::string> slower_nodes(const NodeReport& report);
/// The wrong results, one line each.
std::vector<std::string> wrong_on_nodes(const NodeReport& report);
/// The lines that a run says of its nodes at the end; each finding with its evidence.
std::vector<std::string> summary_lines(const NodeReport& report);

std::string nodes_text(const NodeReport& report);
Json nodes_json_rows(const NodeReport& report);
std::string nodes_document(const NodeReport& report);
/// The JSON Schema of that document.
Json nodes_schema();
std::string nodes_markdown(const NodeReport& report);

}  // namespace plumbline::app
