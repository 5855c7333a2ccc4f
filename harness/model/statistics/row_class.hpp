// The class of a row is a word in files and tables that says what the row is of: "compute", "mem".
#pragma once
#include <string_view>

namespace plumbline {

inline constexpr const char* node_class = "node";
inline constexpr const char* part_class = "part";
inline constexpr const char* link_latency_class = "link latency";
inline constexpr const char* link_bandwidth_class = "link bandwidth";

/// The kind of a row: rows of some kinds are judged unlike others.
enum class RowKind {
  single,  // of one case or ceiling on a node
  link,    // of a link between two nodes, which is of no node alone
  node,    // of the middle one of all rows of a node
  part,    // of the middle one of the rows that share a word: a kernel, a compiler
};

constexpr RowKind row_kind_of(std::string_view row_class) {
  if (row_class == node_class) return RowKind::node;
  if (row_class == part_class) return RowKind::part;
  return row_class == link_latency_class || row_class == link_bandwidth_class ? RowKind::link : RowKind::single;
}

constexpr bool is_of_many(RowKind kind) { return kind == RowKind::node || kind == RowKind::part; }

}  // namespace plumbline
