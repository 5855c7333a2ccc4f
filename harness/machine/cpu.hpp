// Which CPU this is, and which instructions it (and its operating system) runs.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace plumbline {

struct Cpu {
  std::string vendor = {};                  // "AuthenticAMD", "GenuineIntel"; "ARM implementer 0x41" and the like elsewhere
  std::string name = {};                    // "AMD EPYC 9654 96-Core Processor"
  int family = 0, model = 0, stepping = 0;  // as the event tables of the vendors count: extended parts added; 0 off x86
  // Levels it runs, ascending: v2 v3 v4 (x86-64 psABI); neon, sve256 (SVE by its vectors' bits). Then what adds a precision to the last
  // of them: v4bf16, v4fp16; neonbf16, sve256bf16.
  std::vector<std::string> isas;
  bool virtual_machine = false;  // a hypervisor says so

  /// The widest level; "" where no flavor runs.
  std::string best_isa() const;
};

/// Facts of the CPU that runs this; under Valgrind they are Valgrind's.
const Cpu& this_cpu();

/// Whether flavors of this ISA level run here; false for an unknown word.
bool runs_isa(std::string_view isa);

}  // namespace plumbline
