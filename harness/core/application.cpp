#include "core/application.hpp"

#include <cstring>

namespace plumbline {

void Peers::exchange(std::span<const Message> messages) {
  for (const Message& message : messages) std::memcpy(message.received, message.sent, message.bytes);
}

Work whole_work(const ApplicationWork& application) {
  Work whole;
  whole.streams.push_back({.array = "data", .footprint_bytes = application.data_bytes, .read = true, .written = true});
  for (const Phase& phase : application.phases) {
    for (const auto& [name, amount] : phase.work.flops) whole.flops[name] += phase.entries * amount;
    for (const Stream& stream : phase.work.streams)
      whole.streams.push_back({.array = phase.name + ": " + stream.array,
                               .read = stream.read,
                               .written = stream.written,
                               .loads = phase.entries * stream.loads,
                               .stores = phase.entries * stream.stores,
                               .element_bytes = stream.element_bytes,
                               .non_temporal = stream.non_temporal,
                               .past_L1 = stream.past_L1,
                               .scratchpad = stream.scratchpad,
                               .at_most = stream.at_most});
  }
  return whole;
}

}  // namespace plumbline
