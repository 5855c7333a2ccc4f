#include "machine/cpu.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "core/error.hpp"
#include "machine/system_file.hpp"
#include "machine/tiles.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#include <sys/prctl.h>
#endif

namespace plumbline {
namespace {

#if defined(__x86_64__)

struct Leaf {
  std::array<std::uint32_t, 4> word{};  // eax, ebx, ecx, edx
};

Leaf cpuid(std::uint32_t leaf, std::uint32_t subleaf = 0) {
  Leaf result;
  auto& [a, b, c, d] = result.word;
  if (__get_cpuid_count(leaf, subleaf, &a, &b, &c, &d) == 0) return {};
  return result;
}

// Register state that the operating system saves (XCR0); 0 without XSAVE.
std::uint64_t saved_state() {
  if ((cpuid(1).word[2] >> 27 & 1U) == 0) return 0;
  std::uint32_t low = 0, high = 0;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return std::uint64_t{high} << 32 | low;
}

// The features that each level adds (x86-64 psABI 1.0, table 3.1), and each extension: where CPUID tells them.
struct Feature {
  std::string_view level;
  std::uint32_t leaf;
  int word;  // 0 eax, 1 ebx, 2 ecx, 3 edx
  std::uint32_t bit;
  std::uint32_t subleaf = 0;
};
constexpr std::uint32_t extended = 0x80000001;
constexpr Feature features[] = {
    {"v2", 1, 2, 0},         // SSE3
    {"v2", 1, 2, 9},         // SSSE3
    {"v2", 1, 2, 13},        // CMPXCHG16B
    {"v2", 1, 2, 19},        // SSE4.1
    {"v2", 1, 2, 20},        // SSE4.2
    {"v2", 1, 2, 23},        // POPCNT
    {"v2", extended, 2, 0},  // LAHF, SAHF
    {"v3", 1, 2, 12},        // FMA
    {"v3", 1, 2, 22},        // MOVBE
    {"v3", 1, 2, 28},        // AVX
    {"v3", 1, 2, 29},        // F16C
    {"v3", 7, 1, 3},         // BMI1
    {"v3", 7, 1, 5},         // AVX2
    {"v3", 7, 1, 8},         // BMI2
    {"v3", extended, 2, 5},  // LZCNT
    {"v4", 7, 1, 16},        // AVX512F
    {"v4", 7, 1, 17},        // AVX512DQ
    {"v4", 7, 1, 28},        // AVX512CD
    {"v4", 7, 1, 30},        // AVX512BW
    {"v4", 7, 1, 31},        // AVX512VL
    {"v3vnni", 7, 0, 4, 1},  // AVX_VNNI
    {"v4bf16", 7, 0, 5, 1},  // AVX512_BF16
    {"v4fp16", 7, 3, 23},    // AVX512_FP16
    {"v4vnni", 7, 2, 11},    // AVX512_VNNI
};
struct Level {
  std::string_view name;
  std::uint64_t state;  // XCR0 bits: SSE and AVX registers; opmask and the two halves of ZMM
};
constexpr Level levels[] = {{"v2", 0}, {"v3", 0x6}, {"v4", 0xe6}};
constexpr std::string_view extensions[] = {"v3vnni", "v4bf16", "v4fp16", "v4vnni"};  // of the level that they begin with

bool has_feature(const Feature& f) { return (cpuid(f.leaf, f.subleaf).word[static_cast<std::size_t>(f.word)] >> f.bit & 1U) != 0; }

bool has_features(std::string_view level) {
  return std::all_of(std::begin(features), std::end(features), [&](const Feature& f) { return f.level != level || has_feature(f); });
}

std::vector<std::string> find_isas() {
  std::vector<std::string> found;
  const auto state = saved_state();
  for (const auto& level : levels) {
    if (!has_features(level.name) || (state & level.state) != level.state) break;  // each level contains the one before
    found.emplace_back(level.name);
  }
  const auto runs = [&](std::string_view level) { return std::find(found.begin(), found.end(), level) != found.end(); };
  for (const auto extension : extensions)
    if (runs(extension.substr(0, 2)) && has_features(extension)) found.emplace_back(extension);
  return found;
}

/// Asks for the permission where it is all that is missing.
Tiles find_tiles() {
  TileFacts facts{.tile = has_feature({"", 7, 3, 24}),
                  .bf16 = has_feature({"", 7, 3, 22}),
                  .int8 = has_feature({"", 7, 3, 25}),
                  .fp16 = has_feature({"", 7, 0, 21, 1}),
                  .saved_state = saved_state()};
  if (facts.tile) {
    const auto palette = cpuid(0x1d, 1).word;
    facts.tiles = palette[1] >> 16;
    facts.row_bytes = palette[1] & 0xffffU;
    facts.rows = palette[2] & 0xffffU;
  }
  if (tiles_are_there(facts)) facts.refused = ask_for_tiles();
  return tiles_of(facts);
}

std::string text_of(std::initializer_list<std::uint32_t> words) {
  std::string text;
  for (const std::uint32_t word : words) text.append(reinterpret_cast<const char*>(&word), sizeof word);
  text.resize(std::strlen(text.c_str()));
  const auto first = text.find_first_not_of(' ');
  return first == text.npos ? "" : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

Cpu find_cpu() {
  Cpu cpu;
  const auto vendor = cpuid(0).word, signature = cpuid(1).word;
  cpu.vendor = text_of({vendor[1], vendor[3], vendor[2]});
  for (std::uint32_t leaf = 0x80000002; leaf <= 0x80000004; ++leaf) {
    const auto words = cpuid(leaf).word;
    cpu.name.append(reinterpret_cast<const char*>(words.data()), sizeof words);
  }
  cpu.name.resize(std::strlen(cpu.name.c_str()));
  cpu.name = cpu.name.substr(0, cpu.name.find_last_not_of(' ') + 1);
  cpu.name.erase(0, std::min(cpu.name.find_first_not_of(' '), cpu.name.size()));
  const auto eax = signature[0];
  const auto family = eax >> 8 & 0xfU, model = eax >> 4 & 0xfU;
  cpu.family = static_cast<int>(family == 0xf ? family + (eax >> 20 & 0xffU) : family);
  cpu.model = static_cast<int>(family == 0xf || family == 6 ? model + (eax >> 16 & 0xfU) * 16 : model);
  cpu.stepping = static_cast<int>(eax & 0xfU);
  cpu.virtual_machine = (signature[2] >> 31 & 1U) != 0;
  cpu.isas = find_isas();
  const Tiles tiles = find_tiles();
  cpu.why_no_tiles = tiles.why_none;
  if (std::find(cpu.isas.begin(), cpu.isas.end(), "v4") != cpu.isas.end())
    cpu.isas.insert(cpu.isas.end(), tiles.isas.begin(), tiles.isas.end());
  else if (!tiles.isas.empty())
    cpu.why_no_tiles = "flavors for tiles are built for v4, which this CPU does not run";
  return cpu;
}

#else

#if defined(__aarch64__)
// SVE code of a fixed vector length runs on that length only: the length that the kernel gives this process, in bits.
std::vector<std::string> find_isas() {
  constexpr unsigned long hwcap_sve = 1UL << 22, hwcap2_sve_bf16 = 1UL << 12, hwcap2_bf16 = 1UL << 14;
  const unsigned long further = getauxval(AT_HWCAP2);
  const int answer = (getauxval(AT_HWCAP) & hwcap_sve) != 0 ? prctl(PR_SVE_GET_VL) : -1;
  const std::string sve = answer < 0 ? "" : "sve" + std::to_string(8 * (answer & PR_SVE_VL_LEN_MASK));
  std::vector<std::string> found{"neon"};
  if (!sve.empty()) found.push_back(sve);
  if ((further & hwcap2_bf16) != 0) found.emplace_back("neonbf16");
  if (!sve.empty() && (further & hwcap2_sve_bf16) != 0) found.push_back(sve + "bf16");
  return found;
}
#endif

Cpu find_cpu() {
  Cpu cpu = cpu_of_cpuinfo("/proc/cpuinfo");
#if defined(__aarch64__)
  cpu.isas = find_isas();
#endif
  return cpu;
}

#endif

/// The suffixes of ISA names that are no levels.
constexpr std::string_view precisions_added[] = {"bf16", "fp16", "int8", "vnni"};

int number_of(const std::optional<std::string>& text, int base) {
  return text ? static_cast<int>(std::strtol(text->c_str(), nullptr, base)) : 0;
}

// Reads "2.2 (pvr 004e 1202)": the version of the processor, and its revision.
void read_pvr(const std::string& revision, Cpu& cpu) {
  const auto pvr = revision.find("pvr ");
  if (pvr == revision.npos) return;
  cpu.model = number_of(revision.substr(pvr + 4, 4), 16);
  if (pvr + 9 < revision.size()) cpu.stepping = number_of(revision.substr(pvr + 9, 4), 16);
}

}  // namespace

Cpu cpu_of_cpuinfo(const std::string& path) {
  Cpu cpu;
  if (const auto power = field_of(path, "cpu"); power && power->starts_with("POWER")) {
    cpu.vendor = "IBM";
    cpu.name = *power;
    read_pvr(field_of(path, "revision").value_or(""), cpu);
    return cpu;
  }
  const auto part = field_of(path, "CPU part");
  cpu.vendor = "implementer " + field_of(path, "CPU implementer").value_or("unknown");
  cpu.name = field_of(path, "model name").value_or("part " + part.value_or("unknown"));
  cpu.family = number_of(field_of(path, "CPU architecture"), 10);
  cpu.model = number_of(part, 16);
  cpu.stepping = number_of(field_of(path, "CPU revision"), 10);
  return cpu;
}

Cpu masked_as(const std::string& words, Cpu cpu) {
  std::istringstream text(words);
  Cpu mask;
  if (!(text >> mask.vendor >> mask.family >> mask.model))
    throw user_error("PLUMBLINE_CPU_AS is '" + words +
                     "', which begins with no vendor, family and model; e.g. \"GenuineIntel 6 167 v2 v3\"");
  for (std::string isa; text >> isa;) mask.isas.push_back(isa);
  std::erase_if(cpu.isas, [&](const auto& isa) { return std::find(mask.isas.begin(), mask.isas.end(), isa) == mask.isas.end(); });
  cpu.name += " (masked by PLUMBLINE_CPU_AS)";
  cpu.vendor = mask.vendor;
  cpu.family = mask.family;
  cpu.model = mask.model;
  return cpu;
}

const Cpu& this_cpu() {
  static const Cpu cpu = [] {
    const char* mask = std::getenv("PLUMBLINE_CPU_AS");
    return mask == nullptr ? find_cpu() : masked_as(mask, find_cpu());
  }();
  return cpu;
}

std::string Cpu::best_isa() const {
  const auto adds_a_precision = [](const std::string& isa) {
    return std::any_of(std::begin(precisions_added), std::end(precisions_added),
                       [&](std::string_view word) { return isa.ends_with(word); });
  };
  const auto widest = std::find_if_not(isas.rbegin(), isas.rend(), adds_a_precision);
  return widest == isas.rend() ? "" : *widest;
}

bool runs_isa(std::string_view isa) {
  const auto& isas = this_cpu().isas;
  return std::find(isas.begin(), isas.end(), isa) != isas.end();
}

}  // namespace plumbline
