// A file's texts are checked here for whether they can be read at all: a look that the HDF5 library does not take.
#pragma once
#include <string_view>

namespace plumbline {

/// Throws hdf5::Failure where an object of a global heap in this image of a file is larger than its heap, or a heap than the file, where
/// free space in it has no size, or where a text is longer than the attribute says that refers to it. The library (1.10.8) believes all of
/// these: a damaged size crashes it or keeps it for ever, and a text too long is written beyond the buffer made for it.
/// (HDF5 File Format Specification 3.0, III.E, "Global Heap"; II.A, "Superblock"; "Variable-length" of IV.A.2.d.)
void require_sound_heaps(std::string_view bytes);

}  // namespace plumbline
