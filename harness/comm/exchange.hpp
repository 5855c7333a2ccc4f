// Two ranks exchange messages, timed by one of them: ping-pong, a stream one way, streams both ways.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "comm/communicator.hpp"

namespace plumbline {

/// The shapes of OSU's micro-benchmarks (mvapich.cse.ohio-state.edu/benchmarks): osu_latency, osu_bw, osu_bibw.
enum class ExchangeTraffic { ping_pong, one_way, both_ways };

/// The word for the traffic: "latency", "one way", "both ways".
std::string_view to_string(ExchangeTraffic traffic);

/// An exchange between two ranks. Streams are windows of non-blocking sends, each answered before the next (one way) or met by one from the
/// other side (both ways).
struct Exchange {
  ExchangeTraffic traffic = ExchangeTraffic::ping_pong;
  std::size_t message_bytes = 8;  // a multiple of 8
};

/// The number of messages in a stream's window: 64 as OSU has it, fewer where they would fill more than a core's caches.
std::size_t window_of(std::size_t message_bytes);

/// Fills in the words that `rank` sends: no two are alike, so that one lost, stale or misplaced shows.
void fill_messages(std::span<std::uint64_t> words, int rank);
/// Whether the words that arrived are those that `rank` sends.
bool are_messages_of(std::span<const std::uint64_t> words, int rank);

/// The end of a pair that a rank is: the one that times, or the one that answers.
enum class End { timing, answering };

struct ExchangeTiming {
  double seconds = 0;   // for each message: half a round trip, or its part of a stream (both ways: of both streams). 0 at the answering end
  bool intact = false;  // whether every message came as it was sent, at both ends
};

/// The protocol says how long a sample lasts and how many there are; a link so slow that one sample takes `patience_seconds` gets one.
/// (exchange_samples.hpp: the run that warms up, and one in which a rank lost its core, do not count.)
struct ExchangeProtocol {
  double sample_seconds = 0.002;
  int samples = 2;
  double patience_seconds = 0.05;
};

/// Exchanges messages with a rank of the group, which names this one and the same exchange and protocol; the others take no part. It warms
/// up, then takes the best sample. The two meet by their own messages only, no barrier.
ExchangeTiming exchange(Group& group, int peer, End end, const Exchange& what, const ExchangeProtocol& protocol);

}  // namespace plumbline
