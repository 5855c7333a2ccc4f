// AMX may be used by some facts of CPUs and systems that are not here, and by others not.
#include "machine/tiles.hpp"

#include <gtest/gtest.h>

#include <cerrno>

#include "machine/cpu.hpp"

namespace plumbline {
namespace {

using Isas = std::vector<std::string>;

const TileFacts sapphire_rapids{.tile = true, .bf16 = true, .int8 = true, .saved_state = 0x602e7, .tiles = 8, .rows = 16, .row_bytes = 64};

/// The reason for which there are none.
std::string why_none(TileFacts facts) {
  const Tiles tiles = tiles_of(facts);
  EXPECT_TRUE(tiles.isas.empty());
  return tiles.why_none;
}

TEST(tiles, each_type_that_cpuid_tells_is_an_isa) {
  EXPECT_EQ(tiles_of(sapphire_rapids).isas, (Isas{"v4amxbf16", "v4amxint8"}));
  EXPECT_EQ(tiles_of(sapphire_rapids).why_none, "");
  TileFacts granite_rapids = sapphire_rapids;
  granite_rapids.fp16 = true;
  EXPECT_EQ(tiles_of(granite_rapids).isas, (Isas{"v4amxbf16", "v4amxint8", "v4amxfp16"}));
}

TEST(tiles, a_cpu_without_them_needs_no_reason_and_is_not_asked_for) {
  EXPECT_EQ(why_none({.saved_state = 0x2e7}), "");
  EXPECT_FALSE(tiles_are_there({.saved_state = 0x2e7}));
  EXPECT_TRUE(tiles_are_there(sapphire_rapids));
}

TEST(tiles, whatever_a_hypervisor_or_an_old_kernel_hides_is_named) {
  TileFacts facts = sapphire_rapids;
  facts.bf16 = facts.int8 = false;
  EXPECT_NE(why_none(facts).find("none of AMX-BF16, AMX-INT8 and AMX-FP16"), std::string::npos);
  EXPECT_FALSE(tiles_are_there(facts));
  for (const std::uint64_t state : {0x2e7U, 0x202e7U, 0x402e7U}) {
    facts = sapphire_rapids;
    facts.saved_state = state;
    EXPECT_NE(why_none(facts).find("XCR0"), std::string::npos) << state;
    EXPECT_FALSE(tiles_are_there(facts));
  }
  facts = sapphire_rapids;
  facts.tiles = facts.rows = facts.row_bytes = 0;
  EXPECT_NE(why_none(facts).find("palette 1"), std::string::npos);
  EXPECT_FALSE(tiles_are_there(facts));
}

TEST(tiles, a_refusal_is_told_in_the_kernels_words) {
  TileFacts facts = sapphire_rapids;
  facts.refused = EPERM;
  EXPECT_TRUE(tiles_are_there(facts)) << "it is worth asking";
  const std::string why = why_none(facts);
  EXPECT_NE(why.find("ARCH_REQ_XCOMP_PERM"), std::string::npos) << why;
  EXPECT_NE(why.find("Operation not permitted"), std::string::npos) << why;
}

TEST(tiles, this_cpu_has_isas_of_tiles_or_a_reason_but_never_both) {
  bool some = false;
  for (const std::string& isa : this_cpu().isas) some = some || isa.starts_with("v4amx");
  EXPECT_FALSE(some && !this_cpu().why_no_tiles.empty()) << this_cpu().why_no_tiles;
  EXPECT_TRUE(!some || ask_for_tiles() == 0) << "what was granted is granted again";
}

}  // namespace
}  // namespace plumbline
