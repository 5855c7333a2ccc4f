// Ranks are peers to an application on a GPU as they are to one on CPUs: the same calls, with addresses in the device's memory.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "core/device_memory.hpp"
#include "core/peers.hpp"
#include "gpu/kept_failure.hpp"

namespace plumbline {

/// These peers send, receive and add up what lies in the memory of a device. A rank alone queues its messages as copies within the device,
/// and its sums are there already. Among several ranks messages come from and go to the device's memory where the ranks take its addresses;
/// else they pass through this host's memory, as sums always do. The calls wait for the device: one that fails is left alone from then on,
/// while its rank goes on meeting the others, which wait for what it sends.
class DevicePeers final : public Peers {
 public:
  /// The ranks and the memory must outlive this object.
  DevicePeers(Peers& ranks, DeviceMemory& memory) : ranks_(ranks), memory_(memory) {}

  int rank() const override { return ranks_.rank(); }
  int ranks() const override { return ranks_.ranks(); }
  void exchange(std::span<const Message> messages) override;
  void add_up(std::span<double> values) override;
  /// Throws, once, what kept a message of this rank from coming or going since the last call.
  void tell_failure() { failure_.tell(); }

 private:
  /// Copies out of the device, which leaves zeros where it fails; and into it. What fails is kept.
  std::vector<std::byte> copied_out(const void* from, std::size_t bytes);
  void copy_in(void* to, const void* from, std::size_t bytes);

  Peers& ranks_;
  DeviceMemory& memory_;
  KeptFailure failure_;
};

}  // namespace plumbline
