#include "store/sound_heaps.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "store/hdf5_handle.hpp"

namespace plumbline {
namespace {

constexpr std::string_view heap_signature("GCOL\x01", 5);  // and version; what follows is reserved, and not looked at by the library
constexpr std::size_t header_bytes = 16;  // of a heap: heap_signature, size; of an object: index, references, reserved, size
constexpr std::size_t size_at = 8;

template <class Number>
Number number_at(std::string_view bytes, std::size_t at) {
  Number number;  // little-endian, as all machines are that the library is used on here
  std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

/// A text that is longer than the library's buffer for short ones.
struct LongText {
  std::uint64_t heap = 0;  // its address
  std::uint32_t index = 0;
  std::uint64_t size = 0;
};

constexpr std::uint64_t buffer_bytes = 4096;  // H5T_VLEN_MIN_CONF_BUF_SIZE: the library makes room for whole multiples of it

/// Appends to `long_texts`. `address`: where the heap lies.
void require_sound(std::string_view heap, std::uint64_t address, std::vector<LongText>& long_texts) {
  for (std::size_t at = header_bytes; heap.size() - at >= header_bytes;) {
    const bool is_free = number_at<std::uint16_t>(heap, at) == 0;  // its size has its own header in it: with none, the library never ends
    const auto told = number_at<std::uint64_t>(heap, at + size_at), left = std::uint64_t{heap.size() - at - header_bytes};
    if (is_free && told < header_bytes) throw hdf5::Failure("a heap of texts has free space of no size");
    const std::uint64_t size = is_free ? told - header_bytes : told;
    if (size > left) throw hdf5::Failure("a text in it is longer than the place where it lies");
    if (!is_free && size > buffer_bytes) long_texts.push_back({address, number_at<std::uint16_t>(heap, at), size});
    at += header_bytes + (is_free ? size : std::min<std::uint64_t>(left, (size + 7) / 8 * 8));  // as the library steps
  }
}

/// Throws where a text is longer than the references to it tell. A reference holds a length, the heap's address and an index there; the
/// text is copied into room for that length.
void require_room_for(const LongText& text, std::string_view bytes) {
  std::string heap(sizeof text.heap, '\0');
  std::memcpy(heap.data(), &text.heap, sizeof text.heap);
  constexpr std::size_t length_bytes = sizeof(std::uint32_t), index_at = sizeof text.heap;
  for (std::size_t at = bytes.find(heap, length_bytes); at != bytes.npos; at = bytes.find(heap, at + 1)) {
    if (bytes.size() - at < index_at + sizeof text.index || number_at<std::uint32_t>(bytes, at + index_at) != text.index) continue;
    const std::uint64_t told = number_at<std::uint32_t>(bytes, at - length_bytes);
    if (text.size > (told / buffer_bytes + 1) * buffer_bytes) throw hdf5::Failure("a text in it is longer than what refers to it tells");
  }
}

/// Addresses are offsets in the file only where it begins with its superblock, and numbers have 8 bytes only where that says so.
void require_plain_superblock(std::string_view bytes) {
  constexpr std::size_t version_at = 8, longest = 64;
  if (bytes.size() < longest) throw hdf5::Failure("it ends within its first block");
  const int version = static_cast<unsigned char>(bytes[version_at]);
  const std::size_t sizes_at = version < 2 ? 13 : 9, base_at = version == 0 ? 24 : version == 1 ? 28 : 12;
  if (bytes[sizes_at] != 8 || bytes[sizes_at + 1] != 8) throw hdf5::Failure("its addresses or lengths have not 8 bytes");
  if (number_at<std::uint64_t>(bytes, base_at) != 0) throw hdf5::Failure("its addresses do not begin where it does");
}

}  // namespace

void require_sound_heaps(std::string_view bytes) {
  std::vector<LongText> long_texts;
  require_plain_superblock(bytes);
  constexpr std::size_t most_long_texts = 64;  // a result has four; each is looked for in the whole file
  for (std::size_t at = bytes.find(heap_signature), end = 0; at != bytes.npos; at = bytes.find(heap_signature, at + 1)) {
    if (at < end) throw hdf5::Failure("a heap of texts lies within another");
    if (bytes.size() - at < header_bytes) throw hdf5::Failure("it ends within a heap");
    const auto size = number_at<std::uint64_t>(bytes, at + size_at);
    if (size < header_bytes || size > bytes.size() - at) throw hdf5::Failure("a heap of texts is larger than the file");
    require_sound(bytes.substr(at, size), at, long_texts);
    if (long_texts.size() > most_long_texts) throw hdf5::Failure("it has more long texts than a result has");
    end = at + size;
  }
  for (const LongText& text : long_texts) require_room_for(text, bytes);
}

}  // namespace plumbline
