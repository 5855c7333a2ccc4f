// A GPU that is none: the host's memory, up to a limit, stands in for a device's, and its clock for the device's events. What is measured
// on it is honest about the host and says nothing of any GPU.
#pragma once
#include <chrono>
#include <new>
#include <utility>
#include <vector>

#include "gpu/gpu_module.hpp"

namespace plumbline {

/// The host's memory, of which no more than so many bytes may be had at once.
class LimitedMemory final : public DeviceMemory {
 public:
  explicit LimitedMemory(std::uint64_t bytes) : free_(bytes), empty_(bytes) {}
  std::uint64_t free_bytes() const { return free_; }
  /// The number of times that something was put into the memory when it was empty.
  std::uint64_t fillings() const { return fillings_; }
  void copy_in(void* device, const void* host, std::size_t bytes) override { host_.copy_in(device, host, bytes); }
  void copy_out(void* host, const void* device, std::size_t bytes) override { host_.copy_out(host, device, bytes); }
  void copy_within(void* to, const void* from, std::size_t bytes) override { host_.copy_within(to, from, bytes); }

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    if (bytes > free_) throw std::bad_alloc();
    if (free_ == empty_) ++fillings_;
    void* const data = host_.allocate(bytes, alignment);
    free_ -= bytes;
    return data;
  }
  void do_deallocate(void* data, std::size_t bytes, std::size_t alignment) override {
    host_.deallocate(data, bytes, alignment);
    free_ += bytes;
  }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }

  HostInPlaceOfDevice host_;
  std::uint64_t free_, empty_, fillings_ = 0;
};

class StandInGpu : public Gpu {
 public:
  /// `taken_bytes` of its memory are somebody else's.
  explicit StandInGpu(GpuProperties properties, std::uint64_t taken_bytes = 0)
      : properties_(std::move(properties)), memory_(properties_.memory_bytes - taken_bytes) {}

  const GpuProperties& properties() const override { return properties_; }
  LimitedMemory& memory() override { return memory_; }
  std::uint64_t free_bytes() override { return memory_.free_bytes(); }
  void wait() override {}
  void start() override { started_ = Clock::now(); }
  double stop() override { return std::chrono::duration<double>(Clock::now() - started_).count(); }
  void mark(std::size_t number) override {
    if (marks_.size() <= number) marks_.resize(number + 1);
    marks_[number] = Clock::now();
  }
  double between_marks(std::size_t first, std::size_t second) override {
    return std::chrono::duration<double>(marks_.at(second) - marks_.at(first)).count();
  }
  double clock_hz() override { return properties_.clock_hz; }

 private:
  using Clock = std::chrono::steady_clock;
  GpuProperties properties_;
  LimitedMemory memory_;
  Clock::time_point started_;
  std::vector<Clock::time_point> marks_;
};

}  // namespace plumbline
