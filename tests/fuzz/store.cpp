#include "store/result_store.hpp"
#include "tests/fuzz/memory_file.hpp"
#include "tests/fuzz/reader.hpp"
#include "tests/store/samples.hpp"

// The sanitizer must not ask for what HDF5's library keeps of a file that it gives up: it is not ours to free. (AddressSanitizer asks this
// of a program at its start.)
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() { return "detect_leaks=0"; }

namespace plumbline::fuzz {

void read(std::string_view bytes) { load_store(MemoryFile(bytes).path()); }

std::string mended(std::string_view bytes) { return std::string(bytes); }

std::vector<std::string> seeds() {
  const Scratch scratch;
  std::vector<std::string> all;
  for (const int cases : {1, 2, 100}) {
    write_store(scratch / "sample.h5", sample_results(cases));
    all.push_back(slurp(scratch / "sample.h5"));
  }
  return all;
}

}  // namespace plumbline::fuzz
