#include "app/stages/message_rows.hpp"

#include <fmt/format.h>

#include "core/status.hpp"

namespace plumbline::app {

std::string unit_of(ExchangeTraffic traffic) { return is_latency(traffic) ? "seconds" : "GB/s"; }

std::string_view how(ExchangeTraffic traffic) {
  switch (traffic) {
    case ExchangeTraffic::ping_pong:
      return "half a round trip";
    case ExchangeTraffic::one_way:
      return "stream";
    case ExchangeTraffic::both_ways:
      return "streams, the sum of both";
  }
  return "";
}

void take_timing(CeilingRow& row, const Exchange& what, const ExchangeTiming& timing) {
  row.value = is_latency(what.traffic) ? timing.seconds : static_cast<double>(what.message_bytes) / timing.seconds * 1e-9;
  if (timing.intact) return;
  row.status = Status::wrong_result;
  row.value = absent;
  row.reason = fmt::format("{}: a message did not arrive as it was sent", wrong_result_words);
}

}  // namespace plumbline::app
