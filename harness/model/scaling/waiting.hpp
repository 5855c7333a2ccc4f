// Ranks wait for each other: the time that a sweep takes all of them, simulated from the times that it took one.
#pragma once
#include <cstdint>
#include <vector>

namespace plumbline {

/// The times of a sweep of computing as it is cut by exchanges and sums.
/// A segment is what a rank computes between two times that it waits for others; `segments` has the seconds of each, sample by sample.
/// A chain is segments between two sums, over which all wait for all: behind each but its last, neighbours in the ring wait for each other.
struct CutSweep {
  std::vector<std::vector<double>> segments = {};
  std::vector<std::vector<std::size_t>> chains = {};  // of numbers of segments
};

/// The seconds of a sweep's computing and waiting over all ranks: the middle and the ends of nine tenths of the simulated sweeps.
struct SweepSeconds {
  double median = 0, lo = 0, hi = 0;
  double computing = 0;  // of a rank in the mean, which waits for nobody
};

/// Ends of a chain: the times at which the last of so many ranks ended it, in order.
struct ChainEnds {
  std::vector<double> seconds = {};
  double ranks = 1;  // that were simulated together
};

/// Simulates a chain in a ring of so many ranks, rank by rank. Each draws one sample a segment. A ring of more ranks than can reach each
/// other within the chain by far is simulated as a shorter one.
ChainEnds chain_ends(const CutSweep& sweep, const std::vector<std::size_t>& chain, std::uint64_t ranks, std::uint64_t seed);

/// The time at which the last of `ranks` ends, for a number drawn evenly between 0 and 1: the largest of N draws lies below x as often as
/// one does, to the power N (order statistics), so that of ranks that do not reach each other none is simulated one by one.
double last_of(const std::vector<double>& in_order, double draws, double even);

/// The seconds of a sweep over so many ranks, the same for the same seed.
SweepSeconds sweep_seconds(const CutSweep& sweep, std::uint64_t ranks, std::uint64_t seed);

}  // namespace plumbline
