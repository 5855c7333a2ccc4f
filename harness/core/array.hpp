// A workload's memory is an array: 64-byte aligned, untouched until first used, filled with varied normal numbers.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>

namespace plumbline {

/// A fixed-size array of trivially destructible elements from a memory resource; its pages are not touched here.
template <class T>
class Array {
 public:
  using Memory = std::pmr::memory_resource;

  Array(std::size_t size, std::pmr::memory_resource& memory)
      : memory_(&memory), size_(size), data_(static_cast<T*>(memory.allocate(bytes(), alignment))) {}
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  ~Array() { memory_->deallocate(data_, bytes(), alignment); }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }

  // The same functions as DeviceArray has, for data that kernels for CPUs and GPUs share.
  /// Sets the elements [begin, end) to value(i).
  template <class Value>
  void fill(std::size_t begin, std::size_t end, Value value) {
    for (std::size_t i = begin; i < end; ++i) data_[i] = value(i);
  }
  /// Calls see(i, element) for each i of [begin, end), in order.
  template <class See>
  void read(std::size_t begin, std::size_t end, See see) const {
    for (std::size_t i = begin; i < end; ++i) see(i, data_[i]);
  }
  /// Copies so many elements of another array, from its element `first` on, to the element `to` and those behind it.
  void copy(std::size_t to, const Array& from, std::size_t first, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) data_[to + i] = from.data_[first + i];
  }
  std::span<const T> to_host() const { return {data_, size_}; }

 private:
  static constexpr std::size_t alignment = 64;
  std::size_t bytes() const { return (size_ * sizeof(T) + alignment - 1) / alignment * alignment; }
  std::pmr::memory_resource* memory_;
  std::size_t size_;
  T* data_;
};

/// A reproducible number in [0.5, 1) for element `index` of array `stream`, the same in every precision and thread layout.
/// (SplitMix64, Steele et al. 2014; 24 bits, so that fp32 and fp64 hold the same value.)
inline double varied(std::uint64_t stream, std::uint64_t index) {
  std::uint64_t z = (index + 1) * 0x9e3779b97f4a7c15U + stream * 0xd1b54a32d192ed03U;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return 0.5 + static_cast<double>((z ^ (z >> 31)) >> 41) * 0x1p-24;
}

}  // namespace plumbline
