#include <algorithm>
#include <array>

#include "counters/sass.hpp"
#include "counters/sass_path.hpp"

namespace plumbline {
namespace {

struct Arithmetic {
  std::string_view opcode;  // before the first dot
  const char* quantity;
  std::uint64_t operations;  // a thread's, FMAs counted as one
};
// Halves: bfloat16 where the opcode says so (kind_of), and one where it is not two (halves_of).
constexpr std::array arithmetic{
    Arithmetic{"DADD", "flops.fp64.add", 1},
    Arithmetic{"DMUL", "flops.fp64.mul", 1},
    Arithmetic{"DFMA", "flops.fp64.fma", 1},
    Arithmetic{"FADD", "flops.fp32.add", 1},
    Arithmetic{"FMUL", "flops.fp32.mul", 1},
    Arithmetic{"FFMA", "flops.fp32.fma", 1},
    Arithmetic{"FADD2", "flops.fp32.add", 2},
    Arithmetic{"FMUL2", "flops.fp32.mul", 2},
    Arithmetic{"FFMA2", "flops.fp32.fma", 2},
    Arithmetic{"HADD2", "flops.fp16.add", 2},
    Arithmetic{"HMUL2", "flops.fp16.mul", 2},
    Arithmetic{"HFMA2", "flops.fp16.fma", 2},
    // What is counted by no kind of its own, but must not be passed over either.
    Arithmetic{"MUFU", "", 0},
    Arithmetic{"HMMA", "", 0},
    Arithmetic{"DMMA", "", 0},
    Arithmetic{"IMMA", "", 0},
    Arithmetic{"HGMMA", "", 0},
    Arithmetic{"IGMMA", "", 0},
    Arithmetic{"QGMMA", "", 0},
    Arithmetic{"UTCHMMA", "", 0},
    Arithmetic{"UTCQMMA", "", 0},
};

const Arithmetic* arithmetic_of(const SassInstruction& one) {
  const auto found = std::find_if(arithmetic.begin(), arithmetic.end(), [&](const Arithmetic& a) { return a.opcode == one.stem(); });
  return found == arithmetic.end() ? nullptr : &*found;
}

/// Constants are moved by an HFMA2 of zeros, a half is widened by an HADD2, integers are divided by a reciprocal: no arithmetic of the
/// program's. A GPU's counters see the former all the same, which model/counted_case.cpp allows for.
bool only_moves(const SassInstruction& one) {
  if (one.of_integers) return true;
  if (!one.opcode.starts_with("H")) return false;
  return one.opcode.find(".F32") != one.opcode.npos || one.operands.find("-RZ, RZ,") != one.operands.npos;
}

/// A register or a constant of the program's, neither a number in the instruction nor the register of zeros.
bool is_variable(std::string_view operand) {
  operand.remove_prefix(std::min(operand.find_first_not_of(" -|~"), operand.size()));
  return (operand.starts_with("R") || operand.starts_with("UR") || operand.starts_with("c[")) && !operand.starts_with("RZ") &&
         !operand.starts_with("URZ");
}

/// Arithmetic on halves is on pairs. Where each of its operands is one half for both, only one number comes of it.
std::uint64_t halves_of(const SassInstruction& one) {
  std::string_view operands = one.operands;
  for (std::size_t comma = operands.find(','); comma != operands.npos; comma = operands.find(',')) {
    operands.remove_prefix(comma + 1);
    const std::string_view operand = operands.substr(0, operands.find(','));
    if (is_variable(operand) && operand.find(".H0_H0") == operand.npos && operand.find(".H1_H1") == operand.npos) return 2;
  }
  return 1;
}

std::uint64_t operations_of(const SassInstruction& one, const Arithmetic& how) {
  return one.opcode.starts_with("H") && how.operations == 2 ? halves_of(one) : how.operations;
}

std::string kind_of(const SassInstruction& one, const Arithmetic& how) {
  std::string kind = how.quantity;
  if (one.opcode.find("BF16") != one.opcode.npos) kind.replace(kind.find("fp16"), 4, "bf16");
  return kind;
}

/// Where the way of a thread is not in the code itself.
bool goes_elsewhere(const SassInstruction& one) {
  constexpr std::array<std::string_view, 8> stems{"BRX", "JMP", "JMX", "CALL", "RET", "BRXU", "JMXU", "PEXIT"};
  return one.opcode.starts_with("BRA.DIV") || std::find(stems.begin(), stems.end(), one.stem()) != stems.end();
}

/// What an access is counted as. Without a name: by none, but not to be passed over either.
struct Access {
  std::string_view opcode;
  const char *instructions, *bytes;
};
constexpr const char *global_load = "bytes.reg-L1.load", *global_store = "bytes.reg-L1.store", *shared_load = "bytes.reg-shared.load",
                     *shared_store = "bytes.reg-shared.store";
constexpr std::array accesses{
    Access{"LDG", "loads", global_load},
    Access{"STG", "stores", global_store},
    Access{"LDS", "shared_loads", shared_load},
    Access{"STS", "shared_stores", shared_store},
    Access{"LD", nullptr, nullptr},
    Access{"ST", nullptr, nullptr},
    Access{"LDL", nullptr, nullptr},
    Access{"STL", nullptr, nullptr},
    Access{"LDSM", nullptr, nullptr},
    Access{"STSM", nullptr, nullptr},
    Access{"LDGSTS", nullptr, nullptr},
    Access{"ATOM", nullptr, nullptr},
    Access{"ATOMG", nullptr, nullptr},
    Access{"ATOMS", nullptr, nullptr},
    Access{"RED", nullptr, nullptr},
    Access{"REDG", nullptr, nullptr},
    Access{"TEX", nullptr, nullptr},
    Access{"TLD", nullptr, nullptr},
    Access{"SULD", nullptr, nullptr},
    Access{"SUST", nullptr, nullptr},
    Access{"UBLKCP", nullptr, nullptr},
    Access{"UTMALDG", nullptr, nullptr},
    Access{"UTMASTG", nullptr, nullptr},
    Access{"HGMMA", nullptr, nullptr},  // their operands lie in shared memory
    Access{"IGMMA", nullptr, nullptr},
    Access{"QGMMA", nullptr, nullptr},
};

const Access* access_of(const SassInstruction& one) {
  const auto found = std::find_if(accesses.begin(), accesses.end(), [&](const Access& a) { return a.opcode == one.stem(); });
  return found == accesses.end() ? nullptr : &*found;
}

/// Of one thread: "LDG.E.128.STRONG.GPU" 16, "LDG.E.U16" 2, "LDG.E" 4.
std::uint64_t bytes_of(const SassInstruction& one) {
  struct Width {
    std::string_view word;
    std::uint64_t bytes;
  };
  constexpr std::array widths{Width{"U8", 1}, Width{"S8", 1},   Width{"U16", 2}, Width{"S16", 2},
                              Width{"64", 8}, Width{"128", 16}, Width{"256", 32}};
  for (std::string_view rest = one.opcode; !rest.empty();) {
    const std::string_view word = rest.substr(0, rest.find('.'));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    for (const auto& [name, bytes] : widths)
      if (word == name) return bytes;
  }
  return 4;
}

bool matters(const SassInstruction& one) { return (arithmetic_of(one) != nullptr && !only_moves(one)) || access_of(one) != nullptr; }

class Counting {
 public:
  Counting(const SassFunction& function, std::span<const std::uint64_t> trips) : function_(function), trips_(trips) {}

