// The loops of a function are found in its code as it ran: pieces, and which of them lead where.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "profile/tool_report.hpp"

namespace plumbline {

/// A loop: the pieces that lead back to its head, and only those that are in no loop within it.
struct CodeLoop {
  std::uint64_t head = 0;           // where it begins anew
  std::uint64_t way_back = 0;       // an address in the instruction that goes there, the one that ran most
  std::vector<std::size_t> pieces;  // of those given
};

/// The loops of a function that begins at `entry`, outer ones before those within. They are strongly connected parts of the graph of
/// pieces, and within each, without the ways to its head, again (Bourdoncle 1993), so that it does not matter how the compiler laid the
/// code out. Where a jump leads anywhere (a switch), it is taken to lead to all pieces that nothing else leads to. A loop that only such
/// jumps close, as an interpreter's, is not seen.
std::vector<CodeLoop> loops_of(const std::vector<CodePiece>& pieces, std::uint64_t entry);

}  // namespace plumbline
