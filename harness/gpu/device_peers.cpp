#include "gpu/device_peers.hpp"

#include <cstddef>
#include <vector>

namespace plumbline {

void DevicePeers::exchange(std::span<const Message> messages) {
  if (ranks() == 1) {
    for (const Message& message : messages) memory_.copy_within(message.received, message.sent, message.bytes);
    return;
  }
  std::vector<std::vector<std::byte>> sent, received;
  std::vector<Message> staged(messages.begin(), messages.end());
  for (Message& message : staged) {
    memory_.copy_out(sent.emplace_back(message.bytes).data(), message.sent, message.bytes);
    message.sent = sent.back().data();
    message.received = received.emplace_back(message.bytes).data();
  }
  ranks_.exchange(staged);
  for (std::size_t i = 0; i < messages.size(); ++i) memory_.copy_in(messages[i].received, received[i].data(), received[i].size());
}

void DevicePeers::add_up(std::span<double> values) {
  if (ranks() == 1) return;
  std::vector<double> staged(values.size());
  memory_.copy_out(staged.data(), values.data(), values.size_bytes());
  ranks_.add_up(staged);
  memory_.copy_in(values.data(), staged.data(), values.size_bytes());
}

}  // namespace plumbline
