// The threads of one rank are opened here and nowhere else: one OpenMP runtime for all compilers' flavors.
#pragma once
#include <cstddef>
#include <functional>
#include <utility>

namespace plumbline {

/// The contiguous part [first, second) of an index range that thread `thread` of `threads` sweeps; parts begin at multiples of `grain`.
std::pair<std::size_t, std::size_t> part_of(std::size_t extent, std::size_t grain, int thread, int threads);

/// The threads of one rank.
class ThreadTeam {
 public:
  /// Opens `threads` threads; `begin_thread` runs once in each (binding). Throws std::runtime_error when the runtime gives fewer.
  explicit ThreadTeam(int threads, const std::function<void(int thread)>& begin_thread = {});

  int size() const { return threads_; }
  /// Runs `body(thread)` in every thread; returns when all have. Of a team of several none may throw.
  void run(const std::function<void(int thread)>& body) const;
  /// Runs `body(thread)` in every thread; returns when all have, and throws what one of them threw. A body whose threads meet at barrier()
  /// must not throw before: the others would wait.
  void run_and_rethrow(const std::function<void(int thread)>& body) const;
  /// All threads of the team meet here; only inside run().
  static void barrier();

 private:
  int threads_;
};

/// The team of the calling thread alone.
const ThreadTeam& one_thread();

}  // namespace plumbline
