// A launch comes from a place in the program, of which CUPTI knows nothing: whoever follows the program's phases tells it.
#pragma once
#include <cstdint>
#include <functional>

namespace plumbline {

struct LaunchPlaces {
  std::function<std::uint32_t()> phase = [] { return 0U; };             // the calling thread's, by a number; 0: none
  std::function<void(bool begins)> profiling = [](bool /*begins*/) {};  // cudaProfilerStart or cudaProfilerStop was called
};

}  // namespace plumbline
