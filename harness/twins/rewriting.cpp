#include "twins/rewriting.hpp"

#include <algorithm>
#include <cctype>
#include <set>
#include <vector>

#include "twins/instruction.hpp"
#include "twins/operands.hpp"

namespace plumbline::twins {
namespace {

bool is_symbol_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '$'; }

/// The label before the ':' at the beginning of a statement; empty where there is none.
std::string_view label_of(std::string_view statement) {
  const auto end = std::find_if_not(statement.begin(), statement.end(), is_symbol_character);
  const auto length = static_cast<std::size_t>(end - statement.begin());
  return end != statement.end() && *end == ':' && length > 0 ? statement.substr(0, length) : std::string_view();
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

std::string_view without_comment(std::string_view line) { return trimmed(line.substr(0, line.find('#'))); }

struct Symbols {
  std::set<std::string, std::less<>> global, defined;
};

Symbols symbols_in(const std::vector<std::string_view>& lines) {
  Symbols symbols;
  for (const std::string_view line : lines) {
    const std::string_view statement = without_comment(line);
    if (statement.starts_with(".globl")) symbols.global.emplace(trimmed(statement.substr(6)));
    if (const auto label = label_of(statement); !label.empty()) symbols.defined.emplace(label);
  }
  return symbols;
}

/// The line with "_counted" behind each global symbol.
std::string renamed(std::string_view line, const Symbols& symbols) {
  std::string text;
  for (std::size_t i = 0; i < line.size();) {
    std::size_t end = i;
    while (end < line.size() && is_symbol_character(line[end])) ++end;
    const std::string_view word = line.substr(i, std::max<std::size_t>(1, end - i));
    text += word;
    if (symbols.global.contains(word)) text += "_counted";
    i += word.size();
  }
  return text;
}

struct Block {
  Access access = {};
  std::string unknown = {};  // what of it is not known
};

class Rewriting {
 public:
  explicit Rewriting(const Symbols& symbols) : symbols_(symbols) {}

  void add(std::string_view line) {
    std::string_view statement = without_comment(line);
    for (std::string_view label = label_of(statement); !label.empty(); label = label_of(statement)) {
      head_pending_ = true;
      text_ += renamed(label, symbols_) + ":\n";
      statement = trimmed(statement.substr(label.size() + 1));
    }
    if (statement.starts_with('.'))
      add_directive(line, statement);
    else
      add_instructions(statement);
  }

  std::string finished(std::string_view table) && {
    add_counts();
    add_blocks();
    add_table(table);
    return std::move(text_);
  }

 private:
  void add_directive(std::string_view line, std::string_view statement) {
    const std::string_view word = statement.substr(0, statement.find_first_of(" \t"));
    if (word == ".text") in_code_ = true;
    if (word == ".data" || word == ".bss") in_code_ = false;
    if (word == ".section")
      in_code_ = statement.find(".text") != std::string_view::npos || statement.find(",\"ax") != std::string_view::npos;
    static const std::set<std::string_view> changes_code{
        ".rept",  ".irp",    ".irpc", ".macro",  ".if",      ".byte",     ".long",       ".quad",        ".value",     ".word",
        ".ascii", ".string", ".zero", ".incbin", ".include", ".previous", ".popsection", ".pushsection", ".subsection"};
    const bool elsewhere = word == ".previous" || word == ".popsection" || word == ".pushsection";
    if ((in_code_ || elsewhere) && changes_code.contains(word)) unfollowed_ = std::string(word);
    text_ += renamed(line, symbols_) + "\n";
  }

  void add_instructions(std::string_view statements) {
    while (!statements.empty()) {
      const auto end = statements.find(';');
      if (const auto statement = trimmed(statements.substr(0, end)); !statement.empty()) add_instruction(statement);
      statements.remove_prefix(end == std::string_view::npos ? statements.size() : end + 1);
    }
  }

  void add_instruction(std::string_view statement) {
    if (head_pending_) begin_block();
    const Instruction instruction = parsed(statement);
    const Access access = access_of(instruction, masks_);
    Block& block = blocks_.back();
    block.access.load += access.load;
    block.access.store += access.store;
    block.access.nt_store += access.nt_store;
    if (!access.known || leaves_the_object(instruction)) block.unknown = std::string(statement);
    masks_.follow(instruction);
    text_ += "\t" + renamed(statement, symbols_) + "\n";
    head_pending_ = ends_block(instruction);
  }

  /// Whether the instruction leaves the object: nobody counts what runs there.
  bool leaves_the_object(const Instruction& instruction) const {
    const std::string target = target_of(instruction);
    if (target.empty()) return is_call(instruction);
    const bool is_local_number = std::isdigit(static_cast<unsigned char>(target[0])) != 0;  // "1b" of inline assembly
    return !is_local_number && !symbols_.defined.contains(target);
  }

  void begin_block() {
    const std::string count = std::to_string(8 * blocks_.size()) + "+.Lplumbline_executions(%rip)";
    text_ += "\tmovq %rax, .Lplumbline_saved(%rip)\n\tmovq " + count + ", %rax\n\tleaq 1(%rax), %rax\n\tmovq %rax, " + count +
             "\n\tmovq .Lplumbline_saved(%rip), %rax\n";
    blocks_.emplace_back();
    masks_.clear();
    head_pending_ = false;
  }

  void add_counts() {
    text_ += "\t.section .bss.plumbline,\"aw\",@nobits\n\t.balign 64\n.Lplumbline_saved:\n\t.zero 64\n.Lplumbline_executions:\n\t.zero " +
             std::to_string(8 * blocks_.size()) + "\n";
  }

  void add_blocks() {
    text_ += "\t.section .data.rel.ro.plumbline,\"aw\",@progbits\n\t.balign 8\n.Lplumbline_blocks:\n";
    for (std::size_t at = 0; at < blocks_.size(); ++at) {
      const Block& block = blocks_[at];
      const bool known = block.unknown.empty() && unfollowed_.empty();
      text_ += "\t.long " + std::to_string(block.access.load) + "," + std::to_string(block.access.store) + "," +
               std::to_string(block.access.nt_store) + ",0\n\t.quad " + (known ? "0" : ".Lplumbline_unknown" + std::to_string(at)) + "\n";
    }
    for (std::size_t at = 0; at < blocks_.size(); ++at) {
      const std::string& why = blocks_[at].unknown.empty() ? unfollowed_ : blocks_[at].unknown;
      if (!why.empty()) text_ += ".Lplumbline_unknown" + std::to_string(at) + ":\n\t.asciz \"" + quotable(why) + "\"\n";
    }
  }

  static std::string quotable(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c == '"' || c == '\\' || c == '\t'; }, ' ');
    return text;
  }

  void add_table(std::string_view table) {
    const std::string name(table);
    text_ += "\t.balign 8\n\t.globl " + name + "\n\t.type " + name + ",@object\n" + name + ":\n\t.quad " + std::to_string(blocks_.size()) +
             "\n\t.quad .Lplumbline_executions\n\t.quad .Lplumbline_blocks\n\t.size " + name +
             ",24\n\t.section .note.GNU-stack,\"\",@progbits\n";
  }

  const Symbols& symbols_;
  std::string text_;
  std::vector<Block> blocks_;
  KnownMasks masks_;
  std::string unfollowed_;  // a directive that hides instructions from this
  bool in_code_ = true, head_pending_ = true;
};

}  // namespace

std::string counted_twin(std::string_view assembly, std::string_view table) {
  const auto lines = lines_of(assembly);
  const Symbols symbols = symbols_in(lines);
  Rewriting rewriting(symbols);
  for (const std::string_view line : lines) rewriting.add(line);
  return std::move(rewriting).finished(table);
}

}  // namespace plumbline::twins
