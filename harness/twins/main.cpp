// The program plumbline_twins SOURCE.s TWIN.s TABLE is a step of the build (cmake/PlumblineFlavors.cmake).
#include <cstdio>
#include <fstream>
#include <iterator>

#include "twins/rewriting.hpp"

int main(int argc, char** argv) {
  if (argc != 4) return std::fprintf(stderr, "usage: plumbline_twins SOURCE.s TWIN.s TABLE\n"), 2;
  std::ifstream source(argv[1]);
  const std::string text{std::istreambuf_iterator<char>(source), {}};
  if (!source || text.empty()) return std::fprintf(stderr, "plumbline_twins: cannot read %s\n", argv[1]), 1;
  std::ofstream twin(argv[2]);
  twin << plumbline::twins::counted_twin(text, argv[3]) << std::flush;
  if (!twin) return std::fprintf(stderr, "plumbline_twins: cannot write %s\n", argv[2]), 1;
  return 0;
}
