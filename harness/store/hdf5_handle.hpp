// HDF5's C calls are wrapped once: handles that close themselves, and failures that say which call failed and why. Included by
// result_store.cpp and store_writer.cpp alone.
#pragma once
#include <hdf5.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace plumbline::hdf5 {

/// A call failed. The caller, who knows the file and what was wanted, turns it into an Error.
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Keeps HDF5 silent while it lives; by default HDF5 prints its error stack to stderr.
class Silence {
 public:
  Silence() {
    // HDF5 keeps parts of a damaged file, and its clean-up at exit would then print "infinite loop closing library"; we close all handles
    // ourselves.
    [[maybe_unused]] static const herr_t once = H5dont_atexit();
    H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~Silence() { H5Eset_auto2(H5E_DEFAULT, print_, data_); }
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;

 private:
  H5E_auto2_t print_ = nullptr;
  void* data_ = nullptr;
};

/// The error that HDF5 names first (the innermost entry of its error stack).
inline std::string innermost_error() {
  std::string text;
  const auto keep_first = [](unsigned depth, const H5E_error2_t* entry, void* out) -> herr_t {
    if (depth == 0 && entry->desc != nullptr) *static_cast<std::string*>(out) = entry->desc;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, &text);
  return text;
}

/// The place of a call, as std::source_location would have it, which clang 14 and 15 do not know.
struct CallSite {
  std::string_view file;
  int line;
  static CallSite here(const char* file = __builtin_FILE(), int line = __builtin_LINE()) { return {file, line}; }
};

/// Passes the result of an HDF5 call through, or throws Failure naming call, file and line.
template <class Result>
Result check(Result result, const char* call, CallSite where = CallSite::here()) {
  if (result >= 0) return result;
  throw Failure(std::string(call) + ": " + innermost_error() + " [" + std::string(where.file.substr(where.file.rfind('/') + 1)) + ":" +
                std::to_string(where.line) + "]");
}

template <herr_t (*Close)(hid_t)>
class Handle {
 public:
  Handle(hid_t id, const char* call, CallSite where = CallSite::here()) : id_(check(id, call, where)) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    return *this;
  }
  ~Handle() {
    if (id_ >= 0) Close(id_);
  }
  operator hid_t() const { return id_; }

 private:
  hid_t id_;
};

using File = Handle<H5Fclose>;
using Type = Handle<H5Tclose>;
using Space = Handle<H5Sclose>;
using Dataset = Handle<H5Dclose>;
using Attribute = Handle<H5Aclose>;
using Properties = Handle<H5Pclose>;

/// The memory of a file of the core driver, kept when HDF5 closes that file.
/// (H5Fget_file_image would do, but until HDF5 1.14.7 it spoils the superblock's checksum: HDFGroup/hdf5 issue 1915.)
class FileImage {
 public:
  FileImage() = default;
  ~FileImage() { std::free(memory_); }
  FileImage(const FileImage&) = delete;
  FileImage& operator=(const FileImage&) = delete;

  /// Files opened with `access` leave their memory here; this object must outlive them.
  void take_from(hid_t access) {
    H5FD_file_image_callbacks_t callbacks{.image_malloc = [](std::size_t size, H5FD_file_image_op_t,
                                                             void* self) { return static_cast<FileImage*>(self)->resized(nullptr, size); },
                                          .image_memcpy = [](void* to, const void* from, std::size_t size, H5FD_file_image_op_t,
                                                             void*) { return std::memcpy(to, from, size); },
                                          .image_realloc = [](void* memory, std::size_t size, H5FD_file_image_op_t,
                                                              void* self) { return static_cast<FileImage*>(self)->resized(memory, size); },
                                          .image_free = [](void* memory, H5FD_file_image_op_t operation, void* self) -> herr_t {
                                            if (operation == H5FD_FILE_IMAGE_OP_FILE_CLOSE)
                                              static_cast<FileImage*>(self)->memory_ = memory;
                                            else
                                              std::free(memory);
                                            return 0;
                                          },
                                          .udata_copy = [](void* self) { return self; },
                                          .udata_free = [](void*) -> herr_t { return 0; },
                                          .udata = this};
    check(H5Pset_file_image_callbacks(access, &callbacks), "H5Pset_file_image_callbacks");
  }
  /// The bytes of the file, as long as its superblock says (the core driver's memory is longer). Throws Failure where no file has been
  /// closed.
  std::string_view bytes() const {
    constexpr std::size_t end_of_file_at = 28;  // HDF5 File Format Specification, superblock versions 2 and 3
    const auto* byte = static_cast<const unsigned char*>(memory_);
    std::uint64_t size = 0;
    if (memory_ != nullptr && allocated_ > end_of_file_at + 8)
      for (std::size_t i = 8; i-- > 0;) size = (size << 8) | byte[end_of_file_at + i];
    if (size == 0 || size > allocated_) throw Failure("H5Fclose: the file could not be finished");
    return {static_cast<const char*>(memory_), size};
  }

 private:
  void* resized(void* memory, std::size_t size) {
    allocated_ = size;
    return std::realloc(memory, size);
  }

  void* memory_ = nullptr;
  std::size_t allocated_ = 0;
};

}  // namespace plumbline::hdf5
