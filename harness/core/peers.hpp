// The ranks of a team are peers to an application: what lies at the edge of one's data goes to its neighbours, and sums run over all.
#pragma once
#include <cstddef>
#include <span>

namespace plumbline {

/// The ranks that share an application's data, as the one that calls sees them. These are of a rank alone, which is its own neighbour:
/// its messages are copies. Every rank makes the same calls in the same order, with the main thread. Addresses are of the memory that the
/// data lie in, which may be a device's.
class Peers {
 public:
  /// One shift of data: the rank sends to `to`, while what `from` sends in the same place of its own list arrives here.
  struct Message {
    const void* sent;
    int to;
    void* received;  // overlaps nothing that is sent
    int from;
    std::size_t bytes;
  };

  virtual ~Peers() = default;
  virtual int rank() const { return 0; }
  virtual int ranks() const { return 1; }
  /// Returns when all messages have come, and what was sent may be written again.
  virtual void exchange(std::span<const Message> messages);
  /// Whether exchange() takes addresses in a device's memory; it does not wait for what the device was given before.
  virtual bool take_device_addresses() const { return false; }
  /// Replaces each value by its sum over all ranks, the same on every rank.
  virtual void add_up(std::span<double> /*values*/) {}
};

}  // namespace plumbline
