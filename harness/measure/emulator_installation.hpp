// The emulator's tool, the valgrind that starts it and this program are found, and must belong together.
#pragma once
#include <filesystem>
#include <string>

#include "core/core_pipes.hpp"
#include "counters/backend/backend.hpp"

namespace plumbline {

struct EmulatorInstallation {
  std::filesystem::path tool_directory, valgrind;
  std::string tool_version, valgrind_version;  // "3.19.0": what the tool is linked with, and what valgrind calls itself; empty: unknown
  unsigned tool_abi = 0;                       // of its client requests; 0: unknown
  Availability availability;                   // not ok: why it cannot be used, and what to do
};

/// Looks for the tool beside this program (../lib/plumbline/valgrind; PLUMBLINE_EMULATOR_DIR overrides) and for the valgrind that starts
/// it, which it asks for its version.
EmulatorInstallation find_emulator();

/// The valgrind beside the program, else beside the tool (where the build puts the one of its own prefix, jobs/valgrind.sh), else on PATH;
/// empty when there is none.
std::filesystem::path find_valgrind(const std::filesystem::path& program_folder, const std::filesystem::path& tool_directory);

/// The emulator's option for a core to simulate: "--core=6,320,176,2,2,4,2,1,3,3,4,64", in the order of its CoreGeometry (emulator/core.h).
std::string core_option(const CorePipes& core);

/// The first executable file of that name on PATH; empty when there is none.
std::filesystem::path find_on_path(const std::string& program);

}  // namespace plumbline
