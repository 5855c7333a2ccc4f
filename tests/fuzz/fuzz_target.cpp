// libFuzzer's entry: `fuzz_READER FOLDER -max_total_time=600` (tests/fuzz/fuzz.sh).
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/error.hpp"
#include "tests/fuzz/reader.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    plumbline::fuzz::read({reinterpret_cast<const char*>(data), size});
  } catch (const plumbline::Error&) {  // what cannot be read is told
  }
  return 0;
}

/// Mostly with checksums that hold; now and then one that does not.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  size = LLVMFuzzerMutate(data, size, most);
  const std::string mended = plumbline::fuzz::mended({reinterpret_cast<const char*>(data), size});
  if (seed % 8 == 0 || mended.size() > most) return size;
  std::ranges::copy(mended, data);
  return mended.size();
}
