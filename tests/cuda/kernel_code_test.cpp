// The machine code of kernels whose threads all do the same, for every architecture that it is compiled for: what a thread executes, times
// the threads, is what the model says.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "disassembly.hpp"
#include "opened_module.hpp"

namespace plumbline {
namespace {

const Kernel& kernel(const std::string& name) {
  for (const Kernel& one : opened_module().kernels())
    if (one.name == name) return one;
  throw std::runtime_error("the module has no " + name);
}

class kernel_code : public testing::Test {
 protected:
  using Counts = std::map<std::string, std::uint64_t>;

  void SetUp() override {
    if (!disassembled_module().why_not.empty()) GTEST_SKIP() << disassembled_module().why_not;
  }

  /// The one with that part in its mangled name.
  static const SassFunction& function(const std::vector<SassFunction>& all, const std::string& part) {
    for (const auto& one : all)
      if (one.name.find(part) != one.name.npos) return one;
    throw std::runtime_error("no function with " + part);
  }
  /// The function of the series for a form and, where it is compiled in, an order.
  static const SassFunction& series(const std::vector<SassFunction>& all, int form, int order, const std::string& precision) {
    return function(all,
                    "SeriesForm" + std::to_string(form) + "ELi" + std::to_string(order) + "E" + (precision == "fp64" ? "d" : "f") + "E");
  }
  /// The counts by the model for each of so many threads.
  static Counts model(const Kernel& kernel, const Parameters& p, const std::string& precision, const std::string& flavor,
                      std::uint64_t threads) {
    Counts counts;
    for (const auto& [quantity, amount] : kernel.model(p, precision, flavor).flops) counts[quantity] = amount.lo / threads;
    return counts;
  }
  static Parameters with(std::initializer_list<std::pair<const char*, Value>> values) {
    Parameters p;
    for (const auto& [name, value] : values) p.set(name, value);
    return p;
  }
};

TEST_F(kernel_code, the_series_of_every_form_order_and_architecture_executes_the_arithmetic_of_its_model) {
  const std::vector<std::string> forms{"inline", "loop", "power"};
  std::size_t held = 0;
  for (const auto& [architecture, all] : disassembled_module().of("series"))
    for (const std::string precision : {"fp64", "fp32"})
      for (int form = 0; form < 3; ++form)
        for (int n = 1; n <= 29; ++n) {
          constexpr std::int64_t m = 48;
          const Parameters p = with({{"form", forms[static_cast<std::size_t>(form)]}, {"n", std::int64_t{n}}, {"m", m}});
          const auto& code = series(*all, form, form == 0 ? n : 0, precision);
          const std::vector<std::uint64_t> trips(form == 0 ? 0 : 1, static_cast<std::uint64_t>(n));
          const SassCounts thread = executed_by_a_thread(code, trips);
          ASSERT_EQ(thread.refusal, "") << architecture << " " << code.name;
          ASSERT_EQ(thread.flops, model(kernel("validation/series"), p, precision, "", m * m))
              << architecture << " " << precision << " " << p.path();
          EXPECT_EQ(thread.opcodes.at("LDG"), 1U) << code.name;
          EXPECT_EQ(thread.opcodes.at("STG"), 1U) << code.name;
          ++held;
        }
  EXPECT_GT(held, 0U);
  EXPECT_EQ(held, 2U * 3U * 29U * disassembled_module().of("series").size());
}

/// Strong loads may be served by the half of L2 alone that owns a line; those of plain code by the nearer one.
TEST_F(kernel_code, streams_past_L1_are_loaded_strongly_and_weakly) {
  std::size_t held = 0;
  for (const auto& [architecture, all] : disassembled_module().of("stream"))
    for (const auto& [pattern, is_strong] : {std::pair("PatternE0EdE", true), std::pair("PatternE1EdE", false)}) {
      const SassFunction& code = function(*all, pattern);
      std::size_t loads = 0;
      for (const SassInstruction& one : code.instructions) {
        if (one.stem() != "LDG" || one.opcode.find("128") == one.opcode.npos) continue;
        EXPECT_EQ(one.opcode.find("STRONG.GPU") != one.opcode.npos, is_strong) << architecture << " " << one.opcode;
        ++loads;
      }
      EXPECT_EQ(loads % 4, 0U) << architecture << ": four are under way at once";
      EXPECT_GT(loads, 0U) << architecture << " " << code.name;
      ++held;
    }
  EXPECT_EQ(held, 2 * disassembled_module().of("stream").size());
}

/// A kernel that were empty would not prove that it ran; what it is handed, it does not touch.
TEST_F(kernel_code, a_launched_shape_ends_at_once_but_for_the_thread_that_counts_it) {
  for (const auto& [architecture, all] : disassembled_module().of("launch_shape")) {
    int shapes = 0;
    for (const SassFunction& code : *all) {
      if (code.name.find("4takeI") == code.name.npos) continue;
      ++shapes;
      const auto place_of = [&](const char* stem) {
        return std::find_if(code.instructions.begin(), code.instructions.end(),
                            [&](const SassInstruction& one) { return one.stem() == stem; });
      };
      const auto access = [](const SassInstruction& one) { return one.stem() == "LDG" || one.stem() == "STG"; };
      EXPECT_EQ(std::count_if(code.instructions.begin(), code.instructions.end(), access), 2) << architecture << " " << code.name;
      EXPECT_LT(place_of("EXIT"), place_of("LDG")) << architecture << " " << code.name;
      EXPECT_LT(place_of("LDG"), place_of("STG")) << architecture << " " << code.name;
    }
    EXPECT_EQ(shapes, 4) << architecture << ": of 1, 8, 32 and 128 arguments";
  }
  EXPECT_FALSE(disassembled_module().of("launch_shape").empty());
}

TEST_F(kernel_code, horners_hot_loop_has_one_fma_and_what_counts_the_loop) {
  for (const auto& [architecture, all] : disassembled_module().of("series"))
    for (const auto& [precision, fma] : {std::pair("fp64", "DFMA"), std::pair("fp32", "FFMA")}) {
      const auto& code = series(*all, 1, 0, precision);
      ASSERT_EQ(code.loops.size(), 1U) << architecture;
      const auto body = code.body(code.loops.front());
      EXPECT_EQ(std::count(body.begin(), body.end(), fma), 1) << architecture;
      EXPECT_LE(body.size(), 5U) << architecture << ": the loop is not unrolled and spills nothing";
      EXPECT_EQ(body.back().substr(0, 3), "BRA");
    }
}

TEST_F(kernel_code, the_triad_is_one_fma_two_loads_and_a_store_without_a_loop) {
  ASSERT_FALSE(disassembled_module().of("triad").empty());
  for (const auto& [architecture, all] : disassembled_module().of("triad"))
    for (const auto& [precision, part] : {std::pair("fp64", "TriadCaseIdE"), std::pair("fp32", "TriadCaseIfE")}) {
      const SassCounts thread = executed_by_a_thread(function(*all, part), {});
      ASSERT_EQ(thread.refusal, "") << architecture;
      EXPECT_EQ(thread.flops, model(kernel("validation/triad"), with({{"n", std::int64_t{512}}}), precision, "", 512)) << architecture;
      EXPECT_EQ(thread.opcodes.at("LDG"), 2U);
      EXPECT_EQ(thread.opcodes.at("STG"), 1U);
    }
}

// The remainder's loop could load vectors of which it uses a part: what is counted of shared memory would be more than is computed with.
TEST_F(kernel_code, the_matrix_product_loads_two_elements_from_shared_memory_for_each_fma) {
  const std::map<std::string, std::uint64_t> load_bytes{{"", 4}, {"64", 8}, {"128", 16}};
  ASSERT_FALSE(disassembled_module().of("dgemm").empty());
  for (const auto& [architecture, all] : disassembled_module().of("dgemm"))
    for (const auto& [part, fma, element] : {std::tuple("multiply_tilesIdE", "DFMA", 8U), std::tuple("multiply_tilesIfE", "FFMA", 4U)}) {
      std::uint64_t loaded = 0, fmas = 0;
      for (const auto& one : function(*all, part).instructions) {
        fmas += one.opcode.starts_with(fma) ? 1 : 0;
        if (!one.opcode.starts_with("LDS")) continue;
        const std::string width = one.opcode.substr(one.opcode.find_last_not_of("0123456789") + 1);
        loaded += load_bytes.at(width);
      }
      EXPECT_GT(fmas, 0U);
      EXPECT_EQ(loaded, 2 * element * fmas) << architecture << " " << part;
    }
}

/// A step of 64 x 64 sums: 16 numbers deep, or 32 of 16 bits, of which Turing's tensor cores take 8 at once and others 16.
TEST_F(kernel_code, a_convolutions_step_is_whole_tiles_of_products_in_registers_alone) {
  ASSERT_FALSE(disassembled_module().of("conv2d").empty());
  for (const auto& [architecture, all] : disassembled_module().of("conv2d"))
    for (const std::string name : {"conv_products", "conv_gradients"})
      for (const auto& [type, opcode] :
           {std::pair("Id", "DFMA"), std::pair("If", "FFMA"), std::pair("INS_4Fp16ES", "HMMA"), std::pair("INS_4Fp16Ef", "FFMA")}) {
        const auto& code = function(*all, name + type);
        ASSERT_EQ(code.loops.size(), 1U) << architecture << " " << code.name;
        const auto body = code.body(code.loops.front());
        const auto of_kind = [&](const std::string& kind) {
          return std::count_if(body.begin(), body.end(), [&](std::string_view one) { return one.starts_with(kind); });
        };
        const bool is_tensor = std::string(opcode) == "HMMA";
        EXPECT_EQ(of_kind(opcode), !is_tensor ? 64 * 64 * 16 / 128 : architecture == "sm_75" ? 32 : 16) << architecture << " " << code.name;
        EXPECT_EQ(of_kind("LDG"), is_tensor ? 4 : 16) << architecture << " " << code.name;
        // Halves that are multiplied in fp32 are widened once each, as they are stored in a tile.
        const auto widened = of_kind("HADD2.F32") + of_kind("F2F");
        EXPECT_EQ(widened, std::string(type) == "INS_4Fp16Ef" ? 16 : 0) << architecture << " " << code.name;
        const auto issued = std::ssize(body) - of_kind("NOP");  // which stand between those of fp64 on sm_120
        EXPECT_TRUE(is_tensor || 2 * of_kind(opcode) > issued) << architecture << " " << code.name << ": most of it is arithmetic";
      }
}
TEST_F(kernel_code, a_convolution_keeps_its_sums_in_registers) {
  for (const char* name : {"conv_products", "conv_gradients"}) {
    const auto resources = resources_of(name);
    EXPECT_EQ(resources.size(), disassembled_module().of("conv2d").size());
    for (const auto& [architecture, functions] : resources)
      for (const auto& [function, takes] : functions) EXPECT_EQ(takes.stack_bytes, 0) << architecture << " " << function;
  }
}

/// A step of 16 x 32 sums, 16 numbers deep, of a warp: 16 FMAs a thread for each, and a number at a time of what may lie beyond the matrix.
TEST_F(kernel_code, a_step_of_an_lstms_product_is_a_whole_tile_of_fmas) {
  ASSERT_FALSE(disassembled_module().of("lstm").empty());
  for (const auto& [architecture, all] : disassembled_module().of("lstm"))
    for (const auto& [type, opcode, vectors] : {std::tuple("Id", "DFMA", 8), std::tuple("If", "FFMA", 4)})
      for (const char* begun : {"Lb0", "Lb1"}) {
        const auto& code = function(*all, std::string("lstm_products") + type + begun);
        ASSERT_EQ(code.loops.size(), 1U) << architecture << " " << code.name;
        const auto body = code.body(code.loops.front());
        const auto of_kind = [&](const std::string& kind) {
          return std::count_if(body.begin(), body.end(), [&](std::string_view one) { return one.starts_with(kind); });
        };
        EXPECT_EQ(of_kind(opcode), 16 * 32 * 16 / 32) << architecture << " " << code.name;
        EXPECT_EQ(of_kind("LDG"), 16 * 16 / 32 + vectors) << architecture << " " << code.name;
      }
}
/// The same step by tensor cores: Turing's take 8 numbers of the depth at once, others 16.
TEST_F(kernel_code, a_step_of_an_lstms_product_in_halves_is_a_whole_tile_of_tensor_cores) {
  for (const auto& [architecture, all] : disassembled_module().of("lstm"))
    for (const char* begun : {"Lb0", "Lb1"}) {
      const auto& code = function(*all, std::string("lstm_productsINS_4Fp16E") + begun);
      ASSERT_EQ(code.loops.size(), 1U) << architecture << " " << code.name;
      const auto body = code.body(code.loops.front());
      const auto of_kind = [&](const std::string& kind) {
        return std::count_if(body.begin(), body.end(), [&](std::string_view one) { return one.starts_with(kind); });
      };
      EXPECT_EQ(of_kind("HMMA"), architecture == "sm_75" ? 8 : 4) << architecture << " " << code.name;
      EXPECT_EQ(of_kind("LDG"), 16 * 16 / 32 + 2) << architecture << " " << code.name;
      EXPECT_EQ(of_kind("LDS"), 4 + 2 * 4) << architecture << " " << code.name;
    }
}
TEST_F(kernel_code, an_lstms_cells_and_sums_stay_in_registers) {
  for (const char* name :
       {"lstm_products", "LstmForwardCell", "LstmBackwardCell", "LstmPacked", "LstmTurned", "LstmBiasSum", "LstmConverted"}) {
    const auto resources = resources_of(name);
    EXPECT_EQ(resources.size(), disassembled_module().of("lstm").size()) << name;
    for (const auto& [architecture, functions] : resources)
      for (const auto& [function, takes] : functions) EXPECT_EQ(takes.stack_bytes, 0) << architecture << " " << function;
  }
}

// Packed and scalar code are the same instructions: what decides how many numbers come of one is in their operands.
TEST_F(kernel_code, halves_packed_and_one_by_one_execute_the_arithmetic_of_their_models) {
  constexpr std::int64_t n = 512, steps = 13;
  const std::vector<std::string> kinds{"fma", "add", "mul"};
  std::size_t held = 0;
  for (const auto& [architecture, all] : disassembled_module().of("half"))
    for (const auto& [precision, type] : {std::pair("fp16", "Fp16"), std::pair("bf16", "Bf16")})
      for (std::size_t kind = 0; kind < kinds.size(); ++kind)
        for (const bool packed : {false, true}) {
          if (architecture == "sm_75" && std::string(precision) == "bf16") continue;  // it has none
          const auto& code = function(*all, "HalfKindE" + std::to_string(kind) + "ELb" + (packed ? "1" : "0") + "ENS_4" + type);
          const std::vector<std::uint64_t> trips{steps};
          const SassCounts thread = executed_by_a_thread(code, trips);
          ASSERT_EQ(thread.refusal, "") << architecture << " " << code.name;
          const auto p = with({{"form", std::string(packed ? "packed" : "scalar")}, {"kind", kinds[kind]}, {"n", n}, {"steps", steps}});
          EXPECT_EQ(thread.flops, model(kernel("validation/half"), p, precision, "cuda13-" + architecture, packed ? n / 2 : n))
              << architecture << " " << precision << " " << p.path();
          ++held;
        }
  EXPECT_GT(held, 0U);
}

// The assembler may make an FMA of a sum or of a product, of 16 bits too, but never one of both. What is not packed is one chain, of which
// no two operations can be done at once.
TEST_F(kernel_code, arithmetic_in_registers_is_256_instructions_an_iteration_and_none_is_fused_with_another) {
  ASSERT_FALSE(disassembled_module().of("peak").empty());
  for (const auto& [architecture, all] : disassembled_module().of("peak"))
    for (const std::string lane : {"d", "6__half", "7__half2", "13__nv_bfloat16", "14__nv_bfloat162"})
      for (int form = 0; form < 4; ++form) {
        if (architecture == "sm_75" && lane.ends_with("bfloat16") + lane.ends_with("bfloat162") != 0) continue;  // it has none
        const auto& code = function(*all, "peakILNS0_4FormE" + std::to_string(form) + "E" + lane + "E");
        ASSERT_EQ(code.loops.size(), 1U) << architecture << " " << code.name;
        const auto body = code.body(code.loops.front());
        const std::string pipe = lane == "d" ? "D" : "H";
        EXPECT_EQ(std::count_if(body.begin(), body.end(),
                                [&](std::string_view opcode) {
                                  return opcode.starts_with(pipe + "FMA") || opcode.starts_with(pipe + "MUL") ||
                                         opcode.starts_with(pipe + "ADD");
                                }),
                  256)
            << architecture << " " << lane << " form " << form;
      }
}

// 64 Ki registers of a multiprocessor over its 2048 threads: with more, some warps would have to wait for others to end.
TEST_F(kernel_code, arithmetic_in_registers_takes_32_of_them_a_thread_at_most_and_nothing_beside) {
  const auto of_peak = resources_of("peakILNS0_4FormE");
  EXPECT_EQ(of_peak.size(), disassembled_module().of("peak").size());
  for (const auto& [architecture, functions] : of_peak) {
    EXPECT_EQ(functions.size(), 4U * 6U) << architecture
                                         << ": forms, and numbers of three sizes, those of 16 bits of two types and in pairs";
    for (const auto& [name, takes] : functions) {
      EXPECT_LE(takes.registers, 32) << architecture << " " << name;
      EXPECT_EQ(takes.stack_bytes, 0) << architecture << " " << name;
    }
  }
}

/// The function of the general plasmon pole by which a variant's blocks sum, for that many energies at once.
std::string summing_poles(const std::string& variant, int energies, const std::string& precision) {
  const char* const number = variant == "naive" ? "0" : variant == "nodivide" ? "3" : "1";  // vector and blocked have the same code
  return std::string("sum_each_partIL10GppVariant") + number + "ELj" + std::to_string(energies) + "E" + (precision == "fp64" ? "dE" : "fE");
}

// The paper has 32768 plane waves by 512 bands: all FMAs and products stand in the innermost loop, and all but 1 in 100 of the arithmetic.
TEST_F(kernel_code, a_pole_meets_a_band_by_the_instructions_of_the_model_of_which_three_in_five_are_fmas) {
  ASSERT_FALSE(disassembled_module().of("gpp").empty());
  constexpr std::uint64_t meetings = 512ULL * 32768;
  for (const auto& [architecture, all] : disassembled_module().of("gpp"))
    for (const std::string precision : {"fp64", "fp32"})
      for (const std::string variant : {"naive", "vector", "blocked", "nodivide"})
        for (int nw = 1; nw <= 6; ++nw) {
          const bool naive = variant == "naive";
          const auto& code = function(*all, summing_poles(variant, naive ? 1 : nw, precision));
          ASSERT_EQ(code.loops.size(), 5U) << architecture << " " << code.name;
          const SassLoop& waves = code.loops[1];
          const SassLoop& bands = code.loops[2];
          ASSERT_TRUE(waves.first <= bands.first && bands.last <= waves.last) << architecture << " " << code.name;
          const auto body = code.body(bands);
          const auto executed = [&](const std::string& operation) {
            const std::string opcode = (precision == "fp64" ? "D" : "F") + operation;
            const auto times = std::count_if(body.begin(), body.end(), [&](const std::string& one) { return one.starts_with(opcode); });
            return static_cast<std::uint64_t>(times) * meetings * (naive ? static_cast<std::uint64_t>(nw) : 1);
          };
          const Parameters p = with({{"variant", variant},
                                     {"nbands", std::int64_t{512}},
                                     {"ngpown", std::int64_t{1}},
                                     {"ncouls", std::int64_t{32768}},
                                     {"nw", std::int64_t{nw}},
                                     {"stride", std::int64_t{1}}});
          const Counts flops = model(kernel("proxies/gpp"), p, precision, "", 1);
          const std::string which = architecture + " " + precision + " " + p.path();
          EXPECT_EQ(executed("FMA"), flops.at("flops." + precision + ".fma")) << which;
          EXPECT_EQ(executed("MUL"), flops.at("flops." + precision + ".mul")) << which;
          EXPECT_EQ(executed("ADD"), 2 * static_cast<std::uint64_t>(nw) * meetings) << which;
          std::uint64_t instructions = 0;
          for (const auto& [kind, times] : flops) instructions += times;
          const auto in_loop = static_cast<double>(executed("FMA") + executed("MUL") + executed("ADD"));
          EXPECT_NEAR(in_loop / static_cast<double>(instructions), 1, 0.01) << which;
          const double fma_part = static_cast<double>(executed("FMA")) / in_loop;
          EXPECT_TRUE(variant != "nodivide" || (0.55 <= fma_part && fma_part <= 0.65)) << which << ": " << fma_part;
        }
}

// Two blocks of 256 threads fit on a multiprocessor, whose 64 Ki registers they share.
TEST_F(kernel_code, sums_of_poles_stay_in_registers) {
  const auto of_parts = resources_of("sum_each_partIL10GppVariant");
  EXPECT_EQ(of_parts.size(), disassembled_module().of("gpp").size());
  for (const auto& [architecture, functions] : of_parts) {
    EXPECT_EQ(functions.size(), 2U * (1 + 6 + 6)) << architecture;
    for (const auto& [name, takes] : functions) {
      EXPECT_LE(takes.registers, 128) << architecture << " " << name;
      EXPECT_EQ(takes.stack_bytes, 0) << architecture << " " << name;
    }
  }
}

// launch_counts_test.cpp holds the other loops of conjugate gradients against their models; where blocks sum it finds threads that part
// ways.
TEST_F(kernel_code, sums_of_conjugate_gradients_are_an_fma_for_two_numbers_or_for_one) {
  ASSERT_FALSE(disassembled_module().of("cg").empty());
  for (const auto& [architecture, all] : disassembled_module().of("cg"))
    for (const auto& [type, fma] : {std::pair("2CgIdE", "DFMA"), std::pair("2CgIfE", "FFMA")})
      for (const bool of_squares : {false, true}) {
        const auto& code = function(*all, std::string("CgPartSumILb") + (of_squares ? "1" : "0") + "EEEEE" + type);
        std::int64_t fmas = 0, loads = 0;
        for (const SassLoop& loop : code.loops)
          for (const std::string& opcode : code.body(loop)) fmas += opcode.starts_with(fma), loads += opcode.starts_with("LDG");
        EXPECT_GT(fmas, 0) << architecture << " " << code.name;
        EXPECT_EQ(loads, (of_squares ? 1 : 2) * fmas) << architecture << " " << code.name;
      }
}

// Two blocks of 256 threads and more fit on a multiprocessor.
TEST_F(kernel_code, rows_of_27_entries_stay_in_registers) {
  for (const char* name : {"CgSmoothing", "CgProduct"}) {
    const auto resources = resources_of(name);
    EXPECT_EQ(resources.size(), disassembled_module().of("cg").size());
    for (const auto& [architecture, functions] : resources) {
      EXPECT_EQ(functions.size(), 2U) << architecture;
      for (const auto& [function, takes] : functions) {
        EXPECT_LE(takes.registers, 96) << architecture << " " << function;
        EXPECT_EQ(takes.stack_bytes, 0) << architecture << " " << function;
      }
    }
  }
}

/// The operations of a phase of the smoother on a box of 8^3 cells.
std::uint64_t operations_of_smoother(const std::string& variant, const std::string& precision) {
  const Parameters p{{"variant", variant}, {"boxes", std::int64_t{1}}, {"n", std::int64_t{8}}};
  for (const Phase& phase : kernel("proxies/gsrb").application(p, precision, "").phases)
    if (phase.name == "red") return total_flops(phase.work.flops).lo;
  throw std::runtime_error("the smoother has no phase red");
}

// Products and sums are left to the compiler, which fuses as many of them for every architecture; a thread has one cell, and by the mask
// each of them is multiplied once more, with one color or the other off. That threads part ways takes nothing from those that update.
TEST_F(kernel_code, a_cells_update_fuses_18_of_its_operations_by_every_variant_and_the_rest_are_the_models) {
  ASSERT_FALSE(disassembled_module().of("gsrb").empty());
  constexpr std::uint64_t cells = 8 * 8 * 8;
  for (const auto& [architecture, all] : disassembled_module().of("gsrb"))
    for (const auto& [precision, type, letter] : {std::tuple("fp64", "4GsrbIdE", "D"), std::tuple("fp32", "4GsrbIfE", "F")})
      for (const auto& [variant, name, of_mask] : {std::tuple("fp", "MaskedUpdateE", 1U), std::tuple("branch", "BranchedUpdateE", 0U),
                                                   std::tuple("stride2", "EveryOtherUpdateE", 0U)}) {
        const auto& code = function(*all, name + std::string(type));
        EXPECT_TRUE(code.loops.empty()) << architecture << " " << code.name;
        const auto issued = [&, unit = std::string(letter)](const char* operation) {
          return static_cast<std::uint64_t>(
              std::ranges::count_if(code.instructions, [&](const SassInstruction& one) { return one.stem() == unit + operation; }));
        };
        const std::string which = architecture + " " + variant + " " + precision;
        EXPECT_EQ(issued("FMA"), 18U) << which;
        EXPECT_EQ(issued("ADD"), 67U) << which;
        EXPECT_EQ(issued("MUL"), 10U + of_mask) << which;
        const std::uint64_t threads = of_mask == 1 ? cells : cells / 2;
        EXPECT_EQ((issued("ADD") + issued("MUL") + 2 * issued("FMA")) * threads, operations_of_smoother(variant, precision)) << which;
      }
}

// launch_counts_test.cpp holds multigrid's loops against their models.
TEST_F(kernel_code, multigrid_takes_finer_cells_two_by_two_and_keeps_all_in_registers) {
  ASSERT_FALSE(disassembled_module().of("multigrid").empty());
  for (const auto& [architecture, all] : disassembled_module().of("multigrid"))
    for (const auto& [type, two] : {std::pair("9MultigridIdE", "128"), std::pair("9MultigridIfE", "64")})
      for (const auto& [name, stores] : {std::pair("RestrictionE", 0), std::pair("InterpolationE", 4)}) {
        const auto& code = function(*all, name + std::string(type));
        const auto wide = [&, width = std::string(two)](const char* stem) {
          return std::ranges::count_if(code.instructions, [&](const SassInstruction& one) {
            return one.stem() == stem && one.opcode.find(width) != one.opcode.npos;
          });
        };
        EXPECT_EQ(wide("LDG"), 4) << architecture << " " << code.name;
        EXPECT_EQ(wide("STG"), stores) << architecture << " " << code.name;
      }
  for (const char* name : {"Interpolation", "ResidualOfCell"})
    for (const auto& [architecture, functions] : resources_of(name))
      for (const auto& [function, takes] : functions) {
        EXPECT_LE(takes.registers, 96) << architecture << " " << function;  // two blocks of 256 threads and more fit on a multiprocessor
        EXPECT_EQ(takes.stack_bytes, 0) << architecture << " " << function;
      }
}

// Code over which threads part ways is not guessed at.
TEST_F(kernel_code, divisions_and_reductions_are_refused_with_the_reason) {
  for (const char* source : {"dot", "special"})
    for (const auto& [architecture, all] : disassembled_module().of(source)) {
      std::size_t refused = 0;
      for (const auto& code : *all) {
        const std::vector<std::uint64_t> trips(code.loops.size(), 2);
        const SassCounts thread = executed_by_a_thread(code, trips);
        refused += thread.refusal.empty() ? 0 : 1;
        EXPECT_TRUE(thread.refusal.empty() || thread.flops.empty());
      }
      EXPECT_GT(refused, 0U) << source << " " << architecture;
    }
}

}  // namespace
}  // namespace plumbline
