// Ranks and nodes form a session with MPI (or one process without it), with collectives that let the cores rest.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "comm/ending.hpp"
#include "core/peers.hpp"

namespace plumbline {

/// Ranks that talk to each other. Every collective is called by all of them, in the same order.
/// Waiting is patient (polls with growing sleeps up to 1 ms), so that ranks that wait leave the cores to those that work.
class Group {
 public:
  struct Handle;  // MPI_Comm, or nothing
  Group();        // no ranks
  explicit Group(std::unique_ptr<Handle> handle);
  Group(Group&&) noexcept;
  Group& operator=(Group&&) noexcept;
  ~Group();

  /// Whether this rank belongs to the group. Collectives of a group without this rank must not be called.
  bool member() const { return rank_ >= 0; }
  int rank() const { return rank_; }
  int size() const { return size_; }

  /// Returns as soon as all ranks have come; polls without sleeping (yields the core): for the start of a timed region.
  void barrier();
  /// Returns once all ranks have come; waits patiently.
  void wait_for_all();
  double max(double value);
  double min(double value);
  double sum(double value);
  /// Whether any rank says true.
  bool any(bool value);
  /// Gives the root's text on every rank.
  std::string broadcast(std::string text, int root = 0);
  /// Gives every rank's text in rank order at the root, nothing elsewhere. Texts may have any size.
  std::vector<std::string> gather(const std::string& text, int root = 0);
  /// Peers::exchange and add_up among these ranks. Polls without sleeping, as in barrier().
  void shift(std::span<const Peers::Message> messages);
  void add_up(std::span<double> values);

  const Handle& handle() const { return *handle_; }

 private:
  std::unique_ptr<Handle> handle_;
  int rank_ = -1, size_ = 0;
};

/// The session of this process: one at a time, opened after signal handlers are installed, ended by its destructor.
class Communicator {
 public:
  /// Throws Error (user) when the launcher started N processes that do not see each other.
  Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  ~Communicator();

  Group& world() { return world_; }
  /// The ranks of this node; its rank 0 is the node's leader.
  Group& local() { return local_; }
  /// The leaders of all nodes, in the order of node(); without this rank unless it leads.
  Group& leaders() { return leaders_; }
  /// The first `ranks` ranks of this node. Collective over local() at the first call for each number. At most local().size().
  Group& team(int ranks);

  /// This rank's number in the world, and how many ranks there are.
  int rank() const { return world_.rank(); }
  int size() const { return world_.size(); }
  /// The index of this rank's node; nodes are counted by their lowest rank, and nodes() is their number.
  int node() const { return node_; }
  int nodes() const { return nodes_; }
  const std::string& host() const { return host_; }

  /// Ends a run with its last collective: the worst code of all ranks, and their messages at rank 0. A rank whose work failed gives the
  /// others `patience_seconds` to come (negative: for ever); nullopt when they did not, because they wait for it elsewhere: then it prints
  /// its own message and calls abort().
  std::optional<Ending> end(Exit mine, const std::string& message, double patience_seconds = -1);
  /// Ends every rank at once.
  [[noreturn]] void abort(Exit code);

  /// The first line of the library's own version, e.g. "MPICH Version: 4.0.2"; "none (built without MPI)".
  static std::string library_version();
  /// The whole text in which the library describes itself, with its device and how it was built.
  static std::string library_description();
  static bool has_mpi();

 private:
  struct Session;  // initialized first, finalized last
  std::unique_ptr<Session> session_;
  Group world_, last_words_, local_, leaders_;
  std::map<int, Group> teams_;
  int node_ = 0, nodes_ = 1;
  std::string host_;
};

}  // namespace plumbline
