#include "store/sound_heaps.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "store/hdf5_handle.hpp"

namespace plumbline {
namespace {

constexpr std::string_view signature("GCOL\x01\0\0\0", 8);
constexpr std::size_t header_bytes = 16;  // of a heap: signature, size; of an object: index, references, reserved, size
constexpr std::size_t size_at = 8;

template <class Number>
Number number_at(std::string_view bytes, std::size_t at) {
  Number number;  // little-endian, as all machines are that the library is used on here
  std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

void require_sound(std::string_view heap) {
  for (std::size_t at = header_bytes; heap.size() - at >= header_bytes;) {
    if (number_at<std::uint16_t>(heap, at) == 0) return;  // what is left is free
    const auto size = number_at<std::uint64_t>(heap, at + size_at), left = std::uint64_t{heap.size() - at - header_bytes};
    if (size > left) throw hdf5::Failure("a text in it is longer than the place where it lies");
    at += header_bytes + std::min<std::uint64_t>(left, (size + 7) / 8 * 8);
  }
}

}  // namespace

void require_sound_heaps(std::string_view bytes) {
  for (std::size_t at = bytes.find(signature); at != bytes.npos; at = bytes.find(signature, at + 1)) {
    if (bytes.size() - at < header_bytes) throw hdf5::Failure("it ends within a heap");
    const auto size = number_at<std::uint64_t>(bytes, at + size_at);
    if (size < header_bytes || size > bytes.size() - at) throw hdf5::Failure("a heap of texts is larger than the file");
    require_sound(bytes.substr(at, size));
  }
}

}  // namespace plumbline
