// The shared libraries that this process runs with, by the names of their files: those carry the versions.
#pragma once
#include <string>
#include <vector>

namespace plumbline {

/// The file names behind all links, sorted: "libhdf5_serial.so.103.3.0", "libmpich.so.12.2.2". Folders are left out, for they say who
/// installed what where.
std::vector<std::string> loaded_libraries();

/// The C library's version, as "2.36"; empty where it is not GNU's.
std::string libc_version();

}  // namespace plumbline
