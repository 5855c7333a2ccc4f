// Ranks are peers to an application on a GPU as they are to one on CPUs: the same calls, with addresses in the device's memory.
#pragma once
#include <span>

#include "core/device_memory.hpp"
#include "core/peers.hpp"

namespace plumbline {

/// These peers send, receive and add up what lies in the memory of a device. A rank alone queues its messages as copies within the device,
/// and its sums are there already. Among several ranks everything passes through this host's memory, and the calls wait for the device.
class DevicePeers final : public Peers {
 public:
  /// The ranks and the memory must outlive this object.
  DevicePeers(Peers& ranks, DeviceMemory& memory) : ranks_(ranks), memory_(memory) {}

  int rank() const override { return ranks_.rank(); }
  int ranks() const override { return ranks_.ranks(); }
  void exchange(std::span<const Message> messages) override;
  void add_up(std::span<double> values) override;

 private:
  Peers& ranks_;
  DeviceMemory& memory_;
};

}  // namespace plumbline
