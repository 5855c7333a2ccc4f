// Distances of reuse are JSON in documents and result files.
#pragma once
#include <optional>
#include <string>

#include "app/terminal/columns.hpp"
#include "model/placement/reuse_distances.hpp"

namespace plumbline::app {

/// An object of `line_bytes`, `buckets` (rows of the least distance, the one behind the largest, lines read, written, written back from and
/// to: ReuseBucket; null, null for what was never used before) and `crowding` by the number of sets. Null where there are none.
Json reuse_json(const std::optional<ReuseDistances>& distances);
Json reuse_schema();

/// The distances in such a text; nothing where it is no such object, or one without lines.
std::optional<ReuseDistances> reuse_in(const std::string& text);

}  // namespace plumbline::app
