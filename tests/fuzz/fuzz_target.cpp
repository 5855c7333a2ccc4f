// libFuzzer's entry: `fuzz_READER FOLDER -max_total_time=600` (tests/fuzz/fuzz.sh).
#include <cstddef>
#include <cstdint>

#include "core/error.hpp"
#include "tests/fuzz/reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    plumbline::fuzz::read({reinterpret_cast<const char*>(data), size});
  } catch (const plumbline::Error&) {  // what cannot be read is told
  }
  return 0;
}
