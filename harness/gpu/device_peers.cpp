#include "gpu/device_peers.hpp"

#include <cstring>

namespace plumbline {

void DevicePeers::exchange(std::span<const Message> messages) {
  if (ranks() == 1) {
    for (const Message& message : messages) memory_.copy_within(message.received, message.sent, message.bytes);
    return;
  }
  if (ranks_.take_device_addresses()) {
    failure_.attempt([&] { memory_.wait(); });
    if (!failure_.is_kept()) return ranks_.exchange(messages);
  }
  std::vector<std::vector<std::byte>> sent, received;
  std::vector<Message> staged(messages.begin(), messages.end());
  for (Message& message : staged) {
    message.sent = sent.emplace_back(copied_out(message.sent, message.bytes)).data();
    message.received = received.emplace_back(message.bytes).data();
  }
  ranks_.exchange(staged);
  for (std::size_t i = 0; i < messages.size(); ++i) copy_in(messages[i].received, received[i].data(), received[i].size());
}

void DevicePeers::add_up(std::span<double> values) {
  if (ranks() == 1) return;
  const std::vector<std::byte> own = copied_out(values.data(), values.size_bytes());
  std::vector<double> staged(values.size());
  std::memcpy(staged.data(), own.data(), own.size());
  ranks_.add_up(staged);
  copy_in(values.data(), staged.data(), values.size_bytes());
}

std::vector<std::byte> DevicePeers::copied_out(const void* from, std::size_t bytes) {
  std::vector<std::byte> copy(bytes);
  failure_.attempt([&] { memory_.copy_out(copy.data(), from, bytes); });
  return copy;
}

void DevicePeers::copy_in(void* to, const void* from, std::size_t bytes) {
  failure_.attempt([&] { memory_.copy_in(to, from, bytes); });
}

}  // namespace plumbline
