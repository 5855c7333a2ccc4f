#include "machine/tiles.hpp"

#include <cerrno>
#include <cstring>

#if defined(__x86_64__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace plumbline {
namespace {

constexpr std::uint64_t state_of_tiles = std::uint64_t{3} << 17;  // XTILECFG and XTILEDATA

/// The first thing that is missing of a CPU with tiles, but for the permission; empty where nothing is.
std::string missing(const TileFacts& facts) {
  if (!facts.bf16 && !facts.int8 && !facts.fp16) return "CPUID tells AMX-TILE, but none of AMX-BF16, AMX-INT8 and AMX-FP16";
  if ((facts.saved_state & state_of_tiles) != state_of_tiles) return "the operating system does not save tiles (XCR0 lacks bit 17 or 18)";
  if (facts.tiles < 8 || facts.rows < 16 || facts.row_bytes < 64) return "CPUID's palette 1 has less than 8 tiles of 16 rows of 64 bytes";
  return {};
}

}  // namespace

bool tiles_are_there(const TileFacts& facts) { return facts.tile && missing(facts).empty(); }

Tiles tiles_of(const TileFacts& facts) {
  if (!facts.tile) return {};
  if (const std::string what = missing(facts); !what.empty()) return {.why_none = what};
  if (facts.refused != 0)
    return {.why_none = std::string("the kernel refuses them: arch_prctl(ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA): ") +
                        std::strerror(facts.refused)};
  Tiles tiles;
  if (facts.bf16) tiles.isas.emplace_back("v4amxbf16");
  if (facts.int8) tiles.isas.emplace_back("v4amxint8");
  if (facts.fp16) tiles.isas.emplace_back("v4amxfp16");
  return tiles;
}

int ask_for_tiles() {
#if defined(__x86_64__)
  constexpr int arch_req_xcomp_perm = 0x1023, xfeature_xtiledata = 18;  // asm/prctl.h; Linux, Documentation/arch/x86/xstate.rst
  return syscall(SYS_arch_prctl, arch_req_xcomp_perm, xfeature_xtiledata) == 0 ? 0 : errno;
#else
  return ENOSYS;
#endif
}

}  // namespace plumbline
