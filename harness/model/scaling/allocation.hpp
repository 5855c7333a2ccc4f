// An allocation is so many nodes, with as many ranks on each.
#pragma once
#include <cstdint>
#include <string_view>

#include "core/enumerators.hpp"

namespace plumbline {

struct Allocation {
  std::uint64_t nodes = 1, ranks_of_node = 1;
  std::uint64_t ranks() const { return nodes * ranks_of_node; }
};

/// The problem stays as it is and is cut finer, or every rank keeps its share and the problem grows.
enum class Scaling { strong, weak };
constexpr std::string_view to_string(Scaling scaling) { return enumerator_name(scaling); }

}  // namespace plumbline
