// A process may use the matrix tiles of x86 (AMX) if the CPU has them, the operating system saves them, and it has the permission.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace plumbline {

/// The facts on which the use of tiles depends. A hypervisor can hide any part.
struct TileFacts {
  bool tile = false, bf16 = false, int8 = false, fp16 = false;  // AMX-TILE, AMX-BF16, AMX-INT8, AMX-FP16 (CPUID, leaf 7)
  std::uint64_t saved_state = 0;                                // XCR0
  std::uint32_t tiles = 0, rows = 0, row_bytes = 0;             // the largest that palette 1 allows (CPUID, leaf 0x1d)
  int refused = 0;                                              // the error number of the kernel's refusal, 0 where it gave its permission
};

/// The ISAs of tiles that run here, or why there are none.
struct Tiles {
  std::vector<std::string> isas = {};  // v4amxbf16, v4amxint8, v4amxfp16
  std::string why_none = {};           // where there are none though the CPU has AMX-TILE
};

/// Whether all but the permission is there: only then is it worth asking for.
bool tiles_are_there(const TileFacts& facts);

/// The ISAs of tiles that run by these facts, or the first thing that is missing; neither for a CPU without tiles.
Tiles tiles_of(const TileFacts& facts);

/// Asks Linux for the tiles' registers, of which it gives none unasked (arch_prctl, ARCH_REQ_XCOMP_PERM): for this process with all its
/// threads, until it executes another program. Gives 0, or the error number of the refusal.
int ask_for_tiles();

}  // namespace plumbline
