// The class of a row is a word in files and tables that says what the row is of: "compute", "mem". Some kinds of rows are judged unlike
// others.
#pragma once
#include <string_view>

namespace plumbline {

inline constexpr const char* node_class = "node";
inline constexpr const char* part_class = "part";
inline constexpr const char* link_latency_class = "link latency";
inline constexpr const char* link_bandwidth_class = "link bandwidth";

/// The kind of a row: of one case or ceiling on a node; of a link, which is of no node alone; or of the middle one of many rows, be they
/// all of a node or those that share a word.
enum class RowKind { single, link, node, part };

constexpr RowKind kind_of(std::string_view row_class) {
  if (row_class == node_class) return RowKind::node;
  if (row_class == part_class) return RowKind::part;
  return row_class.starts_with("link ") ? RowKind::link : RowKind::single;
}

constexpr bool is_of_many(RowKind kind) { return kind == RowKind::node || kind == RowKind::part; }

}  // namespace plumbline
