#include "store/journal.hpp"

#include <algorithm>
#include <cstring>

#include "tests/fuzz/memory_file.hpp"
#include "tests/fuzz/reader.hpp"
#include "tests/store/samples.hpp"

namespace plumbline::fuzz {

void read(std::string_view bytes) { read_journal(MemoryFile(bytes).path()); }

/// Record by record, as their lengths say; the last one goes to the end.
std::string mended(std::string_view bytes) {
  constexpr std::size_t head = 8;  // length, checksum
  std::string all;
  while (bytes.size() > head) {
    std::uint32_t length = 0;
    std::memcpy(&length, bytes.data(), sizeof length);
    const std::string_view payload = bytes.substr(head, length);
    all += frame(payload);
    bytes.remove_prefix(head + payload.size());
  }
  return all;
}

std::vector<std::string> seeds() {
  const Scratch scratch;
  std::vector<std::string> all;
  for (const int units : {0, 1, 3}) {
    const auto folder = scratch / ("journal" + std::to_string(units));
    Journal journal(folder, "n1", sample_header());
    for (int i = 0; i < units; ++i) journal.append(sample_time(i));
    all.push_back(slurp(folder / "n1"));
  }
  return all;
}

}  // namespace plumbline::fuzz
