// The time of exchanges and sums between ranks, from the measured ceilings of messages: LogGP (Alexandrov, Ionescu, Schauser, Scheiman
// 1995) for messages, recursive doubling or halving for sums (Thakur, Rabenseifner, Gropp 2005).
#pragma once
#include <array>
#include <optional>
#include <span>
#include <string>

#include "model/ceilings/ceiling.hpp"
#include "model/scaling/allocation.hpp"

namespace plumbline {

/// One link as messages cross it.
struct MessageLink {
  double latency_seconds = absent;  // of the smallest message, with what both ends spend on it
  double gap_seconds = 0;           // from one message of a stream to the next
  double one_way_gbs = absent;
  double both_ways_gbs = absent;  // the sum of both ways
};

/// The links of an allocation; no one between nodes where it was not measured.
struct MessageLinks {
  MessageLink inside = {};
  std::optional<MessageLink> between = {};
};

/// A link as its samples have it at best, in the middle, or at worst.
enum class SampleEnd { best, middle, worst };

/// The link of a place ("inside a node", "between nodes") by the ceilings of all nodes. Nullopt where its latency or its bandwidth one way
/// is missing.
std::optional<MessageLink> link_of(std::span<const Ceiling> ceilings, const std::string& place, SampleEnd end);

/// The seconds that an exchange with neighbours in a ring takes a rank that waits for nobody, beyond what it costs the rank itself: a
/// latency, a gap for each further message, and the bytes, which go out and come in at once. A rank alone copies them. Where there are
/// several nodes, what the two ranks at a node's ends send crosses one link, as many bytes as one rank sends.
/// Throws Error (user) where a link between nodes is needed and unknown.
double exchange_seconds(double messages, double bytes, const Allocation& allocation, const MessageLinks& links);

/// The rounds of recursive doubling, inside nodes and between them: floor(log2 P), and two more where P is no power of two.
struct SumRounds {
  double inside = 0, between = 0;
};
SumRounds sum_rounds(const Allocation& allocation);

/// The seconds of a sum over all ranks, beyond what it costs a rank alone: each round a latency and the bytes; of more than 2 KiB, where it
/// is shorter, halves of them twice as often (Rabenseifner), as MPICH has it.
double sum_seconds(double bytes, const Allocation& allocation, const MessageLinks& links);

}  // namespace plumbline
