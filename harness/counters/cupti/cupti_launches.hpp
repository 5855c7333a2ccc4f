// Launches of kernels, and of graphs of them, are counted by CUPTI's callbacks while this lives, in the thread that counts.
#pragma once
#include <cstdint>

#include "counters/cupti/cupti_calls.hpp"

namespace plumbline {

class CuptiLaunches {
 public:
  /// Subscribes; throws CuptiError where another tool has. Nothing is counted until enter().
  explicit CuptiLaunches(const CuptiLibrary& cupti) : calls_(cupti, CallsOf::both, [this](const CuptiCall& call) { count(call); }) {}

  void enter() { calls_.listen(true); }
  void leave() { calls_.listen(false); }
  std::uint64_t kernels() const { return kernels_; }
  std::uint64_t graphs() const { return graphs_; }  // whole graphs, each of which launches its kernels by itself

 private:
  void count(const CuptiCall& call) {
    if (call.entered) ++(call.kind == CallKind::graph ? graphs_ : kernels_);
  }

  std::uint64_t kernels_ = 0, graphs_ = 0;
  CuptiCalls calls_;
};

}  // namespace plumbline
