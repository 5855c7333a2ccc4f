// The nodes of a result file are shown as their machine documents describe them, and in what like nodes differ.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "app/terminal/columns.hpp"
#include "core/records.hpp"

namespace plumbline::app {

/// Lines for notes: "like nodes differ in system microcode: 0x2 on n7; 0x3 on the 30 others". At most `most`, then how many there are.
std::vector<std::string> difference_notes(std::span<const MachineRow> machines, std::size_t most);

/// Each node's document, as it is stored.
Json machine_rows(std::span<const MachineRow> machines);
/// The schema of such a document. It may say more: the program that measured wrote it.
Json machine_schema();

/// The nodes of a file, and what the file says of the program and the job.
struct ShownMachines {
  std::span<const MachineRow> machines;
  Json provenance;
};
/// The columns of what stands in JSON beside the nodes' documents.
Columns<ShownMachines> beside_machines_columns();
/// A node of each kind with all its facts, what it does not know with why, and the differences.
std::string machine_text(std::span<const MachineRow> machines);

/// Program, build, command and job of the provenance, a fact a line: what the nodes' documents do not say.
std::string provenance_text(const Json& provenance);

}  // namespace plumbline::app
