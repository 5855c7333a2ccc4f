// The module for GPUs as its build disassembled it: the functions of each source for each architecture.
#pragma once
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include "counters/sass.hpp"

namespace plumbline {

struct Disassembly {
  std::string why_not = {};                                     // where there is none
  std::map<std::string, std::vector<SassFunction>> parts = {};  // "series.sm_90a"

  /// Functions of a source ("series") for each architecture ("sm_90a").
  std::map<std::string, const std::vector<SassFunction>*> of(const std::string& source) const {
    std::map<std::string, const std::vector<SassFunction>*> all;
    for (const auto& [name, functions] : parts)
      if (name.rfind(source + ".", 0) == 0) all[name.substr(source.size() + 1)] = &functions;
    return all;
  }
};

/// "series": the compiler writes the source's name into the names of all that is in an unnamed namespace.
inline std::string source_of(const std::string& function) {
  static const std::regex pattern("_GLOBAL__N__[0-9a-f]+_[0-9]+_(\\w+?)_cu_[0-9a-f]+");
  std::smatch found;
  return std::regex_search(function, found, pattern) ? found[1].str() : "unknown";
}

inline const Disassembly& disassembled_module() {
  static const Disassembly all = [] {
    Disassembly read;
    for (const auto& file : std::filesystem::directory_iterator(PLUMBLINE_DISASSEMBLY_FOLDER)) {
      if (file.path().extension() != ".sass") continue;
      std::ifstream in(file.path());
      const std::string text(std::istreambuf_iterator<char>(in), {});
      const std::string architecture = file.path().stem().extension().string();
      for (auto& function : read_sass(text)) read.parts[source_of(function.name) + architecture].push_back(std::move(function));
    }
    if (read.parts.empty())
      read.why_not = "the build disassembled nothing: it found no cuobjdump and nvdisasm (bash jobs/cuda_wheels.sh, then configure again)";
    return read;
  }();
  return all;
}

}  // namespace plumbline
