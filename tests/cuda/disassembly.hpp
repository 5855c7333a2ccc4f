// The disassembled module for GPUs: the functions of each source for each architecture, by tests/cuda/disassemble.py.
#pragma once
#include <cstdio>
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
  std::string why_not = {};                                     // why there is none, where it could not be had
  bool failed = false;                                          // the tools are there and failed
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
    Disassembly made;
    const std::string folder = PLUMBLINE_DISASSEMBLY_FOLDER;
    std::FILE* said = popen(("'" PLUMBLINE_PYTHON "' '" PLUMBLINE_DISASSEMBLE "' '" PLUMBLINE_CUDA_MODULE "' '" + folder + "/sass' '" +
                             folder + "/disassembler' 2>&1")
                                .c_str(),
                            "r");
    char line[512];
    while (said != nullptr && std::fgets(line, sizeof line, said) != nullptr) made.why_not += line;
    const int status = said == nullptr ? -1 : pclose(said);
    if (status != 0) return made.failed = status != 77 * 256, made;
    for (const auto& file : std::filesystem::directory_iterator(folder + "/sass")) {
      std::ifstream in(file.path());
      const std::string text(std::istreambuf_iterator<char>(in), {});
      const std::string architecture = file.path().stem().extension().string();
      for (auto& function : read_sass(text)) made.parts[source_of(function.name) + architecture].push_back(std::move(function));
    }
    return made.why_not.clear(), made;
  }();
  return all;
}

}  // namespace plumbline
