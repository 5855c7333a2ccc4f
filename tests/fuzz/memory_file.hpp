// Bytes are made a file with a name, without a disk.
#pragma once
#include <sys/mman.h>
#include <unistd.h>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

#include "core/own_file.hpp"

namespace plumbline::fuzz {

class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes) : descriptor_(memfd_create("plumbline-fuzz", MFD_CLOEXEC)) {
    if (descriptor_ < 0 || !write_all(descriptor_, bytes)) throw std::runtime_error("no memory for a file");
  }
  ~MemoryFile() { close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::filesystem::path path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

}  // namespace plumbline::fuzz
