#include "profile/symbols.hpp"

#include "core/error.hpp"

#ifdef PLUMBLINE_HAVE_LIBDW

#include <cxxabi.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <gelf.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace plumbline {
namespace {

std::string demangled(const char* symbol) {
  if (std::string_view(symbol).substr(0, 2) != "_Z") return symbol;  // "f" is a C function, and no float
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> name(abi::__cxa_demangle(symbol, nullptr, nullptr, &status), std::free);
  return status == 0 && name != nullptr ? name.get() : symbol;
}

/// Finds separate debug information on this machine, by build id. (elfutils' own search asks servers, too, where DEBUGINFOD_URLS names
/// some: that may take minutes, and tells others what runs here.)
int find_local_debug_file(Dwfl_Module* module, void**, const char*, Dwarf_Addr, const char*, const char*, GElf_Word, char** found) {
  const unsigned char* id = nullptr;
  GElf_Addr address = 0;
  const int bytes = dwfl_module_build_id(module, &id, &address);
  if (bytes < 2) return -1;
  std::string path = fmt::format("/usr/lib/debug/.build-id/{:02x}/", id[0]);
  for (int i = 1; i < bytes; ++i) path += fmt::format("{:02x}", id[i]);
  path += ".debug";
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file >= 0) *found = strdup(path.c_str());
  return file;
}

/// One file as libdw sees it.
class File {
 public:
  explicit File(const std::string& path) : name_(std::filesystem::path(path).filename().string()) {
    static const Dwfl_Callbacks callbacks{.find_elf = dwfl_build_id_find_elf,
                                          .find_debuginfo = find_local_debug_file,
                                          .section_address = dwfl_offline_section_address,
                                          .debuginfo_path = nullptr};
    files_.reset(dwfl_begin(&callbacks));
    if (files_ == nullptr) return;
    dwfl_report_begin(files_.get());
    module_ = dwfl_report_offline(files_.get(), name_.c_str(), path.c_str(), -1);
    dwfl_report_end(files_.get(), nullptr, nullptr);
    if (module_ != nullptr) elf_ = dwfl_module_getelf(module_, &bias_);
    read_parts();
  }

  /// The address of a place in the file; nullopt where none is loaded from there.
  std::optional<std::uint64_t> address_of(std::uint64_t offset) const {
    for (const GElf_Phdr& part : loaded_)
      if (offset >= part.p_offset && offset - part.p_offset < part.p_filesz) return part.p_vaddr + (offset - part.p_offset);
    return std::nullopt;
  }

  /// The function at an address; where one ends is remembered.
  FunctionPlace function_at(std::uint64_t address) {
    const auto behind = found_.upper_bound(address);
    if (behind != found_.begin() && address < std::prev(behind)->second.end) return std::prev(behind)->second.place;
    return find_function(address);
  }
  FunctionPlace whole() const { return {name_, 0}; }

  std::string line_at(std::uint64_t address) {
    if (!units_) read_units();
    const auto behind = units_->upper_bound(bias_ + address);
    if (behind == units_->begin() || bias_ + address >= std::prev(behind)->second.end) return "";
    Unit& unit = std::prev(behind)->second;
    int number = 0;
    Dwarf_Line* const line = dwarf_getsrc_die(&unit.die, bias_ + address - unit.bias);
    const char* const source = line == nullptr || dwarf_lineno(line, &number) != 0 ? nullptr : dwarf_linesrc(line, nullptr, nullptr);
    return source == nullptr || number == 0 ? "" : fmt::format("{}:{}", std::filesystem::path(source).filename().string(), number);
  }

 private:
  struct Found {
    std::uint64_t end;
    FunctionPlace place;
  };
  /// A compiled source, with the bias between libdw's addresses and its own.
  struct Unit {
    std::uint64_t end;
    Dwarf_Addr bias;
    Dwarf_Die die;
  };
  struct Symbol {
    std::uint64_t begin, bytes;
    int visibility;
    const char* name;  // borrowed from libdw
  };

  FunctionPlace find_function(std::uint64_t address) {
    if (elf_ == nullptr) return {name_, 0};
    if (const auto named = by_symbol(address)) return *named;
    constexpr std::uint64_t page = 4096;
    const std::uint64_t begin = by_unwinding_table(address).value_or(address / page * page);
    return {fmt::format("{}+0x{:x}", name_, begin), begin};
  }

  /// Reads which sources' code lies where. (libdw's own search wants .debug_aranges, which clang does not write.)
  void read_units() {
    units_.emplace();
    Dwarf_Addr bias = 0, base = 0, begin = 0, end = 0;
    for (Dwarf_Die* die = nullptr; module_ != nullptr && (die = dwfl_module_nextcu(module_, die, &bias)) != nullptr;)
      for (std::ptrdiff_t at = 0; (at = dwarf_ranges(die, at, &base, &begin, &end)) > 0;)
        units_->insert_or_assign(bias + begin, Unit{bias + end, bias, *die});
  }

