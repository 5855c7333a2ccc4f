#include "counters/launch_counts.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <unordered_map>

#include "core/error.hpp"
#include "counters/disassembled.hpp"
#include "counters/sass.hpp"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

/// The functions of a file by name; why there are none.
struct Code {
  std::unordered_map<std::string, SassFunction> functions = {};
  std::string why_not = {};
};

Code read_code(const fs::path& file) {
  std::ifstream in(file);
  if (!in) return {{}, "the module's code is not here (" + file.string() + " cannot be read)"};
  Code code;
  try {
    for (auto& function : read_sass(std::string(std::istreambuf_iterator<char>(in), {}))) {
      std::string name = function.name;
      code.functions.emplace(std::move(name), std::move(function));
    }
  } catch (const Error& broken) {
    code.why_not = file.string() + ": " + broken.what();
  }
  return code;
}

/// Read once: some 0.1 s.
const Code& code_in(const fs::path& file) {
  static std::unordered_map<std::string, Code> all;
  const auto found = all.find(file.string());
  return found != all.end() ? found->second : all.emplace(file.string(), read_code(file)).first->second;
}

/// "plumbline::cuda::each_block<plumbline::(anonymous namespace)::DotBody<double>, ...", without its arguments.
std::string readable(const std::string& mangled) {
  int failed = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &failed), &std::free);
  std::string text = failed == 0 ? name.get() : mangled;
  if (text.starts_with("void ")) text.erase(0, 5);
  constexpr std::size_t most = 100;
  return text.size() > most ? text.substr(0, most) + "..." : text;
}

/// Of one thread; `refusal` also where the launch itself or the code leaves something open.
SassCounts of_a_thread(const KernelLaunch& launch, const fs::path& folder) {
  const auto refused = [](std::string why) {
    SassCounts none;
    none.refusal = std::move(why);
    return none;
  };
  if (launch.function.empty()) return refused("a graph is launched, whose kernels are not told");
  const std::string name = readable(launch.function);
  if (!launch.facts) return refused(name + ": its launch does not tell which threads have work and how often its loops run");
  const Code& code = code_in(folder / code_file(launch.architecture));
  if (!code.why_not.empty()) return refused(code.why_not);
  const auto function = code.functions.find(launch.function);
  if (function == code.functions.end()) return refused(name + ": not in " + code_file(launch.architecture) + ", which is of another build");
  SassCounts counts = executed_by_a_thread(function->second, launch.facts->trips,
                                           launch.facts->guards_let_through ? SassGuards::let_through : SassGuards::may_part);
  if (!counts.refusal.empty()) counts.refusal = name + ": " + counts.refusal;
  if (!counts.uncounted_arithmetic.empty()) counts.uncounted_arithmetic = name + " executes " + counts.uncounted_arithmetic;
  if (!counts.uncounted_access.empty()) counts.uncounted_access = name + " executes " + counts.uncounted_access;
  return counts;
}

void note(std::string& reason, const std::string& why) {
  if (reason.empty()) reason = why;
}

}  // namespace

LaunchCounts counts_of(std::span<const KernelLaunch> launches, const fs::path& folder) {
  LaunchCounts all;
  if (launches.empty()) all.flops_refusal = all.accesses_refusal = "no launch of a kernel was seen";
  for (const KernelLaunch& launch : launches) {
    const SassCounts thread = of_a_thread(launch, folder);
    const std::uint64_t threads = launch.facts ? launch.facts->threads : 0;
    for (const auto& [kind, times] : thread.flops) all.flops[kind] += threads * times;
    for (const auto& [kind, times] : thread.accesses) all.accesses[kind] += threads * times;
    note(all.flops_refusal, thread.refusal);
    note(all.accesses_refusal, thread.refusal);
    if (!thread.uncounted_arithmetic.empty())
      note(all.flops_refusal, thread.uncounted_arithmetic + ", arithmetic of no kind that is counted");
    if (!thread.uncounted_access.empty()) note(all.accesses_refusal, thread.uncounted_access + ", an access of no kind that is counted");
  }
  return all;
}

}  // namespace plumbline
