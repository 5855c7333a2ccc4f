// The rows of a profile in a result file are those of its document, column for key.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "app/terminal/columns.hpp"
#include "core/records.hpp"
#include "model/placement/reuse_distances.hpp"
#include "profile/tool_report.hpp"

namespace plumbline::app {

/// Makes the rows of the table /profile of those of a document plumbline-profile/1. Keys that the table has no column for are left out, and
/// so is a case that is not one of `cases`.
std::vector<ProfileRow> profile_rows(const Json& document_rows, std::span<const CaseRow> cases);

/// The columns of such a row, for programs: those of the table, what is JSON there as JSON.
Columns<ProfileRow> profile_row_columns();

/// The row's distances of reuse with the threads that had them, of one node where a part of `of_all` of the row's work is one's; nothing
/// where none were counted.
std::optional<PartReuse> part_reuse_of(const ProfileRow& row, double of_all);

/// The row's counts by event; empty where it has none, or where they are no counts.
EventSums counts_of(const ProfileRow& row);

/// The bytes that cross a level's boundary towards the core in a row; absent where nobody knows.
double level_bytes(const ProfileRow& row, const std::string& level);

}  // namespace plumbline::app
