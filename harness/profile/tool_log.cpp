#include "profile/tool_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <string_view>

namespace plumbline {
namespace {

// "==123== text" -> "text"; "**123** " and "--123-- " too.
std::string without_process(const std::string& line) {
  for (const std::string_view mark : {"==", "**", "--"}) {
    if (!line.starts_with(mark)) continue;
    const auto end = line.find(mark, mark.size());
    if (end != line.npos && line.find_first_not_of("0123456789", mark.size()) == end)
      return line.substr(std::min(line.size(), end + mark.size() + 1));
  }
  return line;
}

// The place in a line of a stack: "   at 0x109139: wide (kernel.c:12)" -> "wide (kernel.c:12)".
std::string place_of(const std::string& line) {
  const auto at = line.find("at 0x");
  const auto colon = line.find(": ", at);
  return at == line.npos || colon == line.npos ? "" : line.substr(colon + 2);
}

bool begins_evex(const std::string& bytes) { return bytes.starts_with("0x62 "); }

// Valgrind's explanation of an unknown instruction, which explain() says in one line, and its stack traces.
bool is_explained(const std::string& line) {
  constexpr std::string_view known[] = {"Your program just tried",
                                        "did not recognise",
                                        "1. Your program has",
                                        "   location.",
                                        "   warning about",
                                        "2. The instruction is",
                                        "   i.e. it's",
                                        "   you are not sure",
                                        "Either way",
                                        "probably kill",
                                        "Process terminating",
                                        " Illegal opcode",
                                        "   at 0x",
                                        "   by 0x",
                                        "vex amd64->IR:",
                                        "assumed next %rip",
                                        " actual next %rip"};
  return line.empty() || std::any_of(std::begin(known), std::end(known), [&](auto begin) { return line.starts_with(begin); });
}

// Remarks on huge pages and on debug information, which change no count.
bool says_nothing_of_counts(const std::string& line) {
  constexpr std::string_view known[] = {"WARNING: valgrind ignores shmget(shmflg) SHM_HUGETLB", "### unhandled dwarf2 abbrev form code"};
  return std::any_of(std::begin(known), std::end(known), [&](auto begin) { return line.starts_with(begin); });
}

// Reads a failure from "VALGRIND INTERNAL ERROR: reason", or from the line behind "vex: the `impossible' happened:"; all that follows is
// for who mends Valgrind, save where the program was.
class FailureReader {
 public:
  /// Whether the line is part of the story of a failure.
  bool takes(const std::string& line) {
    constexpr std::string_view internal = "VALGRIND INTERNAL ERROR: ";
    if (line.starts_with(internal)) {
      failure_.reason = line.substr(internal.size());
      return failing_ = true;
    }
    if (line.ends_with("the `impossible' happened:") || line.ends_with("the 'impossible' happened:")) {
      wants_reason_ = failure_.reason.empty();
      return failing_ = true;
    }
    if (wants_reason_) failure_.reason = line.substr(std::min(line.size(), line.find_first_not_of(' ')));
    wants_reason_ = false;
    if (wants_place_) failure_.place = place_of(line);
    wants_place_ = failing_ && failure_.place.empty() && line.starts_with("Thread ") && line.find("VgTs_Runnable") != line.npos;
    return failing_;
  }
  const ToolFailure& failure() const { return failure_; }

 private:
  ToolFailure failure_;
  bool failing_ = false, wants_reason_ = false, wants_place_ = false;
};

}  // namespace

ToolLog read_tool_log(const std::string& text) {
  ToolLog log;
  std::istringstream in(text);
  std::string bytes;
  bool wants_place = false;
  FailureReader failing;
  for (std::string raw; std::getline(in, raw);) {
    const std::string line = without_process(raw);
    constexpr std::string_view undecoded = "vex amd64->IR: unhandled instruction bytes: ";
    if (failing.takes(line)) continue;
    if (line.starts_with(undecoded)) {
      bytes = line.substr(undecoded.size());
    } else if (line.starts_with("valgrind: Unrecognised instruction")) {
      log.unknown.push_back({bytes, "", begins_evex(bytes)});
      bytes.clear();
      wants_place = true;
    } else if (wants_place) {
      log.unknown.back().place = place_of(line);
      wants_place = false;
    } else if (!is_explained(line) && !says_nothing_of_counts(line) &&
               std::find(log.remarks.begin(), log.remarks.end(), line) == log.remarks.end()) {
      log.remarks.push_back(line);
    }
  }
  log.failure = failing.failure();
  return log;
}

std::string explain(const UnknownInstruction& instruction) {
  const std::string where = instruction.place.empty() ? "" : " in " + instruction.place;
  if (instruction.avx512)
    return fmt::format(
        "AVX-512 instruction{}: the emulator runs up to x86-64-v3; build the program with -march=x86-64-v3, and let libraries that "
        "choose by themselves choose AVX2 (OPENBLAS_CORETYPE=Haswell, MKL_ENABLE_INSTRUCTIONS=AVX2, BLIS_ARCH_TYPE=haswell)",
        where);
  if (!instruction.bytes.empty())
    return fmt::format(
        "the instruction that begins {}{} is one that Valgrind itself does not know, though x86-64-v3 may have it: build this code without "
        "it (another compiler or -march=x86-64-v2; 'objdump -d' shows it)",
        instruction.bytes, where);
  return fmt::format("the program ran into an invalid instruction of its own{}, as natively", where);
}

std::string explain(const ToolFailure& failure) {
  const bool translating = failure.reason.starts_with("disInstr");
  return fmt::format("Valgrind itself failed{}: {}; {}", failure.place.empty() ? "" : " at " + failure.place, failure.reason,
                     translating
                         ? "it cannot translate an instruction there: build this code without it (-march=x86-64-v2, or another compiler)"
                         : "a fault of the emulator's, not of the program's: try --caches=no, or count a smaller case");
}

}  // namespace plumbline