  void read_parts() {
    std::size_t parts = 0, size = 0;
    if (elf_ == nullptr || elf_getphdrnum(elf_, &parts) != 0) return;
    const char* const raw = elf_rawfile(elf_, &size);
    contents_ = {raw, raw == nullptr ? 0 : size};
    constexpr std::uint32_t usual_head = 0x3b031b01;  // version 1; encodings: relative to the section, a count, pairs
    for (std::size_t i = 0; i < parts; ++i) {
      GElf_Phdr part;
      if (gelf_getphdr(elf_, static_cast<int>(i), &part) == nullptr) continue;
      if (part.p_type == PT_LOAD) loaded_.push_back(part);
      if (part.p_type == PT_GNU_EH_FRAME) unwinding_ = part.p_vaddr;
    }
    if (!unwinding_) read_descriptions();
    if (unwinding_ && static_cast<std::uint32_t>(word(*unwinding_)) != usual_head) unwinding_.reset();
  }

  std::optional<std::uint64_t> offset_of(std::uint64_t address) const {
    for (const GElf_Phdr& part : loaded_)
      if (address >= part.p_vaddr && address - part.p_vaddr < part.p_filesz) return part.p_offset + (address - part.p_vaddr);
    return std::nullopt;
  }

  /// Reads the symbols of code in the order of their begins; of several at one place the most visible comes last. (libdw's own search goes
  /// through all of them for each address: of a library with 300,000 that is a millisecond.)
  void read_symbols() {
    are_symbols_read_ = true;
    for (int i = 0, n = dwfl_module_getsymtab(module_); i < n; ++i) {
      GElf_Sym symbol;
      GElf_Addr address = 0;
      GElf_Word section = 0;
      const char* const name = dwfl_module_getsym_info(module_, i, &symbol, &address, &section, nullptr, nullptr);
      const auto type = GELF_ST_TYPE(symbol.st_info), binding = GELF_ST_BIND(symbol.st_info);
      const bool is_code = type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE;
      if (name == nullptr || *name == '\0' || !is_code || section == SHN_UNDEF || section == SHN_ABS) continue;
      symbols_.push_back({address - bias_, symbol.st_size, binding == STB_GLOBAL ? 2 : binding == STB_WEAK ? 1 : 0, name});
    }
    std::ranges::stable_sort(symbols_, {}, [](const Symbol& one) { return std::pair(one.begin, one.visibility); });
  }

  FunctionPlace place_of(const Symbol& symbol) {
    FunctionPlace place{demangled(symbol.name), symbol.begin};
    if (symbol.bytes != 0) found_.insert_or_assign(place.begin, Found{place.begin + symbol.bytes, place});
    return place;
  }

  std::optional<FunctionPlace> by_symbol(std::uint64_t address) {
    constexpr int deepest = 64;  // labels inside of a function
    if (!are_symbols_read_) read_symbols();
    const Symbol* label = nullptr;
    bool is_behind_another = false;
    auto at = std::ranges::upper_bound(symbols_, address, {}, &Symbol::begin);
    for (int i = 0; i < deepest && at != symbols_.begin(); ++i) {
      --at;
      if (at->bytes != 0 && address - at->begin < at->bytes) return place_of(*at);
      // One without a size (of assembly) reaches to the next; into one that ends before, nothing leads.
      if (at->bytes == 0 && label == nullptr && !is_behind_another) label = &*at;
      is_behind_another = is_behind_another || at->bytes != 0;
    }
    return label == nullptr ? std::nullopt : std::optional(place_of(*label));
  }

  /// Reads the functions' descriptions (.eh_frame) one behind the other, where no table has them: in programs that were linked statically.
  void read_descriptions() {
    GElf_Shdr section;
    std::size_t names = 0;
    if (elf_getshdrstrndx(elf_, &names) != 0) return;
    for (Elf_Scn* one = nullptr; (one = elf_nextscn(elf_, one)) != nullptr;) {
      const char* const name = gelf_getshdr(one, &section) == nullptr ? nullptr : elf_strptr(elf_, names, section.sh_name);
      if (name == nullptr || std::string_view(name) != ".eh_frame" || (section.sh_flags & SHF_ALLOC) == 0) continue;
      constexpr std::uint64_t head = 8, shortest = 12, longest = 0xfffffff0;
      for (std::uint64_t at = section.sh_addr, length = 0; at + head + shortest < section.sh_addr + section.sh_size; at += 4 + length) {
        length = static_cast<std::uint32_t>(word(at));
        if (length == 0 || length >= longest) break;
        const std::uint64_t field = at + head;  // the begin relative to here, and the size in bytes
        if (word(at + 4) != 0 && length >= shortest)
          described_.insert_or_assign(field + word(field), static_cast<std::uint32_t>(word(field + 4)));
      }
      return;
    }
  }

