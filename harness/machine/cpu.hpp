// This is what is known of the machine's CPU, and of the instructions that it and its operating system run.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace plumbline {

/// A CPU's name and the ISA levels that run on it.
struct Cpu {
  std::string vendor = {};  // "AuthenticAMD", "GenuineIntel"; "implementer 0x41" (Arm), "IBM"
  std::string name = {};    // "AMD EPYC 9654 96-Core Processor"
  // x86: as the vendors' event tables count, extended parts added. Arm: the part is the model. POWER: the processor version (PVR) is.
  int family = 0, model = 0, stepping = 0;
  // Levels it runs, ascending: v2 v3 v4 (x86-64 psABI); neon, sve256 (SVE by its vectors' bits). Then what adds a precision to one of
  // them: v3vnni (AVX-VNNI), v4bf16, v4fp16, v4vnni (AVX512_VNNI), v4amxbf16, v4amxint8, v4amxfp16 (AMX); neonbf16, sve256bf16.
  std::vector<std::string> isas;
  std::string why_no_tiles = {};  // why this process cannot use the AMX that the CPU has; empty where it can, and where there is none
  bool virtual_machine = false;   // a hypervisor says so

  /// The widest ISA level; "" where no flavor runs.
  std::string best_isa() const;
};

/// Reads the CPU from a /proc/cpuinfo of Arm or POWER: vendor, name and model; no ISA levels.
Cpu cpu_of_cpuinfo(const std::string& path);

/// The CPU as a hypervisor may mask it: `words` are vendor, family, model, and the ISA levels that are left of its own, e.g.
/// "GenuineIntel 6 167 v2 v3". Its name says that it is masked. Throws Error (user) for other words.
Cpu masked_as(const std::string& words, Cpu cpu);

/// The facts of the CPU that runs this; under Valgrind they are Valgrind's. Where it has AMX, the first call asks Linux to let this process
/// use it (machine/tiles.hpp). The environment variable PLUMBLINE_CPU_AS masks them, so that tests of the whole program see other CPUs than
/// the one they run on.
const Cpu& this_cpu();

/// Whether flavors of this ISA level run here; false for an unknown word.
bool runs_isa(std::string_view isa);

}  // namespace plumbline
