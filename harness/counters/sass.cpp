#include "counters/sass.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

#include "core/error.hpp"

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

std::string_view stem_of(std::string_view opcode) { return opcode.substr(0, opcode.find('.')); }

const Arithmetic* arithmetic_of(const SassInstruction& one) {
  const auto found =
      std::find_if(arithmetic.begin(), arithmetic.end(), [&](const Arithmetic& a) { return a.opcode == stem_of(one.opcode); });
  return found == arithmetic.end() ? nullptr : &*found;
}

/// Constants are moved by an HFMA2 of zeros, and a half is widened by an HADD2: no arithmetic of the program's. A GPU's counters see the
/// former all the same, which model/counted_case.cpp allows for.
bool only_moves(const SassInstruction& one) {
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

bool is(const SassInstruction& one, std::string_view stem) { return stem_of(one.opcode) == stem; }
bool is_branch(const SassInstruction& one) { return is(one, "BRA"); }
bool ends(const SassInstruction& one) { return one.guard.empty() && (is(one, "EXIT") || is_branch(one)); }

/// Where the way of a thread is not in the code itself.
bool goes_elsewhere(const SassInstruction& one) {
  constexpr std::array<std::string_view, 8> stems{"BRX", "JMP", "JMX", "CALL", "RET", "BRXU", "JMXU", "PEXIT"};
  return one.opcode.starts_with("BRA.DIV") || std::find(stems.begin(), stems.end(), stem_of(one.opcode)) != stems.end();
}

bool accesses_memory(const SassInstruction& one) {
  constexpr std::array<std::string_view, 12> stems{"LDG", "STG", "LDS", "STS", "LD", "ST", "LDL", "STL", "ATOM", "ATOMG", "RED", "LDGSTS"};
  return std::find(stems.begin(), stems.end(), stem_of(one.opcode)) != stems.end();
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.remove_suffix(1);
  return text;
}

/// Takes the word at the beginning of `text`.
std::string take_word(std::string_view& text) {
  const std::size_t end = std::min(text.find(' '), text.size());
  const std::string word(text.substr(0, end));
  text = trimmed(text.substr(end));
  return word;
}

class Reader {
 public:
  void read(std::string_view line) {
    ++line_;
    line = trimmed(line);
    if (line.empty() || line.starts_with("//") || line.starts_with("--") || line.starts_with("/*0x")) return;
    if (line.starts_with("/*")) return read_instruction(line);
    if (line.ends_with(":")) return read_label(line.substr(0, line.size() - 1));
    if (line.starts_with(".section")) return finish();
    if (!line.starts_with(".")) refuse("neither an instruction nor a label");
  }
  std::vector<SassFunction> take() {
    finish();
    return std::move(functions_);
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const { throw io_error("disassembly, line " + std::to_string(line_) + ": " + why); }

  void read_label(std::string_view label) {
    if (label.starts_with(".text.")) {
      finish();
      current_.emplace().name = label.substr(6);
    } else if (current_) {
      labels_[std::string(label)] = current_->instructions.size();
    }
  }

  /// "/*00b0*/ @P0 EXIT ;", "/*0170*/ @!P0 BRA `(.L_x_32) ;" with what -hex adds behind the semicolon.
  void read_instruction(std::string_view line) {
    if (!current_) return;  // constants of other sections
    const std::size_t end = line.find("*/"), stop = line.find(';');
    if (end == line.npos || stop == line.npos || stop < end) refuse("an instruction that does not end");
    std::string_view text = trimmed(line.substr(end + 2, stop - end - 2));
    if (text.starts_with("{") || text.ends_with("}")) refuse("instructions issued in pairs: a GPU that is not known here");
    SassInstruction one;
    if (text.starts_with("@")) one.guard = take_word(text);
    one.opcode = take_word(text);
    one.operands = text;
    const std::size_t label = text.find("`(");
    if (const std::size_t comma = text.find(','); is_branch(one) && comma != text.npos)
      one.guard = "@" + std::string(text.substr(0, comma));  // BRA.U !UP0, `(.L_x_32)
    wanted_.push_back(label == text.npos ? "" : std::string(text.substr(label + 2, text.find(')', label) - label - 2)));
    current_->instructions.push_back(std::move(one));
  }

  void finish() {
    if (current_) {
      auto& all = current_->instructions;
      for (std::size_t i = 0; i < all.size(); ++i)
        if (const auto found = labels_.find(wanted_[i]); is_branch(all[i]) && found != labels_.end()) all[i].target = found->second;
      find_loops();
      functions_.push_back(std::move(*current_));
    }
    current_.reset(), labels_.clear(), wanted_.clear();
  }

  std::vector<bool> reached() const {
    const auto& all = current_->instructions;
    std::vector<bool> seen(all.size());
    std::vector<std::size_t> open{0};
    while (!open.empty()) {
      const std::size_t i = open.back();
      open.pop_back();
      if (i >= all.size() || seen[i]) continue;
      seen[i] = true;
      if (all[i].target != SassInstruction::none) open.push_back(all[i].target);
      if (!ends(all[i])) open.push_back(i + 1);
    }
    return seen;
  }

  void find_loops() {
    const auto& all = current_->instructions;
    const auto seen = reached();
    for (std::size_t i = 0; i < all.size(); ++i)
      if (seen[i] && all[i].target <= i) current_->loops.push_back({all[i].target, i});
    std::stable_sort(current_->loops.begin(), current_->loops.end(),
                     [](const SassLoop& a, const SassLoop& b) { return a.first < b.first; });
  }

  std::size_t line_ = 0;
  std::optional<SassFunction> current_;
  std::map<std::string, std::size_t> labels_;
  std::vector<std::string> wanted_;  // the labels that instructions name
  std::vector<SassFunction> functions_;
};

class Counting {
 public:
  Counting(const SassFunction& function, std::span<const std::uint64_t> trips) : function_(function), trips_(trips) {}

  SassCounts counts() const {
    SassCounts counts;
    counts.refusal = obstacle();
    if (!counts.refusal.empty()) return counts;
    for (std::size_t i = 0; i < all().size() && !is_end(i); ++i) {
      const std::uint64_t times = times_of(i);
      counts.opcodes[std::string(stem_of(all()[i].opcode))] += times;
      if (const Arithmetic* how = arithmetic_of(all()[i]); how != nullptr && how->operations != 0 && !only_moves(all()[i]))
        counts.flops[kind_of(all()[i], *how)] += operations_of(all()[i], *how) * times;
    }
    return counts;
  }

 private:
  const std::vector<SassInstruction>& all() const { return function_.instructions; }
  /// The one way out at the end: what stands behind it is no code of the function's.
  bool is_end(std::size_t i) const { return i > 0 && ends(all()[i - 1]) && is(all()[i - 1], "EXIT"); }

  std::uint64_t times_of(std::size_t i) const {
    std::uint64_t times = 1;
    for (std::size_t l = 0; l < trips_.size(); ++l)
      if (function_.loops[l].first <= i && i <= function_.loops[l].last) times *= trips_[l];
    return times;
  }

  std::string obstacle() const {
    if (function_.loops.size() != trips_.size())
      return "the code has " + std::to_string(function_.loops.size()) + " loops where the trips of " + std::to_string(trips_.size()) +
             " are known";
    if (std::find(trips_.begin(), trips_.end(), 0U) != trips_.end()) return "a loop without a trip: its guard skips it";
    for (std::size_t i = 0; i < all().size() && !is_end(i); ++i)
      if (auto why = obstacle_at(i); !why.empty()) return why + " (instruction " + std::to_string(i) + ": " + text_of(i) + ")";
    return "";
  }

  std::string text_of(std::size_t i) const { return all()[i].guard + (all()[i].guard.empty() ? "" : " ") + all()[i].opcode; }
  bool matters(std::size_t i) const { return (arithmetic_of(all()[i]) != nullptr && !only_moves(all()[i])) || accesses_memory(all()[i]); }
  bool any_matters(std::size_t first, std::size_t end) const {
    for (std::size_t i = first; i < end; ++i)
      if (matters(i)) return true;
    return false;
  }

  std::string obstacle_at(std::size_t i) const {
    const SassInstruction& one = all()[i];
    if (goes_elsewhere(one)) return "the code goes elsewhere";
    if (matters(i) && !one.guard.empty()) return "under a predicate, which may differ between threads";
    if (is(one, "EXIT") && !one.guard.empty()) return any_matters(0, i) ? "threads end at different places" : "";
    if (is(one, "BRA") && one.target == SassInstruction::none) return "a branch to a place that is not known";
    if (!is_branch(one) || one.target <= i) return "";
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

  const SassFunction& function_;
  std::span<const std::uint64_t> trips_;
};

}  // namespace

std::vector<std::string> SassFunction::body(const SassLoop& loop) const {
  std::vector<std::string> opcodes;
  for (std::size_t i = loop.first; i <= loop.last; ++i) opcodes.push_back(instructions[i].opcode);
  return opcodes;
}

std::vector<SassFunction> read_sass(std::string_view text) {
  Reader reader;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1);
    reader.read(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  return reader.take();
}

SassCounts executed_by_a_thread(const SassFunction& function, std::span<const std::uint64_t> trips) {
  return Counting(function, trips).counts();
}

}  // namespace plumbline