  /// Of threads that may part ways: all of it up to the end, where nothing counted lets them.
  SassCounts of_all() const {
    SassCounts counts;
    counts.refusal = obstacle();
    for (std::size_t i = 0; counts.refusal.empty() && i < all().size() && !is_end(i); ++i) add(counts, i);
    return counts;
  }

  SassCounts of_the_fullest_path() const {
    SassCounts counts;
    if (counts.refusal = wrong_loops(); !counts.refusal.empty()) return counts;
    const SassPath path = fullest_path(function_, trips_, [&](std::size_t i) { return matters(all()[i]); });
    counts.refusal = path.refusal;
    for (std::size_t i = 0; counts.refusal.empty() && i < all().size(); ++i)
      if (path.executed[i]) counts.refusal = obstacle_on(path, i);
    for (std::size_t i = 0; counts.refusal.empty() && i < all().size(); ++i)
      if (path.executed[i]) add(counts, i);
    return counts;
  }

 private:
  const std::vector<SassInstruction>& all() const { return function_.instructions; }
  /// The one way out at the end: what stands behind it is no code of the function's.
  bool is_end(std::size_t i) const { return i > 0 && all()[i - 1].ends() && all()[i - 1].stem() == "EXIT"; }

  void add(SassCounts& counts, std::size_t i) const {
    const SassInstruction& one = all()[i];
    const std::uint64_t times = times_of(i);
    counts.opcodes[std::string(one.stem())] += times;
    if (const Arithmetic* how = arithmetic_of(one); how != nullptr && !only_moves(one)) {
      if (how->operations == 0)
        counts.uncounted_arithmetic = one.opcode;
      else
        counts.flops[kind_of(one, *how)] += operations_of(one, *how) * times;
    }
    if (const Access* what = access_of(one); what != nullptr && what->bytes == nullptr) {
      counts.uncounted_access = one.opcode;
    } else if (what != nullptr) {
      counts.accesses[what->instructions] += times;
      counts.accesses[what->bytes] += times * bytes_of(one);
    }
  }

