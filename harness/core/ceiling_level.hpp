// The level of a sample of a ceiling, or of a ceiling.
#pragma once
#include <cstdint>
#include <string>
#include <utility>

namespace plumbline {

enum class CeilingKind : std::uint8_t {
  memory,     // a level of memory: L1, L2, L3, mem; a GPU's shared memory
  compute,    // FLOP/s
  sweep,      // a point of a sweep over working sets, whose level of memory is found when judged
  vector,     // a point of ERT's sweep over FLOPs an element
  choice,     // a contest between loops for the same
  gemm,       // a product of matrices, by size
  occupancy,  // FMAs by resident warps
  sustained,  // FLOP/s of a GPU that keeps at it, for a second or more
  overhead,   // launches of a GPU's work
  host_dev,   // the link between host and GPU, or between GPUs
  mpi,        // messages between ranks
  numa,       // cores of one domain, memory of another
  link        // messages between nodes, the map of all pairs
};

/// A kind, and of memory which level. In files and tables it is one word: "compute", "sweep", ..., or the level's name ("L2", "mem"); a
/// word that is no kind's is a level's name.
class CeilingLevel {
 public:
  CeilingLevel() = default;  // of no name
  CeilingLevel(CeilingKind kind);
  CeilingLevel(std::string word);
  CeilingLevel(const char* word) : CeilingLevel(std::string(word)) {}

  CeilingKind kind() const { return kind_; }
  const std::string& word() const { return word_; }
  operator const std::string&() const { return word_; }

  friend bool operator==(const CeilingLevel& one, const CeilingLevel& other) { return one.word_ == other.word_; }
  friend bool operator==(const CeilingLevel& one, CeilingKind kind) { return one.kind_ == kind; }

 private:
  CeilingKind kind_ = CeilingKind::memory;
  std::string word_;
};

}  // namespace plumbline
