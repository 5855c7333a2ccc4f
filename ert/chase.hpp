// This loop alone chases pointers: each load's address is what the load before it brought, so that nothing overlaps.
#pragma once
#include <cstddef>
#include <cstdint>

struct ChaseLine {
  const ChaseLine* next;
  std::uint64_t filler[7];  // a whole cache line
};

/// The state of a chain says where it stands: a sweep goes on from there. It has a line of its own, for threads share none.
struct ChaseState {
  const ChaseLine* at;
  std::uint64_t loads;  // done so far
  std::uint64_t unused[6];
};

template <class Real>
struct Chase {
  ChaseState* chains;
  std::size_t steps;  // loads a chain and sweep
};

/// Sweeps the chains [begin, end), one after the other.
template <class Real>
static void sweep(const Chase<Real>& x, std::size_t begin, std::size_t end) {
  for (std::size_t chain = begin; chain < end; ++chain) {
    const ChaseLine* at = x.chains[chain].at;
    for (std::size_t n = x.steps / 8; n != 0; --n) at = at->next->next->next->next->next->next->next->next;
    for (std::size_t n = x.steps % 8; n != 0; --n) at = at->next;
    x.chains[chain].at = at;
    x.chains[chain].loads += x.steps;
  }
}
