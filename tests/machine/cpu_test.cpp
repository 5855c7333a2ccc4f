#include "machine/cpu.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "core/error.hpp"
#include "machine/system_file.hpp"

namespace plumbline {
namespace {

#if defined(__x86_64__)
// The kernel's own list of features is the witness.
bool kernel_lists(std::initializer_list<const char*> wanted) {
  std::istringstream flags(" " + field_of("/proc/cpuinfo", "flags").value_or("") + " ");
  const std::string all = flags.str();
  for (const char* flag : wanted)
    if (all.find(" " + std::string(flag) + " ") == all.npos) return false;
  return true;
}

TEST(cpu, isa_levels_are_what_the_kernel_lists) {
  EXPECT_EQ(runs_isa("v2"), kernel_lists({"cx16", "lahf_lm", "popcnt", "pni", "sse4_1", "sse4_2", "ssse3"}));
  EXPECT_EQ(runs_isa("v3"), runs_isa("v2") && kernel_lists({"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe", "xsave"}));
  EXPECT_EQ(runs_isa("v4"), runs_isa("v3") && kernel_lists({"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}));
}

TEST(cpu, extensions_are_what_the_kernel_lists) {
  EXPECT_EQ(runs_isa("v4bf16"), runs_isa("v4") && kernel_lists({"avx512_bf16"}));
  EXPECT_EQ(runs_isa("v4fp16"), runs_isa("v4") && kernel_lists({"avx512_fp16"}));
  EXPECT_EQ(runs_isa("v4vnni"), runs_isa("v4") && kernel_lists({"avx512_vnni"}));
  EXPECT_TRUE(runs_isa("v3vnni") || !runs_isa("v3") || !kernel_lists({"avx_vnni"}));  // which kernels before 5.12 do not list
  const bool tiles = runs_isa("v4") && kernel_lists({"amx_tile"}) && this_cpu().why_no_tiles.empty();
  EXPECT_EQ(runs_isa("v4amxbf16"), tiles && kernel_lists({"amx_bf16"}));
  EXPECT_EQ(runs_isa("v4amxint8"), tiles && kernel_lists({"amx_int8"}));
}
#endif

TEST(cpu, the_best_isa_is_a_level_and_no_extension_of_one) {
  EXPECT_EQ((Cpu{.isas = {"v2", "v3", "v4", "v4bf16", "v4fp16"}}).best_isa(), "v4");
  EXPECT_EQ((Cpu{.isas = {"v2", "v3", "v4", "v3vnni", "v4bf16", "v4fp16", "v4vnni", "v4amxbf16", "v4amxint8", "v4amxfp16"}}).best_isa(),
            "v4");
  EXPECT_EQ((Cpu{.isas = {"v2", "v3"}}).best_isa(), "v3");
  EXPECT_EQ((Cpu{.isas = {"v2", "v3", "v3vnni"}}).best_isa(), "v3");
  EXPECT_EQ((Cpu{.isas = {"neon", "sve256"}}).best_isa(), "sve256");
  EXPECT_EQ(Cpu{}.best_isa(), "");
}

TEST(cpu, a_mask_takes_isas_away_and_gives_none) {
  const Cpu own{.vendor = "GenuineIntel", .name = "Xeon", .family = 6, .model = 173, .stepping = 1, .isas = {"v2", "v3", "v4", "v4bf16"}};
  const Cpu masked = masked_as("AuthenticAMD 25 167 v2 v3 v5", own);
  EXPECT_EQ(masked.vendor, "AuthenticAMD");
  EXPECT_EQ(masked.family, 25);
  EXPECT_EQ(masked.model, 167);
  EXPECT_EQ(masked.isas, (std::vector<std::string>{"v2", "v3"}));
  EXPECT_NE(masked.name, own.name) << "a result must not pass for another machine's";
}

TEST(cpu, a_mask_of_other_words_is_refused) {
  for (const char* words : {"", "GenuineIntel", "GenuineIntel six 167"}) EXPECT_THROW(masked_as(words, Cpu{}), Error) << words;
}

TEST(cpu, an_unknown_isa_does_not_run) {
  EXPECT_FALSE(runs_isa("v9"));
  EXPECT_FALSE(runs_isa(""));
}

TEST(cpu, family_and_model_are_the_kernels) {
#if defined(__x86_64__)
  EXPECT_EQ(std::to_string(this_cpu().family), field_of("/proc/cpuinfo", "cpu family"));
  EXPECT_EQ(std::to_string(this_cpu().model), field_of("/proc/cpuinfo", "model"));
  EXPECT_EQ(this_cpu().vendor, field_of("/proc/cpuinfo", "vendor_id"));
  EXPECT_EQ(this_cpu().name, field_of("/proc/cpuinfo", "model name"));
  EXPECT_EQ(this_cpu().virtual_machine, kernel_lists({"hypervisor"}));
#else
  EXPECT_FALSE(this_cpu().vendor.empty());
#endif
}

Cpu cpu_that_says(const std::string& cpuinfo) {
  // The same test may run beside this one for another ISA.
  const auto path = std::filesystem::path(testing::TempDir()) /
                    (testing::UnitTest::GetInstance()->current_test_info()->name() + std::to_string(getpid()));
  std::ofstream(path) << cpuinfo;
  const Cpu cpu = cpu_of_cpuinfo(path.string());
  std::filesystem::remove(path);
  return cpu;
}

TEST(cpu, an_arm_core_is_known_by_implementer_and_part) {
  const auto grace = cpu_that_says(
      "processor\t: 0\nBogoMIPS\t: 2000.00\nFeatures\t: fp asimd sve\nCPU implementer\t: 0x41\nCPU architecture: 8\n"
      "CPU variant\t: 0x0\nCPU part\t: 0xd4f\nCPU revision\t: 3\n");
  EXPECT_EQ(grace.vendor, "implementer 0x41");
  EXPECT_EQ(grace.family, 8);
  EXPECT_EQ(grace.model, 0xd4f);
  EXPECT_EQ(grace.stepping, 3);
  EXPECT_EQ(grace.name, "part 0xd4f");
}

TEST(cpu, a_power_processor_is_known_by_its_version) {
  const auto power9 =
      cpu_that_says("processor\t: 0\ncpu\t\t: POWER9, altivec supported\nclock\t\t: 3800.000000MHz\nrevision\t: 2.2 (pvr 004e 1202)\n");
  EXPECT_EQ(power9.vendor, "IBM");
  EXPECT_EQ(power9.model, 0x4e);
  EXPECT_EQ(power9.stepping, 0x1202);
  EXPECT_EQ(power9.name, "POWER9, altivec supported");
}

}  // namespace
}  // namespace plumbline
