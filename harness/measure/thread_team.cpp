#include "measure/thread_team.hpp"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>

namespace plumbline {

std::pair<std::size_t, std::size_t> part_of(std::size_t extent, std::size_t grain, int thread, int threads) {
  const auto t = static_cast<std::size_t>(thread), n = static_cast<std::size_t>(threads);
  const std::size_t grains = (extent + grain - 1) / grain;
  const auto edge = [&](std::size_t k) { return std::min(extent, (grains * k / n) * grain); };
  return {edge(t), edge(t + 1)};
}

ThreadTeam::ThreadTeam(int threads, const std::function<void(int)>& begin_thread) : threads_(threads) {
  omp_set_dynamic(0);
  std::atomic<int> started{0};
  run([&](int thread) {
    ++started;
    if (begin_thread) begin_thread(thread);
  });
  if (started != threads_)
    throw std::runtime_error("the OpenMP runtime started " + std::to_string(started) + " of " + std::to_string(threads_) +
                             " threads: is OMP_THREAD_LIMIT set?");
}

void ThreadTeam::run(const std::function<void(int)>& body) const {
  if (threads_ == 1) return body(0);  // no runtime in between: the same instructions every time
#pragma omp parallel num_threads(threads_)
  body(omp_get_thread_num());
}

// It is not what run() does: frames between a region and its loop would shift what lies on a line of the stack, which is counted.
void ThreadTeam::run_and_rethrow(const std::function<void(int)>& body) const {
  std::mutex guard;
  std::exception_ptr failure;
  run([&](int thread) {
    try {
      body(thread);
    } catch (...) {
      const std::scoped_lock lock(guard);
      failure = std::current_exception();
    }
  });
  if (failure) std::rethrow_exception(failure);
}

void ThreadTeam::barrier() {
#pragma omp barrier
}

const ThreadTeam& one_thread() {
  static const ThreadTeam team(1);
  return team;
}

}  // namespace plumbline
