// The module for GPUs as its build disassembled it: functions of each source, with those that were compiled at once, for each architecture.
#pragma once
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include "counters/sass/sass.hpp"

namespace plumbline {

struct Disassembly {
  std::string why_not = {};                                     // where there is none
  std::map<std::string, std::vector<SassFunction>> parts = {};  // "series_shared.sm_90a"

  /// Functions of a source ("series"), and of those that were compiled with it, for each architecture ("sm_90a").
  std::map<std::string, const std::vector<SassFunction>*> of(const std::string& source) const {
    std::map<std::string, const std::vector<SassFunction>*> all;
    for (const auto& [name, functions] : parts)
      if (const auto dot = name.find('.'); ("_" + name.substr(0, dot) + "_").find("_" + source + "_") != name.npos)
        all[name.substr(dot + 1)] = &functions;
    return all;
  }
};

/// The sources that were compiled at once and one of which a function is from, as "series_shared": the compiler writes the name of what it
/// compiles into the names of all that is in an unnamed namespace.
inline std::string sources_of(const std::string& function) {
  static const std::regex pattern("_GLOBAL__N__[0-9a-f]+_[0-9]+_(\\w+?)_cu_[0-9a-f]+");
  std::smatch found;
  return std::regex_search(function, found, pattern) ? found[1].str() : "unknown";
}

/// The resources that a thread of a function takes.
struct SassResources {
  int registers = 0, stack_bytes = 0;
};
/// The resources by architecture ("sm_90a") and mangled name, of the functions with such a part in it.
inline std::map<std::string, std::map<std::string, SassResources>> resources_of(const std::string& part) {
  std::map<std::string, std::map<std::string, SassResources>> all;
  std::ifstream in(std::string(PLUMBLINE_DISASSEMBLY_FOLDER) + "/libplumbline_cuda.resources");
  const std::regex arch("arch = (sm_\\w+)"), named(" *Function (\\w+):"), taken(" *REG:(\\d+) STACK:(\\d+) .*");
  std::string architecture, function;
  std::smatch found;
  for (std::string line; std::getline(in, line);)
    if (std::regex_match(line, found, arch))
      architecture = found[1];
    else if (std::regex_match(line, found, named))
      function = found[1];
    else if (function.find(part) != function.npos && std::regex_match(line, found, taken))
      all[architecture][function] = {std::stoi(found[1]), std::stoi(found[2])};
  return all;
}

inline const Disassembly& disassembled_module() {
  static const Disassembly all = [] {
    Disassembly read;
    for (const auto& file : std::filesystem::directory_iterator(PLUMBLINE_DISASSEMBLY_FOLDER)) {
      if (file.path().extension() != ".sass" || file.path().stem().stem() != "libplumbline_cuda") continue;  // not that of CUDA 12
      std::ifstream in(file.path());
      const std::string text(std::istreambuf_iterator<char>(in), {});
      const std::string architecture = file.path().stem().extension().string();
      for (auto& function : read_sass(text)) read.parts[sources_of(function.name) + architecture].push_back(std::move(function));
    }
    if (read.parts.empty())
      read.why_not = "the build disassembled nothing: it found no cuobjdump and nvdisasm (bash jobs/cuda_wheels.sh, then configure again)";
    return read;
  }();
  return all;
}

}  // namespace plumbline
