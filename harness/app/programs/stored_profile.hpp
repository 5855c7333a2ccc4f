// The profile that a result file holds, as it was shown when the program had run.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/programs/placed_table.hpp"
#include "app/terminal/columns.hpp"
#include "core/records.hpp"

namespace plumbline::app {

/// The provenance of a result file with a profile.
std::string provenance_of(const ProfileWords& words);

/// Writes a result file with a profile: the rows of its document become the table /profile. Throws Error (I/O).
void write_profile(const std::string& file, Results results, const Json& rows, const ProfileWords& words);

/// A profile with the places that its rows borrow.
struct StoredProfile {
  ShownProfile shown = {};
  std::vector<ProfileRow> rows = {};
  std::vector<RooflinePlacement> places = {};  // of the rows, in their order
};

/// The profile of the file; null where it has none. A row whose case is among `placements` lies there, any other where the row says. Throws
/// Error (user) where the provenance does not say what ran.
std::unique_ptr<StoredProfile> stored_profile(const std::string& file, const Results& results,
                                              const std::vector<RooflinePlacement>& placements);

/// The columns of a profile beside other rows: its command, caches, rows and notes.
Columns<StoredProfile> stored_profile_columns();

}  // namespace plumbline::app
