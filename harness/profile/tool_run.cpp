#include "profile/tool_run.hpp"

namespace plumbline {
namespace {

// Daemons of Open MPI and PRRTE, which a rank without a launcher starts to be its launcher: no part of the program, and they go on for a
// while when it has ended, so that whether their counts are there in time would be chance. They run outside the emulator.
constexpr const char* launchers_daemons = "orted,*/orted,prted,*/prted,prte,*/prte";

std::vector<std::string> words_of(const ToolCommand& command) {
  std::vector<std::string> words{command.valgrind.string(),
                                 "--command-line-only=yes",  // not the user's settings for other tools
                                 "-q",
                                 "--tool=plumbline",
                                 "--fair-sched=yes",
                                 "--trace-children=yes",
                                 std::string("--trace-children-skip=") + launchers_daemons,
                                 "--vgdb=no",  // no pipes for a debugger, which killed processes leave behind
                                 "--sigill-diagnostics=yes",
                                 "--functions=yes",
                                 "--out=" + command.out.string(),
                                 "--log-file=" + command.log.string()};
  words.insert(words.end(), command.tool_options.begin(), command.tool_options.end());
  words.insert(words.end(), command.program.begin(), command.program.end());
  return words;
}

// The variables that exactness needs; what the user has set stays (harness/emulator/README.md).
std::vector<SetVariable> environment_of(const ToolCommand& command) {
  return {{"VALGRIND_LIB", command.tool_directory.string()},
          {"LD_BIND_NOW", "1", false},
          {"OMP_WAIT_POLICY", "passive", false},
          {"HWLOC_COMPONENTS", "-x86", false}};  // CPUID is faked inside
}

}  // namespace

ProgramEnding run_under_tool(const ToolCommand& command) {
  return run_program({command.valgrind, words_of(command), environment_of(command), command.streams});
}

}  // namespace plumbline