  std::uint64_t times_of(std::size_t i) const {
    std::uint64_t times = 1;
    for (std::size_t l = 0; l < trips_.size(); ++l)
      if (function_.loops[l].first <= i && i <= function_.loops[l].last) times *= trips_[l];
    return times;
  }

  std::string wrong_loops() const {
    if (function_.loops.size() == trips_.size()) return "";
    return "the code has " + std::to_string(function_.loops.size()) + " loops where the trips of " + std::to_string(trips_.size()) +
           " are known";
  }

  std::string obstacle() const {
    if (auto why = wrong_loops(); !why.empty()) return why;
    if (std::find(trips_.begin(), trips_.end(), 0U) != trips_.end()) return "a loop without a trip: its guard skips it";
    for (std::size_t i = 0; i < all().size() && !is_end(i); ++i)
      if (auto why = obstacle_at(i); !why.empty()) return at(i, why);
    return "";
  }

  std::string at(std::size_t i, const std::string& why) const {
    const SassInstruction& one = all()[i];
    return why + " (instruction " + std::to_string(i) + ": " + one.guard + (one.guard.empty() ? "" : " ") + one.opcode + ")";
  }
  bool any_matters(std::size_t first, std::size_t end) const {
    return std::any_of(all().begin() + static_cast<std::ptrdiff_t>(first), all().begin() + static_cast<std::ptrdiff_t>(end), matters);
  }

  std::string obstacle_at(std::size_t i) const {
    const SassInstruction& one = all()[i];
    if (goes_elsewhere(one)) return "the code goes elsewhere";
    if (matters(one) && !one.guard.empty()) return "under a predicate, which may differ between threads";
    if (one.stem() == "EXIT" && !one.guard.empty()) return any_matters(0, i) ? "threads end at different places" : "";
    if (one.is_branch() && one.target == SassInstruction::none) return "a branch to a place that is not known";
    if (!one.is_branch() || one.target <= i) return "";
    return forward_obstacle(i, one.target);
  }

  std::string forward_obstacle(std::size_t i, std::size_t target) const {
    for (const SassLoop& loop : function_.loops)
      if (loop.first <= i && i <= loop.last && target > loop.last) return "a second way out of a loop";
    if (all()[i].guard.empty()) return "code that is laid out apart";
    if (guards_a_loop(i, target)) return "";
    return any_matters(i + 1, target) ? "a branch that may leave out what is counted" : "";
  }

  /// Skips from ahead of exactly one loop to right behind it: with a trip, it is not taken.
  bool guards_a_loop(std::size_t i, std::size_t target) const {
    return std::count_if(function_.loops.begin(), function_.loops.end(),
                         [&](const SassLoop& loop) { return i < loop.first && loop.last + 1 == target; }) == 1;
  }

  /// Guards let the thread through, but never both of two that exclude each other.
  std::string obstacle_on(const SassPath& path, std::size_t i) const {
    const SassInstruction& one = all()[i];
    if (goes_elsewhere(one)) return at(i, "the code goes elsewhere");
    if (one.is_branch() && one.target == SassInstruction::none) return at(i, "a branch to a place that is not known");
    if (one.guard.empty() || !matters(one)) return "";
    const std::string opposite = one.guard.starts_with("@!") ? "@" + one.guard.substr(2) : "@!" + one.guard.substr(1);
    for (std::size_t j = 0; j < i; ++j)
      if (path.executed[j] && matters(all()[j]) && all()[j].guard == opposite) return at(i, "under a predicate and under its opposite");
    return "";
  }

  const SassFunction& function_;
  std::span<const std::uint64_t> trips_;
};

}  // namespace

SassCounts executed_by_a_thread(const SassFunction& function, std::span<const std::uint64_t> trips, SassGuards guards) {
  const Counting counting(function, trips);
  return guards == SassGuards::let_through ? counting.of_the_fullest_path() : counting.of_all();
}

}  // namespace plumbline
