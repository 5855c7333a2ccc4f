#include "counters/sass/launch_counts.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "counters/sass/sass.hpp"
#include "counters/sass/sass_operations.hpp"

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

/// The code in a file, which is read once: some 0.1 s.
const Code& code_in(const fs::path& file) {
  static std::unordered_map<std::string, Code> all;
  const auto found = all.find(file.string());
  return found != all.end() ? found->second : all.emplace(file.string(), read_code(file)).first->second;
}

/// The name of a function, as "plumbline::cuda::each_block<plumbline::(anonymous namespace)::DotBody<double>, ...", without its arguments.
std::string readable(const std::string& mangled) {
  int failed = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &failed), &std::free);
  std::string text = failed == 0 ? name.get() : mangled;
  if (text.starts_with("void ")) text.erase(0, 5);
  constexpr std::size_t most = 100;
  return text.size() > most ? text.substr(0, most) + "..." : text;
}

/// The counts of a launch, of all its threads; `refusal` also where the launch itself or the code leaves something open.
struct CountedLaunch {
  SassCounts counts;
  bool computes = true;  // false: there is no arithmetic in its code, however often that is executed
};
CountedLaunch of_launch(const KernelLaunch& launch, const fs::path& folder) {
  const auto refused = [](std::string why, bool computes = true) {
    CountedLaunch none{.counts = {}, .computes = computes};
    none.counts.refusal = std::move(why);
    return none;
  };
  if (launch.function.empty()) return refused(launch.untold.empty() ? "a graph is launched, whose kernels are not told" : launch.untold);
  const std::string name = readable(launch.function);
  const fs::path file = folder / code_file(launch.architecture);
  const Code& code = code_in(file);
  if (!code.why_not.empty()) return refused(code.why_not);
  const auto function = code.functions.find(launch.function);
  if (function == code.functions.end()) return refused(name + ": not in " + code_file(launch.architecture) + ", which is of another build");
  const auto& instructions = function->second.instructions;
  const bool computes = std::ranges::any_of(instructions, [](const SassInstruction& one) { return arithmetic_of(one).has_value(); });
  if (!launch.facts) {
    const std::string unknown = "its launch does not tell which threads have work and how often its loops run";
    return refused(name + ": " + (launch.untold.empty() ? unknown : launch.untold), computes);
  }
  const LaunchFacts& facts = *launch.facts;
  const SassExecutions times =
      facts.trips_of_all ? SassExecutions{facts.threads, facts.trips, false} : executions(function->second, facts.threads, facts.trips);
  SassCounts counts = executed(function->second, times, facts.guards_let_through ? SassGuards::let_through : SassGuards::may_part);
  if (!counts.refusal.empty()) counts.refusal = name + ": " + counts.refusal;
  if (!counts.uncounted_arithmetic.empty()) counts.uncounted_arithmetic = name + " executes " + counts.uncounted_arithmetic;
  if (!counts.uncounted_access.empty()) counts.uncounted_access = name + " executes " + counts.uncounted_access;
  return {std::move(counts), computes};
}

/// Whether two launches are of the same code, threads and trips.
bool alike(const KernelLaunch& a, const KernelLaunch& b) {
  const auto told = [](const KernelLaunch& launch) {
    const LaunchFacts facts = launch.facts.value_or(LaunchFacts{});
    return std::tuple(launch.facts.has_value(), facts.threads, facts.trips, facts.trips_of_all, facts.guards_let_through);
  };
  return a.function == b.function && a.architecture == b.architecture && a.untold == b.untold && told(a) == told(b);
}

/// Launches are counted one after the other; of those that are alike, as an application's sweep has many, one.
class CountedOnce {
 public:
  explicit CountedOnce(const fs::path& folder) : folder_(folder) {}
  const CountedLaunch& operator()(const KernelLaunch& launch) {
    const auto known = std::ranges::find_if(known_, [&](const auto& one) { return alike(*one.first, launch); });
    return known != known_.end() ? known->second : known_.emplace_back(&launch, of_launch(launch, folder_)).second;
  }

 private:
  const fs::path& folder_;
  std::vector<std::pair<const KernelLaunch*, CountedLaunch>> known_;
};

void note(std::string& reason, const std::string& why) {
  if (reason.empty()) reason = why;
}

}  // namespace

std::string code_file(const std::string& flavor) {
  const char* const module = flavor.starts_with("cuda12-") ? "libplumbline_cuda12." : "libplumbline_cuda.";
  return module + flavor.substr(std::min(flavor.find("sm_"), flavor.size())) + ".sass";
}

LaunchCounts counts_of(std::span<const KernelLaunch> launches, const fs::path& folder) {
  LaunchCounts all;
  if (launches.empty()) all.flops_refusal = all.accesses_refusal = "no launch of a kernel was seen; those of a library and copies are not";
  CountedOnce counted(folder);
  for (const KernelLaunch& launch : launches) {
    const auto& [counts, computes] = counted(launch);
    for (const auto& [kind, times] : counts.flops) all.flops[kind] += times;
    for (const auto& [kind, times] : counts.accesses) all.accesses[kind] += times;
    if (computes) note(all.flops_refusal, counts.refusal);
    note(all.accesses_refusal, counts.refusal);
    if (!counts.uncounted_arithmetic.empty())
      note(all.flops_refusal, counts.uncounted_arithmetic + ", arithmetic of no kind that is counted");
    if (!counts.uncounted_access.empty()) note(all.accesses_refusal, counts.uncounted_access + ", an access of no kind that is counted");
  }
  return all;
}

}  // namespace plumbline
