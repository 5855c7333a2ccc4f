// The record of projections whose truth became known, as a file: plumbline-record/2, JSON with a row on each line.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "app/terminal/table.hpp"
#include "model/projecting/projection_record.hpp"

namespace plumbline::app {

struct ProjectionRecord {
  Overlaps overlaps = {};  // fitted on all its pairs, by kind
  std::vector<RecordRow> rows = {};
};

/// Reads a record; one that is not there yet is empty where `may_be_new`. Throws Error (user) where the file is none.
ProjectionRecord read_record(const std::filesystem::path& path, bool may_be_new);

/// Adds the rows; one of the same part between the same sides takes the place of an older one.
void extend(ProjectionRecord& record, const std::vector<RecordRow>& rows);

/// Writes it whole in place of what was there. Throws Error (I/O).
void write_record(const std::filesystem::path& path, const ProjectionRecord& record);

/// The record that comes with plumbline; empty where none lies beside it.
ProjectionRecord shared_record();

Json record_schema();

}  // namespace plumbline::app
