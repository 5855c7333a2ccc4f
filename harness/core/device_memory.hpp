// A GPU's kernels work on this memory: a workload's arrays lie there, and come and go by copies.
#pragma once
#include <cstddef>
#include <cstring>
#include <memory_resource>
#include <vector>

namespace plumbline {

/// The memory of a device. allocate() throws std::bad_alloc; copies between it and the host wait for all work that the device was given
/// before, and throw Error (io) where it failed.
class DeviceMemory : public std::pmr::memory_resource {
 public:
  virtual void copy_in(void* device, const void* host, std::size_t bytes) = 0;
  virtual void copy_out(void* host, const void* device, std::size_t bytes) = 0;
  /// Waits for all work that the device was given before. Throws Error (io) where it failed.
  virtual void wait() {}
  /// Queues a copy within the device behind the work that it was given before, and does not wait for it. The two places do not overlap.
  virtual void copy_within(void* to, const void* from, std::size_t bytes) = 0;
};

/// The host's memory in a device's place: a kernel for GPUs can be prepared, swept by its reference loop and checked without a GPU.
class HostInPlaceOfDevice final : public DeviceMemory {
 public:
  /// `host`: where its memory comes from.
  explicit HostInPlaceOfDevice(std::pmr::memory_resource& host = *std::pmr::new_delete_resource()) : host_(&host) {}

  void copy_in(void* device, const void* host, std::size_t bytes) override { std::memcpy(device, host, bytes); }
  void copy_out(void* host, const void* device, std::size_t bytes) override { std::memcpy(host, device, bytes); }
  void copy_within(void* to, const void* from, std::size_t bytes) override { std::memcpy(to, from, bytes); }

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override { return host_->allocate(bytes, alignment); }
  void do_deallocate(void* data, std::size_t bytes, std::size_t alignment) override { host_->deallocate(data, bytes, alignment); }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }

  std::pmr::memory_resource* host_;
};

/// A fixed-size array in a device's memory. Its contents are undefined until copy_in().
template <class T>
class DeviceArray {
 public:
  using Memory = DeviceMemory;

  DeviceArray(std::size_t size, DeviceMemory& memory)
      : memory_(&memory), size_(size), data_(static_cast<T*>(memory.allocate(bytes(), alignment))) {}
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() { memory_->deallocate(data_, bytes(), alignment); }

  /// An address in the device's memory, not to be dereferenced on the host.
  T* data() const { return data_; }
  std::size_t size() const { return size_; }

  /// Sets the elements [begin, end) to value(i), piece by piece, so that the host needs little memory of its own.
  template <class Value>
  void fill(std::size_t begin, std::size_t end, Value value) {
    std::vector<T> piece;
    for (std::size_t first = begin; first < end; first += piece.size()) {
      piece.clear();
      for (std::size_t i = first; i < end && piece.size() < piece_size; ++i) piece.push_back(value(i));
      memory_->copy_in(data_ + first, piece.data(), piece.size() * sizeof(T));
    }
  }
  /// Calls see(i, element) for each i of [begin, end), in order.
  template <class See>
  void read(std::size_t begin, std::size_t end, See see) const {
    std::vector<T> piece;
    for (std::size_t first = begin; first < end; first += piece.size()) {
      piece.resize(end - first < piece_size ? end - first : piece_size);
      memory_->copy_out(piece.data(), data_ + first, piece.size() * sizeof(T));
      for (std::size_t i = 0; i < piece.size(); ++i) see(first + i, piece[i]);
    }
  }
  /// Copies so many elements of another array of the device, from its element `first` on, to the element `to` and those behind it.
  void copy(std::size_t to, const DeviceArray& from, std::size_t first, std::size_t count) {
    memory_->copy_within(data_ + to, from.data_ + first, count * sizeof(T));
  }
  std::vector<T> to_host() const {
    std::vector<T> all(size_);
    memory_->copy_out(all.data(), data_, size_ * sizeof(T));
    return all;
  }

 private:
  static constexpr std::size_t alignment = 256, piece_size = std::size_t{1} << 20;
  std::size_t bytes() const { return (size_ * sizeof(T) + alignment - 1) / alignment * alignment; }

  DeviceMemory* memory_;
  std::size_t size_;
  T* data_;
};

}  // namespace plumbline
