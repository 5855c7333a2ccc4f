// The functions of a program's files, by their symbols and, where those are stripped, by the unwinding table (elfutils' libdw).
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace plumbline {

/// The function that holds an address.
struct FunctionPlace {
  std::string name;         // demangled; "libfoo.so+0x1120" where no symbol names it
  std::uint64_t begin = 0;  // as the file names addresses: the page's, where nothing tells the function; 0: in no file
};

/// Reads each file once, when it is asked for first.
class Symbols {
 public:
  Symbols();
  Symbols(const Symbols&) = delete;
  Symbols& operator=(const Symbols&) = delete;
  ~Symbols();
  /// The function at so many bytes from the begin of the file. A file that cannot be read has one function, which is all of it.
  FunctionPlace at_offset(const std::string& object, std::uint64_t file_offset);
  /// The function at an address as the file names it.
  FunctionPlace at_address(const std::string& object, std::uint64_t address);
  /// The address, as the file names it, that is so many bytes from its begin; nullopt where none is loaded from there.
  std::optional<std::uint64_t> address_of(const std::string& object, std::uint64_t file_offset);
  /// The source line of the code at an address, "heat3d.c:42", by debug information; that of an inlined function where one is. Empty
  /// without debug information, and where a compiler made code of no line.
  std::string line_at(const std::string& object, std::uint64_t address);

 private:
  class Files;
  std::unique_ptr<Files> files_;
};

}  // namespace plumbline
