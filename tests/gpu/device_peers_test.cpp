#include "gpu/device_peers.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <stdexcept>
#include <vector>

namespace plumbline {
namespace {

/// This rank of two takes addresses in a device's memory or not, and keeps those that it is given. What it sends comes back.
class OneOfTwo final : public Peers {
 public:
  explicit OneOfTwo(bool takes) : takes_(takes) {}
  int ranks() const override { return 2; }
  bool take_device_addresses() const override { return takes_; }
  void exchange(std::span<const Message> messages) override {
    for (const Message& message : messages) sent.push_back(message.sent);
    Peers::exchange(messages);
  }
  std::vector<const void*> sent = {};

 private:
  bool takes_;
};

/// The host's memory, which counts what it is asked for; or a device that has failed.
class CountingMemory final : public DeviceMemory {
 public:
  void copy_in(void* device, const void* host, std::size_t bytes) override { ++copies, std::memcpy(device, host, bytes); }
  void copy_out(void* host, const void* device, std::size_t bytes) override { ++copies, std::memcpy(host, device, bytes); }
  void copy_within(void* to, const void* from, std::size_t bytes) override { ++copies, std::memcpy(to, from, bytes); }
  void wait() override {
    ++waits;
    if (broken) throw std::runtime_error("an illegal memory access was encountered");
  }
  int copies = 0, waits = 0;
  bool broken = false;

 private:
  void* do_allocate(std::size_t, std::size_t) override { throw std::bad_alloc(); }
  void do_deallocate(void*, std::size_t, std::size_t) override {}
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }
};

struct Edge {
  double sent = 7, received = 0;
  Peers::Message message() { return {&sent, 1, &received, 1, sizeof(double)}; }
};

TEST(DevicePeers, stage_messages_where_ranks_take_no_addresses_of_a_device) {
  OneOfTwo ranks(false);
  CountingMemory memory;
  Edge edge;
  DevicePeers(ranks, memory).exchange(std::vector{edge.message()});
  EXPECT_EQ(edge.received, 7);
  EXPECT_EQ(memory.copies, 2);
  EXPECT_NE(ranks.sent.at(0), &edge.sent);
}

TEST(DevicePeers, wait_for_the_device_and_hand_its_addresses_on_where_ranks_take_them) {
  OneOfTwo ranks(true);
  CountingMemory memory;
  Edge edge;
  DevicePeers(ranks, memory).exchange(std::vector{edge.message()});
  EXPECT_EQ(edge.received, 7);
  EXPECT_EQ(memory.copies, 0);
  EXPECT_EQ(memory.waits, 1);
  EXPECT_EQ(ranks.sent.at(0), &edge.sent);
}

TEST(DevicePeers, go_on_meeting_others_with_zeros_of_the_host_when_their_device_has_failed) {
  OneOfTwo ranks(true);
  CountingMemory memory;
  memory.broken = true;
  Edge edge;
  DevicePeers peers(ranks, memory);
  peers.exchange(std::vector{edge.message()});
  EXPECT_EQ(ranks.sent.size(), 1U);
  EXPECT_NE(ranks.sent.at(0), &edge.sent);
  EXPECT_EQ(memory.copies, 0);
  EXPECT_THROW(peers.tell_failure(), std::runtime_error);
}

}  // namespace
}  // namespace plumbline
