// Whether the texts of a file can be read at all: a look that the HDF5 library does not take.
#pragma once
#include <string_view>

namespace plumbline {

/// Throws hdf5::Failure where an object of a global heap in this image of a file is larger than its heap, or a heap than the file. The library
/// (1.10.8) believes the sizes it finds there, and a damaged one crashes it. (HDF5 File Format Specification 3.0, III.E, "Global Heap".)
void require_sound_heaps(std::string_view bytes);

}  // namespace plumbline
