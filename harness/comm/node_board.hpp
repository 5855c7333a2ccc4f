// All ranks of a node see this memory, in which they can still tell each other something when MPI makes no progress.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>

#include "comm/communicator.hpp"

namespace plumbline {

/// The answer of a rank that is called: it works, or it waits.
enum class Answer : std::int32_t { none, works, waits };

class NodeBoard {
 public:
  /// Makes the board; collective over the ranks of a node. Throws Error (io) where the system gives no shared memory.
  NodeBoard(Group& local, int world_rank);
  NodeBoard(const NodeBoard&) = delete;
  NodeBoard& operator=(const NodeBoard&) = delete;
  ~NodeBoard();

  /// The number of ranks on this node, and the place of this one among them.
  int size() const { return size_; }
  int mine() const { return mine_; }
  /// The process of the rank with that number on this node.
  int process(int rank) const;
  int world_rank(int rank) const;
  Answer answer(int rank) const;
  void give(Answer answer);

  /// Calls all others to answer, and wakes them; true for the first rank that does.
  bool call();
  bool called() const;
  /// Tells, as the caller, that what it found is written down; wakes all.
  void tell_written();
  bool written() const;

  /// A number that changes with every knock at this rank's door.
  std::uint32_t knocks() const;
  void knock(int rank);
  /// Returns when somebody knocks, at once where knocks() is no longer `seen`, or after `seconds`. It may also return without a reason.
  void sleep(std::uint32_t seen, double seconds) const;

 private:
  struct Slot;
  struct Shared;
  Slot& slot(int rank) const;
  void knock_everywhere();

  int size_, mine_;
  Shared* shared_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace plumbline
