// An exchange of messages between two ranks becomes the row of a ceiling.
#pragma once
#include <string>
#include <string_view>

#include "comm/exchange.hpp"
#include "core/records.hpp"

namespace plumbline::app {

inline bool is_latency(ExchangeTraffic traffic) { return traffic == ExchangeTraffic::ping_pong; }
/// The unit of the traffic: "seconds" for a message, "GB/s" for streams.
std::string unit_of(ExchangeTraffic traffic);
/// The method in words: "half a round trip", "stream", "streams, the sum of both".
std::string_view how(ExchangeTraffic traffic);

/// Takes time or rate; for messages that did not arrive as they were sent none, but a failure.
void take_timing(CeilingRow& row, const Exchange& what, const ExchangeTiming& timing);

}  // namespace plumbline::app
