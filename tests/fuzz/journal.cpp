#include "store/journal.hpp"

#include "tests/fuzz/memory_file.hpp"
#include "tests/fuzz/reader.hpp"
#include "tests/store/samples.hpp"

namespace plumbline::fuzz {

void read(std::string_view bytes) { read_journal(MemoryFile(bytes).path()); }

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
