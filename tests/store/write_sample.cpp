// Writes the file that h5py_reads_it.py looks at with plain h5py. Usage: write_sample FILE CASES
#include <cstdlib>

#include "samples.hpp"
#include "store/result_store.hpp"

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  plumbline::write_store(argv[1], plumbline::sample_results(std::atoi(argv[2])));
  return 0;
}
