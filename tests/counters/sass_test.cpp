// Disassembly is read as text: loops and what a thread executes; and each thing over which threads may part ways is refused.
#include "counters/sass/sass.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"

namespace plumbline {
namespace {

using Trips = std::vector<std::uint64_t>;

/// A function of these instructions and labels, one a line, with the exit of idle threads and the trap behind the end.
std::string code(const std::string& lines) {
  return ".section .text.f,\"ax\",@progbits\n.text.f:\n /*0000*/ LDC R1, c[0x0][0x28] ;\n /*0010*/ @P0 EXIT ;\n" + lines +
         " /*0100*/ EXIT ;\n.L_trap:\n /*0110*/ BRA `(.L_trap);\n /*0120*/ NOP;\n.L_end:\n";
}
SassCounts counts(const std::string& lines, const Trips& trips = {}) {
  const auto functions = read_sass(code(lines));
  EXPECT_EQ(functions.size(), 1U);
  return executed_by_a_thread(functions.at(0), trips);
}
std::string refusal(const std::string& lines, const Trips& trips = {}) {
  const SassCounts said = counts(lines, trips);
  EXPECT_TRUE(said.refusal.empty() || (said.flops.empty() && said.opcodes.empty())) << "a refusal says no number";
  return said.refusal;
}

constexpr const char* guarded_loop = R"( /*0020*/ @!P0 BRA `(.L_2) ;
 /*0030*/ FMUL R1, R2, R3 ;
.L_1:
 /*0040*/ DFMA R2, R4, R2, UR8 ;
 /*0050*/ DADD R6, R4, R2 ;
 /*0060*/ @!P0 BRA `(.L_1) ;
.L_2:
)";

TEST(sass, a_guarded_loop_counts_its_body_by_its_trips_and_what_is_around_it_once) {
  const SassCounts said = counts(guarded_loop, {7});
  EXPECT_EQ(said.refusal, "");
  EXPECT_EQ(said.flops, (std::map<std::string, std::uint64_t>{{"flops.fp64.fma", 7}, {"flops.fp64.add", 7}, {"flops.fp32.mul", 1}}));
  EXPECT_EQ(said.opcodes.at("BRA"), 1 + 7U);
  EXPECT_EQ(said.opcodes.count("NOP"), 0U) << "what stands behind the end is not executed";
}

TEST(sass, a_branch_on_a_predicate_of_the_whole_warp_is_one_on_a_condition) {
  EXPECT_EQ(counts(".L_1:\n /*0020*/ FADD R1, R2, R3 ;\n /*0030*/ BRA.U UP0, `(.L_1) ;\n", {9}).flops.at("flops.fp32.add"), 9U);
  EXPECT_NE(refusal(" /*0020*/ BRA.U !UP0, `(.L_9) ;\n /*0030*/ FADD R1, R2, R3 ;\n.L_9:\n").find("may leave out"), std::string::npos);
}

TEST(sass, nested_loops_multiply) {
  const auto said = counts(
      ".L_1:\n /*0020*/ FADD R1, R2, R3 ;\n.L_2:\n /*0030*/ FFMA R1, R2, R3, R4 ;\n /*0040*/ @P1 BRA `(.L_2) ;\n"
      " /*0050*/ @P0 BRA `(.L_1) ;\n",
      {3, 5});
  EXPECT_EQ(said.flops, (std::map<std::string, std::uint64_t>{{"flops.fp32.add", 3}, {"flops.fp32.fma", 15}})) << said.refusal;
}

TEST(sass, packed_arithmetic_counts_both_and_moved_constants_and_widened_halves_none) {
  const auto said = counts(
      " /*0020*/ HFMA2.MMA R1, -RZ, RZ, 0, 0 ;\n /*0030*/ HFMA2 R1, R2, R3, R4 ;\n /*0040*/ HADD2.BF16_V2 R1, R2, R3 ;\n"
      " /*0050*/ HADD2.F32 R1, -RZ, R2.H0_H0 ;\n /*0060*/ FFMA2 R2, R4, R6, R8 ;\n");
  EXPECT_EQ(said.flops, (std::map<std::string, std::uint64_t>{{"flops.fp16.fma", 2}, {"flops.bf16.add", 2}, {"flops.fp32.fma", 2}}));
}

TEST(sass, an_instruction_on_two_halves_counts_one_where_both_are_the_same) {
  EXPECT_EQ(counts(" /*0020*/ HFMA2 R5, R5.H0_H0, R2.H0_H0, R2.H1_H1 ;\n").flops.at("flops.fp16.fma"), 1U);
  EXPECT_EQ(counts(" /*0020*/ HFMA2 R5, R5, R2.H0_H0, R2.H1_H1 ;\n").flops.at("flops.fp16.fma"), 2U);
  EXPECT_EQ(counts(" /*0020*/ HFMA2.BF16_V2 R5, R5.H0_H0, 1, 1, -R2.H0_H0 ;\n").flops.at("flops.bf16.fma"), 1U);
  EXPECT_EQ(counts(" /*0020*/ HFMA2.BF16_V2 R5, R5, 1, 1, -RZ ;\n").flops.at("flops.bf16.fma"), 2U);
  EXPECT_EQ(counts(" /*0020*/ HMUL2.BF16_V2 R5, R5.H0_H0, UR7.H0_H0 ;\n").flops.at("flops.bf16.mul"), 1U);
}

TEST(sass, a_branch_over_what_is_not_counted_is_no_matter) {
  EXPECT_EQ(refusal(" /*0020*/ @P1 BRA `(.L_9) ;\n /*0030*/ IADD3 R1, R2, R3, RZ ;\n.L_9:\n /*0040*/ FADD R1, R2, R3 ;\n"), "");
}

TEST(sass, where_threads_may_part_ways_nothing_is_said_but_why) {
  const struct {
    const char *lines, *why;
    Trips trips;
  } refused[] = {
      {" /*0020*/ @P1 FADD R1, R2, R3 ;\n", "under a predicate", {}},
      {" /*0020*/ @!P1 LDG.E R1, desc[UR4][R2.64] ;\n", "under a predicate", {}},
      {" /*0020*/ @P1 BRA `(.L_9) ;\n /*0030*/ FADD R1, R2, R3 ;\n.L_9:\n", "may leave out", {}},
      {" /*0020*/ @P1 BRA `(.L_9) ;\n /*0030*/ STG.E desc[UR4][R2.64], R3 ;\n.L_9:\n", "may leave out", {}},
      {" /*0020*/ FADD R1, R2, R3 ;\n /*0030*/ @P1 EXIT ;\n /*0040*/ FADD R1, R2, R3 ;\n", "end at different places", {}},
      {" /*0020*/ CALL.REL.NOINC `($helper) ;\n.L_9:\n", "goes elsewhere", {}},
      {" /*0020*/ BRX R2 -0x20 ;\n", "goes elsewhere", {}},
      {guarded_loop, "1 loops where the trips of 0", {}},
      {guarded_loop, "1 loops where the trips of 2", {1, 1}},
      {guarded_loop, "work ahead of a loop that may have no trip", {0}},
      {".L_1:\n /*0020*/ FADD R1, R2, R3 ;\n /*0030*/ @P0 BRA `(.L_1) ;\n", "that nothing skips", {0}},
      {".L_1:\n /*0020*/ FADD R1, R2, R3 ;\n /*0030*/ @P1 EXIT ;\n /*0040*/ FADD R1, R2, R3 ;\n /*0050*/ BRA `(.L_1) ;\n",
       "end at different places",
       {4}},
      {" /*0020*/ CS2R R2, SR_CLOCKLO ;\n /*0030*/ @!P0 STG.E.64 desc[UR8][R4.64], R2 ;\n", "1 places instead of 4", {}},
      {".L_1:\n /*0020*/ FADD R1, R2, R3 ;\n /*0030*/ @P1 BRA `(.L_9) ;\n /*0040*/ @P0 BRA `(.L_1) ;\n.L_9:\n", "second way out", {4}},
      {" /*0020*/ @P1 BRA 0x80 ;\n", "not known", {}},
  };
  for (const auto& [lines, why, trips] : refused)
    EXPECT_NE(refusal(lines, trips).find(why), std::string::npos) << lines << refusal(lines, trips);
}

TEST(sass, accesses_count_by_memory_and_width) {
  const auto said = counts(
      " /*0020*/ LDG.E.64 R2, desc[UR4][R2.64] ;\n /*0030*/ LDG.E.128.STRONG.GPU R4, desc[UR4][R2.64] ;\n /*0040*/ STG.E.U16 "
      "desc[UR4][R2.64], R3 ;\n"
      ".L_1:\n /*0050*/ LDS R1, [R2] ;\n /*0060*/ STS.64 [R2], R4 ;\n /*0070*/ @P0 BRA `(.L_1) ;\n",
      {5});
  EXPECT_EQ(said.accesses, (std::map<std::string, std::uint64_t>{{"loads", 2},
                                                                 {"bytes.reg-L1.load", 8 + 16},
                                                                 {"stores", 1},
                                                                 {"bytes.reg-L1.store", 2},
                                                                 {"shared_loads", 5},
                                                                 {"bytes.reg-shared.load", 20},
                                                                 {"shared_stores", 5},
                                                                 {"bytes.reg-shared.store", 40}}))
      << said.refusal;
}

TEST(sass, what_is_of_no_kind_that_is_counted_is_named) {
  EXPECT_EQ(counts(" /*0020*/ MUFU.RCP R1, R2 ;\n").uncounted_arithmetic, "MUFU.RCP");
  EXPECT_EQ(counts(" /*0020*/ ATOMG.E.ADD PT, R1, desc[UR4][R2.64], R3 ;\n").uncounted_access, "ATOMG.E.ADD");
  EXPECT_EQ(counts(" /*0020*/ REDG.E.ADD.F32 desc[UR4][R2.64], R3 ;\n").uncounted_access, "REDG.E.ADD.F32");
  EXPECT_EQ(counts(" /*0020*/ REDG.E.ADD.STRONG.GPU desc[UR4][R2.64], R3 ;\n").uncounted_access, "") << "of integers";
  EXPECT_EQ(counts(" /*0020*/ HMMA.SP.16832.F32 R1, R2, R3, R1, R4, 0x0 ;\n").uncounted_arithmetic, "HMMA.SP.16832.F32");
  EXPECT_EQ(counts(" /*0020*/ FADD R1, R2, R3 ;\n").uncounted_arithmetic + counts(guarded_loop, {1}).uncounted_access, "");
}

TEST(sass, tensor_cores_count_a_threads_share_of_their_shape_by_type) {
  const auto said = counts(
      " /*0020*/ HMMA.16816.F32 R1, R2, R3, R1 ;\n /*0030*/ HMMA.1688.F32.TF32 R1, R2, R3, R1 ;\n"
      " /*0040*/ DMMA.884 R1, R2, R3, R1 ;\n /*0050*/ IMMA.16832.S8.S8 R1, R2.ROW, R3.COL, R1 ;\n"
      " /*0060*/ HGMMA.64x256x16.F32.BF16 R24, gdesc[UR4], R24 ;\n /*0070*/ QMMA.16832.F32.E4M3.E4M3 R1, R2, R3, R1 ;\n");
  EXPECT_EQ(said.flops, (std::map<std::string, std::uint64_t>{{"flops.tensor.fp16", 2 * 16 * 8 * 16 / 32},
                                                              {"flops.tensor.tf32", 2 * 16 * 8 * 8 / 32},
                                                              {"flops.tensor.fp64", 2 * 8 * 8 * 4 / 32},
                                                              {"flops.tensor.int8", 2 * 16 * 8 * 32 / 32},
                                                              {"flops.tensor.bf16", 2 * 64 * 256 * 16 / 128},
                                                              {"flops.tensor.fp8", 2 * 16 * 8 * 32 / 32}}));
  EXPECT_EQ(said.uncounted_access, "HGMMA.64x256x16.F32.BF16") << "its operands lie in shared memory";
}

// The code is as ClockedKernel's: only the grid's first thread stores.
TEST(sass, the_clock_is_stored_by_one_thread_of_all) {
  const std::string begin =
      " /*0020*/ @!P0 CS2R R2, SR_GLOBALTIMERLO ;\n /*0030*/ @!P0 STG.E.64 desc[UR8][R4.64+0x10], R2 ;\n"
      " /*0040*/ @!P0 CS2R R2, SR_CLOCKLO ;\n /*0050*/ @!P0 STG.E.64 desc[UR8][R4.64], R2 ;\n";
  const std::string end =
      " /*0060*/ @P0 EXIT ;\n /*0070*/ CS2R R2, SR_GLOBALTIMERLO ;\n /*0080*/ STG.E.64 desc[UR8][R4.64+0x18], R2 ;\n"
      " /*0090*/ CS2R R2, SR_CLOCKLO ;\n /*00a0*/ STG.E.64 desc[UR8][R4.64+0x8], R2 ;\n";
  const auto function = read_sass(code(begin + " /*0058*/ STG.E desc[UR8][R6.64], R7 ;\n" + end)).at(0);
  for (const SassGuards guards : {SassGuards::may_part, SassGuards::let_through}) {
    const auto said = executed(function, {.threads = 1000, .loops = {}}, guards);
    EXPECT_EQ(said.refusal, "");
    EXPECT_EQ(said.accesses.at("stores"), 1000 + 4U);
    EXPECT_EQ(said.accesses.at("bytes.reg-L1.store"), 4 * 1000 + 4 * 8U);
  }
}

TEST(sass, a_loop_ends_where_its_one_way_out_leads) {
  const std::string on_sm_80 =
      ".L_1:\n /*0020*/ FADD R1, R2, R3 ;\n /*0030*/ @!P1 CALL.REL.NOINC `(.L_2) ;\n /*0040*/ BRA `(.L_1) ;\n.L_2:\n"
      " /*0050*/ FMUL R1, R2, R3 ;\n";
  const std::string by_exit =
      ".L_1:\n /*0020*/ FADD R1, R2, R3 ;\n /*0030*/ @P1 EXIT ;\n /*0040*/ IADD3 R1, R1, R2, RZ ;\n /*0050*/ BRA `(.L_1) ;\n";
  const std::string waiting =
      ".L_1:\n /*0020*/ FADD R1, R2, R3 ;\n /*0030*/ @P2 BRA `(.L_3) ;\n.L_2:\n /*0040*/ VOTE.ANY R6, PT, PT ;\n /*0050*/ YIELD ;\n"
      " /*0060*/ @!P2 BRA.U `(.L_1) ;\n /*0070*/ BRA `(.L_2) ;\n.L_3:\n /*0080*/ FMUL R1, R2, R3 ;\n";
  for (const std::string& lines : {on_sm_80, by_exit, waiting}) {
    const auto said = counts(lines, {9});
    EXPECT_EQ(said.refusal, "") << lines;
    EXPECT_EQ(said.flops.at("flops.fp32.add"), 9U) << lines;
  }
  for (const std::string& lines : {on_sm_80, waiting}) {
    const auto said = executed_by_a_thread(read_sass(code(lines)).at(0), Trips{9}, SassGuards::let_through);
    EXPECT_EQ(said.flops, (std::map<std::string, std::uint64_t>{{"flops.fp32.add", 9}, {"flops.fp32.mul", 1}})) << lines << said.refusal;
  }
}

TEST(sass, who_skips_whole_loops_has_no_trip_of_theirs) {
  const std::string both =
      " /*0020*/ @P0 BRA `(.L_9) ;\n /*0030*/ @P1 BRA `(.L_2) ;\n.L_1:\n /*0040*/ FADD R1, R2, R3 ;\n /*0050*/ @P1 BRA `(.L_1) ;\n.L_2:\n"
      " /*0060*/ @P2 BRA `(.L_9) ;\n.L_3:\n /*0070*/ FMUL R1, R2, R3 ;\n /*0080*/ @P2 BRA `(.L_3) ;\n.L_9:\n";
  EXPECT_EQ(counts(both, {5, 3}).flops, (std::map<std::string, std::uint64_t>{{"flops.fp32.add", 5}, {"flops.fp32.mul", 3}}));
  EXPECT_EQ(counts(both, {5, 0}).flops.at("flops.fp32.mul"), 0U) << counts(both, {5, 0}).refusal;
  const auto unlike = executed(read_sass(code(both)).at(0), {.threads = 64, .loops = {1000, 3}, .alike = false}, SassGuards::may_part);
  EXPECT_EQ(unlike.flops, (std::map<std::string, std::uint64_t>{{"flops.fp32.add", 1000}, {"flops.fp32.mul", 3}})) << unlike.refusal;
  const auto ahead = executed(read_sass(code(guarded_loop)).at(0), {.threads = 64, .loops = {1000}, .alike = false}, SassGuards::may_part);
  EXPECT_NE(ahead.refusal.find("work ahead of a loop"), std::string::npos) << "not all threads come there";
}

TEST(sass, integers_divided_by_a_reciprocal_are_no_arithmetic_of_the_program) {
  const auto divided =
      counts(" /*0020*/ I2F.U32.RP R0, R7 ;\n /*0030*/ MUFU.RCP R0, R0 ;\n /*0040*/ @P0 EXIT ;\n /*0050*/ FADD R1, R2, R3 ;\n");
  EXPECT_EQ(divided.uncounted_arithmetic + divided.refusal, "");
  EXPECT_EQ(divided.flops.at("flops.fp32.add"), 1U);
  EXPECT_EQ(
      counts(" /*0020*/ I2F.U32.RP R0, R7 ;\n /*0030*/ LDG.E R0, desc[UR4][R2.64] ;\n /*0040*/ MUFU.RCP R0, R0 ;\n").uncounted_arithmetic,
      "MUFU.RCP");
  EXPECT_EQ(counts(" /*0020*/ UI2F.U32.RP UR4, UR7 ;\n /*0030*/ MUFU.RCP R0, UR4 ;\n").uncounted_arithmetic, "");
  EXPECT_EQ(refusal(" /*0020*/ CALL.REL.NOINC `($__internal_0_$__cuda_sm20_rem_u64) ;\n"), "") << "64-bit integers divide by a subroutine";
}

TEST(sass, estimates_that_newton_steps_refine_are_no_arithmetic_but_their_fmas) {
  const auto in_fp32 = counts(" /*0020*/ MUFU.RCP R27, R34 ;\n /*0030*/ FFMA R36, -R34, R27.reuse, 1 ;\n");
  EXPECT_EQ(in_fp32.uncounted_arithmetic, "");
  EXPECT_EQ(in_fp32.flops, (std::map<std::string, std::uint64_t>{{"flops.fp32.fma", 1}}));
  EXPECT_EQ(counts(" /*0020*/ MUFU.RCP64H R13, R43 ;\n /*0030*/ IMAD.MOV.U32 R12, RZ, RZ, RZ ;\n /*0040*/ DFMA R36, -R42, R12, 1 ;\n")
                .uncounted_arithmetic,
            "");
  for (const std::string others :
       {" /*0030*/ FFMA R36, -R34, R28, 1 ;\n", " /*0030*/ FFMA R36, -R34, R27, R5 ;\n", " /*0030*/ FMUL R36, R34, R27 ;\n",
        " /*0025*/ FADD R27, R1, R2 ;\n /*0030*/ FFMA R36, -R34, R27, 1 ;\n"})
    EXPECT_EQ(counts(" /*0020*/ MUFU.RCP R27, R34 ;\n" + others).uncounted_arithmetic, "MUFU.RCP") << others;
}

SassCounts let_through(const std::string& lines, const Trips& trips = {}) {
  return executed_by_a_thread(read_sass(code(lines)).at(0), trips, SassGuards::let_through);
}

// The code is as the matrix product's: loads under predicates, a tile unrolled, a loop over the rest of a tile, and the store behind a
// second exit.
constexpr const char* tiles = R"(.L_5:
 /*0020*/ @!P3 LDG.E R12, desc[UR10][R12.64] ;
 /*0030*/ @!P1 LDG.E R8, desc[UR10][R8.64] ;
 /*0040*/ @!P0 BRA `(.L_2) ;
 /*0050*/ @P1 BRA `(.L_3) ;
 /*0060*/ FFMA R1, R2, R3, R1 ;
 /*0070*/ FFMA R1, R2, R3, R1 ;
 /*0080*/ BRA `(.L_2) ;
.L_3:
 /*0090*/ IMAD R1, R2, R3, R4 ;
.L_4:
 /*00a0*/ FADD R1, R2, R3 ;
 /*00b0*/ @!P1 BRA `(.L_4) ;
.L_2:
 /*00c0*/ @!P1 BRA `(.L_5) ;
 /*00d0*/ @P0 EXIT ;
 /*00e0*/ STG.E desc[UR10][R2.64], R1 ;
)";

TEST(sass, where_guards_let_through_the_fullest_path_is_counted_without_the_loops_that_have_no_trip) {
  EXPECT_NE(refusal(tiles, {3, 1}), "") << "of these threads nothing is known";
  const auto whole = let_through(tiles, {3, 0});
  EXPECT_EQ(whole.flops, (std::map<std::string, std::uint64_t>{{"flops.fp32.fma", 6}})) << whole.refusal;
  EXPECT_EQ(whole.accesses.at("loads"), 6U);
  EXPECT_EQ(whole.accesses.at("stores"), 1U);
}

TEST(sass, a_predicate_that_was_written_anew_is_another_one) {
  const std::string first = " /*0020*/ @P1 LDG.E R1, desc[UR4][R2.64] ;\n", second = " /*0030*/ @!P1 LDG.E R1, desc[UR4][R4.64] ;\n";
  EXPECT_NE(let_through(first + second).refusal, "");
  EXPECT_EQ(let_through(first + " /*0028*/ ISETP.GE.AND P1, PT, R3, R4, PT ;\n" + second).accesses.at("loads"), 2U);
  EXPECT_NE(let_through(first + " /*0028*/ ISETP.GE.AND P2, PT, R3, R4, P1 ;\n" + second).refusal, "") << "read, not written";
}

TEST(sass, where_guards_let_through_what_stays_open_is_refused) {
  const struct {
    const char *lines, *why;
    Trips trips;
  } refused[] = {
      {tiles, "2 loops where the trips of 1", {3}},
      {tiles, "a loop with trips is on no way", {3, 7}},
      {tiles, "leaves out the loops without a trip", {0, 0}},
      {" /*0020*/ @P1 BRA `(.L_8) ;\n /*0030*/ FADD R1, R2, R3 ;\n /*0040*/ BRA `(.L_9) ;\n.L_8:\n /*0050*/ FMUL R1, R2, R3 ;\n.L_9:\n",
       "two ways with as much work",
       {}},
      {" /*0020*/ @P1 LDG.E R1, desc[UR4][R2.64] ;\n /*0030*/ @!P1 LDG.E R1, desc[UR4][R4.64] ;\n", "and under its opposite", {}},
      {" /*0020*/ CALL.REL.NOINC `($helper) ;\n.L_9:\n", "goes elsewhere", {}},
      {" /*0020*/ @P1 BRA 0x80 ;\n", "not known", {}},
  };
  for (const auto& [lines, why, trips] : refused) {
    const auto said = let_through(lines, trips);
    EXPECT_NE(said.refusal.find(why), std::string::npos) << lines << said.refusal;
    EXPECT_TRUE(said.flops.empty() && said.accesses.empty());
  }
}

TEST(sass, the_body_of_a_loop_is_its_opcodes_in_order) {
  const auto functions = read_sass(code(guarded_loop));
  ASSERT_EQ(functions.at(0).loops.size(), 1U) << "the trap behind the end is no loop";
  EXPECT_EQ(functions[0].body(functions[0].loops[0]), (std::vector<std::string>{"DFMA", "DADD", "BRA"}));
}

TEST(sass, what_is_no_disassembly_is_refused_with_its_line) {
  try {
    read_sass("\n.text.f:\nthis is not code\n");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "disassembly, line 3: neither an instruction nor a label");
  }
}

}  // namespace
}  // namespace plumbline