  std::optional<std::uint64_t> by_description(std::uint64_t address) const {
    const auto behind = described_.upper_bound(address);
    if (behind == described_.begin() || address - std::prev(behind)->first >= std::prev(behind)->second) return std::nullopt;
    return std::prev(behind)->first;
  }

  /// The begin of the function that the unwinding table (.eh_frame_hdr) has at an address: its rows are sorted pairs of a function's begin
  /// and its description, both relative to the table, of 4 bytes each, as every linker writes them.
  std::optional<std::uint64_t> by_unwinding_table(std::uint64_t address) const {
    if (!unwinding_) return by_description(address);
    const auto row = [&](std::uint64_t k, std::uint64_t member) { return *unwinding_ + word(*unwinding_ + 12 + 8 * k + 4 * member); };
    std::uint64_t low = 0, high = static_cast<std::uint32_t>(word(*unwinding_ + 8));
    while (low < high) {
      const std::uint64_t middle = low + (high - low) / 2;
      (row(middle, 0) <= address ? low : high) = row(middle, 0) <= address ? middle + 1 : middle;
    }
    if (low == 0) return std::nullopt;
    const std::uint64_t begin = row(low - 1, 0), description = row(low - 1, 1);
    return address - begin < static_cast<std::uint32_t>(word(description + 12)) ? std::optional(begin) : std::nullopt;
  }

  /// The 4 bytes at an address, signed and widened; 0 where the file has none there.
  std::uint64_t word(std::uint64_t address) const {
    const auto offset = offset_of(address);
    if (!offset || *offset + sizeof(std::int32_t) > contents_.size()) return 0;
    std::int32_t value = 0;
    std::memcpy(&value, contents_.data() + *offset, sizeof value);
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
  }

  struct End {
    void operator()(Dwfl* files) const { dwfl_end(files); }
  };
  std::string name_;
  std::unique_ptr<Dwfl, End> files_;
  Dwfl_Module* module_ = nullptr;
  Elf* elf_ = nullptr;
  GElf_Addr bias_ = 0;                    // between libdw's addresses and the file's own
  std::map<std::uint64_t, Found> found_;  // by begin
  std::optional<std::map<std::uint64_t, Unit>> units_;
  std::vector<Symbol> symbols_;
  bool are_symbols_read_ = false;
  std::string_view contents_;  // borrowed from libdw
  std::vector<GElf_Phdr> loaded_;
  std::optional<std::uint64_t> unwinding_;            // the address of .eh_frame_hdr
  std::map<std::uint64_t, std::uint32_t> described_;  // without it: functions' sizes by their begins
};

}  // namespace

class Symbols::Files {
 public:
  File& of(const std::string& path) { return files_.try_emplace(path, path).first->second; }

 private:
  std::map<std::string, File> files_;
};

Symbols::Symbols() : files_(std::make_unique<Files>()) {}
Symbols::~Symbols() = default;

FunctionPlace Symbols::at_offset(const std::string& object, std::uint64_t file_offset) {
  if (!object.starts_with('/')) return {object.empty() ? "???" : object, 0};
  File& file = files_->of(object);
  const auto address = file.address_of(file_offset);
  return address ? file.function_at(*address) : file.whole();
}

FunctionPlace Symbols::at_address(const std::string& object, std::uint64_t address) {
  if (!object.starts_with('/')) return {object.empty() ? "???" : object, 0};
  return files_->of(object).function_at(address);
}

std::optional<std::uint64_t> Symbols::address_of(const std::string& object, std::uint64_t file_offset) {
  return object.starts_with('/') ? files_->of(object).address_of(file_offset) : std::nullopt;
}

std::string Symbols::line_at(const std::string& object, std::uint64_t address) {
  return object.starts_with('/') ? files_->of(object).line_at(address) : "";
}

}  // namespace plumbline

#else  // without libdw

namespace plumbline {

class Symbols::Files {};

Symbols::Symbols() {
  throw user_error(
      "this build cannot name the functions of a sampled program, for elfutils' libdw was not there: install libdw-dev (elfutils-devel; "
      "Spack: elfutils) and build anew; profile --count-only needs no libdw");
}
Symbols::~Symbols() = default;
FunctionPlace Symbols::at_offset(const std::string&, std::uint64_t) { return {}; }
FunctionPlace Symbols::at_address(const std::string&, std::uint64_t) { return {}; }
std::optional<std::uint64_t> Symbols::address_of(const std::string&, std::uint64_t) { return std::nullopt; }
std::string Symbols::line_at(const std::string&, std::uint64_t) { return ""; }

}  // namespace plumbline

#endif
