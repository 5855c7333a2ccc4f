// Launches of kernels, and of graphs of them, by CUPTI's callbacks: counted while this lives, in the thread that counts.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "counters/cupti_host.hpp"

namespace plumbline {

class CuptiLaunches {
 public:
  /// Subscribes; throws CuptiError where another tool has. Nothing is counted until enter().
  explicit CuptiLaunches(const CuptiLibrary& cupti);
  CuptiLaunches(const CuptiLaunches&) = delete;
  CuptiLaunches& operator=(const CuptiLaunches&) = delete;
  ~CuptiLaunches();

  void enter();
  void leave();
  std::uint64_t kernels() const;
  std::uint64_t graphs() const;  // whole graphs, each of which launches its kernels by itself

 private:
  class Subscriber;
  std::unique_ptr<Subscriber> subscriber_;
};

}  // namespace plumbline
