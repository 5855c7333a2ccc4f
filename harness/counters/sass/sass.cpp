#include "counters/sass/sass.hpp"

#include <algorithm>
#include <cctype>
#include <optional>

#include "core/error.hpp"

namespace plumbline {
namespace {

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

  /// Reads an instruction, "/*00b0*/ @P0 EXIT ;", "/*0170*/ @!P0 BRA `(.L_x_32) ;" with what -hex adds behind the semicolon.
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
    if (const std::size_t comma = text.find(','); one.is_branch() && comma != text.npos)
      one.guard = "@" + std::string(text.substr(0, comma));  // BRA.U !UP0, `(.L_x_32)
    wanted_.push_back(label == text.npos ? "" : std::string(text.substr(label + 2, text.find(')', label) - label - 2)));
    current_->instructions.push_back(std::move(one));
  }

  void finish() {
    if (current_) {
      auto& all = current_->instructions;
      for (std::size_t i = 0; i < all.size(); ++i)
        if (const auto found = labels_.find(wanted_[i]); may_jump(i) && found != labels_.end()) all[i].target = found->second;
      find_loops();
      find_integer_divisions();
      find_estimates();
      find_clocks();
      functions_.push_back(std::move(*current_));
    }
    current_.reset(), labels_.clear(), wanted_.clear();
  }

  /// Subroutines have names, "$__internal_0_$__cuda_sm20_rem_u64"; places of the function itself have numbers.
  bool may_jump(std::size_t i) const {
    const auto& one = current_->instructions[i];
    return one.is_branch() || (one.stem() == "CALL" && wanted_[i].starts_with(".L_"));
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
      if (!all[i].ends()) open.push_back(i + 1);
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
    join_waits();
  }

  /// Joins the waits at a loop's end into the loop. The threads of a warp may wait for one another there on sm_75: VOTE, YIELD, VOTEU, the
  /// branch back of the loop, and one to the vote. That is the loop's own end.
  void join_waits() {
    auto& loops = current_->loops;
    const auto waits = [&](const SassLoop& loop) {
      const auto& all = current_->instructions;
      return all[loop.first].stem() == "VOTE" && all[loop.first + 1].stem() == "YIELD" && all[loop.last].guard.empty();
    };
    for (SassLoop& loop : loops)
      for (const SassLoop& wait : loops)
        if (wait.last == loop.last + 1 && loop.first < wait.first && waits(wait)) {
          loop.last = wait.last;
          break;
        }
    std::erase_if(loops, [&](const SassLoop& one) {
      return waits(one) &&
             std::any_of(loops.begin(), loops.end(), [&](const SassLoop& loop) { return loop.last == one.last && loop.first < one.first; });
    });
  }

  /// The instruction that wrote the last of an instruction's operands, ahead of it in the code.
  const SassInstruction* writer_of_last_operand(std::size_t i) const {
    const auto& all = current_->instructions;
    const std::string_view operands = all[i].operands;
    const std::size_t comma = operands.rfind(", ");
    if (comma == operands.npos) return nullptr;
    const std::string written = std::string(operands.substr(comma + 2)) + ",";
    while (i-- > 0)
      if (all[i].operands.starts_with(written)) return &all[i];
    return nullptr;
  }

  /// Finds "I2F.U32.RP R0, R7; MUFU.RCP R0, R0": the reciprocal of an integer, rounded up, which only a division of integers asks for.
  void find_integer_divisions() {
    auto& all = current_->instructions;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].opcode == "MUFU.RCP") {
        const SassInstruction* writer = writer_of_last_operand(i);
        all[i].of_integers = writer != nullptr && (writer->stem() == "I2F" || writer->stem() == "UI2F") && writer->opcode.ends_with(".RP");
      }
      if (all[i].stem() == "CALL")
        for (const char* division : {"__cuda_sm20_div_u64", "__cuda_sm20_rem_u64", "__cuda_sm20_div_s64", "__cuda_sm20_rem_s64"})
          all[i].of_integers = all[i].of_integers || wanted_[i].ends_with(division);
    }
  }

  /// Finds "MUFU.RCP R0, R7; FFMA R2, -R7, R0, 1": an estimate of a reciprocal whose error is computed next, by a Newton step. In fp64
  /// "MUFU.RCP64H R13, R43; DFMA R36, -R42, R12, 1" it is the upper half of a pair of registers.
  void find_estimates() {
    auto& all = current_->instructions;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const bool wide = all[i].opcode == "MUFU.RCP64H";
      if (all[i].of_integers || !(wide || all[i].opcode == "MUFU.RCP")) continue;
      const auto its = operands_of(all[i]);
      if (its.size() != 2) continue;
      const std::string estimate = wide ? lower_half(its[0]) : its[0], of = wide ? lower_half(its[1]) : its[1];
      for (std::size_t j = i + 1; j < all.size() && !all[i].is_estimate && !all[j].is_branch(); ++j) {
        const auto others = operands_of(all[j]);
        if (all[j].stem() == (wide ? "DFMA" : "FFMA") && others.size() == 4 && others[3] == "1")
          all[i].is_estimate = (others[1] == estimate && others[2] == of) || (others[1] == of && others[2] == estimate);
        // The lower half of the pair may be set to 0 only now.
        if (!others.empty() && (others[0] == its[0] || (others[0] == estimate && all[j].opcode.starts_with("D")))) break;
      }
    }
  }
  /// The operands without signs and reuse: "R36", "R42", "R12", "1".
  static std::vector<std::string> operands_of(const SassInstruction& one) {
    std::vector<std::string> all;
    for (std::string_view rest = one.operands; !rest.empty();) {
      std::string_view word = trimmed(rest.substr(0, rest.find(',')));
      rest.remove_prefix(std::min(rest.size(), rest.find(',') == rest.npos ? rest.size() : rest.find(',') + 1));
      if (word.starts_with("-")) word.remove_prefix(1);
      all.emplace_back(word.substr(0, word.find(".reuse")));
    }
    return all;
  }
  /// The register R12 of the pair whose upper half is R13.
  static std::string lower_half(const std::string& upper) {
    return upper.size() < 2 || upper.find_first_not_of("0123456789", 1) != upper.npos
               ? ""
               : "R" + std::to_string(std::stoi(upper.substr(1)) - 1);
  }

  /// Finds stores of the clock: "CS2R R2, SR_CLOCKLO; STG.E.64 desc[UR8][R4.64], R2".
  void find_clocks() {
    auto& all = current_->instructions;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].stem() != "STG") continue;
      const SassInstruction* writer = writer_of_last_operand(i);
      if (writer == nullptr || writer->stem() != "CS2R") continue;
      all[i].of_the_clock = writer->operands.ends_with("SR_CLOCKLO") || writer->operands.ends_with("SR_GLOBALTIMERLO");
    }
  }

  std::size_t line_ = 0;
  std::optional<SassFunction> current_;
  std::map<std::string, std::size_t> labels_;
  std::vector<std::string> wanted_;  // the labels that instructions name
  std::vector<SassFunction> functions_;
};

}  // namespace

std::string_view SassInstruction::stem() const { return std::string_view(opcode).substr(0, opcode.find('.')); }
bool SassInstruction::is_branch() const { return stem() == "BRA" || (stem() == "CALL" && target != none); }
bool SassInstruction::ends() const { return guard.empty() && (stem() == "EXIT" || is_branch()); }

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

}  // namespace plumbline
