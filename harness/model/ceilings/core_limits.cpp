#include "model/ceilings/core_limits.hpp"

#include <algorithm>
#include <array>

#include "core/flavor.hpp"

namespace plumbline {
namespace {

/// The instructions a cycle on full vectors of an ISA level (and as many on scalars). `pipes`: of all these kinds together.
struct Issue {
  std::string_view isa;
  double fma, add, mul, pipes;
  double bf16_dot = 0;  // 0: none, or not known
  double int8_dot = 0;
};

struct Core {
  std::string_view name;
  std::string_view vendor;
  int family, first_model, last_model;
  std::string_view part;              // off x86: what the CPU's name is
  std::array<Issue, 4> issue;         // narrowest first; those not used have no name
  double l1_load, l1_store, l2_load;  // bytes a cycle; 0: not stated
  std::string_view source;
};

constexpr std::string_view amd = "AuthenticAMD", intel = "GenuineIntel", arm = "implementer 0x41", fujitsu = "implementer 0x46";

// Instruction rates agree with uops.info (Abel and Reineke 2019) where it has the core. The 512-bit rates of Intel's server cores are
// those of two 512-bit FMA units, to which dot products of int8 go too: 256 operations a cycle (Intel, Architecture Day 2021, beside the
// 2048 of AMX). Measured on Emerald Rapids: as many VPDPBUSD as FMAs in a second, of 512 and of 256 bits. Those of Zen 4 (one of 512 bits)
// and Zen 5 (two) are the rates of their FMAs, unverified.
constexpr std::array cores{
    Core{"Zen",
         amd,
         0x17,
         0x00,
         0x2f,
         "",
         {{{"v2", 2, 2, 2, 4}, {"v3", 1, 1, 1, 2}}},
         32,
         16,
         32,
         "AMD, Software Optimization Guide for Family 17h, publication 55723"},
    Core{"Zen 2",
         amd,
         0x17,
         0x30,
         0xaf,
         "",
         {{{"v2", 2, 2, 2, 4}, {"v3", 2, 2, 2, 4}}},
         64,
         32,
         32,
         "AMD, Software Optimization Guide for Family 17h Models 30h and Greater, publication 56305"},
    Core{"Zen 3",
         amd,
         0x19,
         0x00,
         0x0f,
         "",
         {{{"v2", 2, 2, 2, 4}, {"v3", 2, 2, 2, 4}}},
         64,
         32,
         32,
         "AMD, Software Optimization Guide for Family 19h, publication 56665"},
    Core{"Zen 3",
         amd,
         0x19,
         0x20,
         0x5f,
         "",
         {{{"v2", 2, 2, 2, 4}, {"v3", 2, 2, 2, 4}}},
         64,
         32,
         32,
         "AMD, Software Optimization Guide for Family 19h, publication 56665"},
    Core{"Zen 4",
         amd,
         0x19,
         0x10,
         0x1f,
         "",
         {{{"v2", 2, 2, 2, 4}, {"v3", 2, 2, 2, 4}, {"v4", 1, 1, 1, 2, 1, 1}}},
         64,
         32,
         32,
         "AMD, Software Optimization Guide for the Zen 4 Microarchitecture, publication 57647"},
    Core{"Zen 4",
         amd,
         0x19,
         0x60,
         0xaf,
         "",
         {{{"v2", 2, 2, 2, 4}, {"v3", 2, 2, 2, 4}, {"v4", 1, 1, 1, 2, 1, 1}}},
         64,
         32,
         32,
         "AMD, Software Optimization Guide for the Zen 4 Microarchitecture, publication 57647"},
    Core{"Zen 5",
         amd,
         0x1a,
         0x00,
         0x1f,
         "",
         {{{"v2", 2, 2, 2, 4}, {"v3", 2, 2, 2, 4, 0, 2}, {"v4", 2, 2, 2, 4, 2, 2}}},
         128,
         64,
         64,
         "AMD, Software Optimization Guide for the Zen 5 Microarchitecture, publication 58455"},
    Core{"Zen 5",
         amd,
         0x1a,
         0x40,
         0x4f,
         "",
         {{{"v2", 2, 2, 2, 4}, {"v3", 2, 2, 2, 4, 0, 2}, {"v4", 2, 2, 2, 4, 2, 2}}},
         128,
         64,
         64,
         "AMD, Software Optimization Guide for the Zen 5 Microarchitecture, publication 58455"},
    Core{"Haswell",
         intel,
         6,
         0x3f,
         0x3f,
         "",
         {{{"v2", 2, 1, 2, 2}, {"v3", 2, 1, 2, 2}}},
         64,
         32,
         64,
         "Intel, Optimization Reference Manual, 248966, Haswell"},
    Core{"Broadwell",
         intel,
         6,
         0x4f,
         0x4f,
         "",
         {{{"v2", 2, 1, 2, 2}, {"v3", 2, 1, 2, 2}}},
         64,
         32,
         64,
         "Intel, Optimization Reference Manual, 248966, Broadwell"},
    Core{"Skylake-SP",
         intel,
         6,
         0x55,
         0x55,
         "",
         {{{"v2", 2, 2, 2, 2}, {"v3", 2, 2, 2, 2}, {"v4", 2, 2, 2, 2, 0, 2}}},
         128,
         64,
         64,
         "Intel, Optimization Reference Manual, 248966, Skylake Server (also Cascade Lake and Cooper Lake)"},
    Core{"Ice Lake-SP",
         intel,
         6,
         0x6a,
         0x6c,
         "",
         {{{"v2", 2, 2, 2, 2}, {"v3", 2, 2, 2, 2}, {"v4", 2, 2, 2, 2, 0, 2}}},
         128,
         64,
         64,
         "Intel, Optimization Reference Manual, 248966, Ice Lake"},
    Core{"Sapphire Rapids",
         intel,
         6,
         0x8f,
         0x8f,
         "",
         {{{"v2", 2, 2, 2, 3}, {"v3", 2, 2, 2, 3, 0, 2}, {"v4", 2, 2, 2, 2, 0.5, 2}}},
         128,
         64,
         64,
         "Intel, Optimization Reference Manual, 248966, Golden Cove; dot products: half of one a cycle, as measured on Sapphire Rapids "
         "(cpufp, W9-3495X and 6455B)"},
    Core{"Emerald Rapids",
         intel,
         6,
         0xcf,
         0xcf,
         "",
         {{{"v2", 2, 2, 2, 3}, {"v3", 2, 2, 2, 3, 0, 2}, {"v4", 2, 2, 2, 2, 0.5, 2}}},
         128,
         64,
         64,
         "Intel, Optimization Reference Manual, 248966, Raptor Cove; dot products: half of one a cycle, as measured on Sapphire Rapids "
         "(cpufp, W9-3495X and 6455B)"},
    Core{"Granite Rapids",
         intel,
         6,
         0xad,
         0xae,
         "",
         {{{"v2", 2, 2, 2, 3}, {"v3", 2, 2, 2, 3, 0, 2}, {"v4", 2, 2, 2, 2, 0, 2}}},
         128,
         64,
         64,
         "Intel, Optimization Reference Manual, 248966, Redwood Cove"},
    Core{"Neoverse N1", arm, 0, 0, 0, "part 0xd0c", {{{"neon", 2, 2, 2, 2}}}, 0, 0, 0, "Arm, Neoverse N1 Software Optimization Guide"},
    Core{"Neoverse V1",
         arm,
         0,
         0,
         0,
         "part 0xd40",
         {{{"neon", 4, 4, 4, 4}, {"sve256", 2, 2, 2, 2}}},
         0,
         0,
         0,
         "Arm, Neoverse V1 Software Optimization Guide"},
    Core{"Neoverse N2",
         arm,
         0,
         0,
         0,
         "part 0xd49",
         {{{"neon", 2, 2, 2, 2}, {"sve128", 2, 2, 2, 2}}},
         0,
         0,
         0,
         "Arm, Neoverse N2 Software Optimization Guide"},
    Core{"Neoverse V2",
         arm,
         0,
         0,
         0,
         "part 0xd4f",
         {{{"neon", 4, 4, 4, 4}, {"sve128", 4, 4, 4, 4}}},
         0,
         0,
         0,
         "Arm, Neoverse V2 Software Optimization Guide"},
    Core{"A64FX",
         fujitsu,
         0,
         0,
         0,
         "part 0x001",
         {{{"neon", 2, 2, 2, 2}, {"sve512", 2, 2, 2, 2}}},
         128,
         64,
         64,
         "Fujitsu, A64FX Microarchitecture Manual"},
};

/// Instructions that go from a core's front end to its schedulers in a cycle: its dispatch or rename width.
struct IssueWidth {
  std::string_view core;
  double instructions;
};
constexpr std::array issue_widths{
    IssueWidth{"Zen", 6},         IssueWidth{"Zen 2", 6},           IssueWidth{"Zen 3", 6},          IssueWidth{"Zen 4", 6},
    IssueWidth{"Zen 5", 8},       IssueWidth{"Haswell", 4},         IssueWidth{"Broadwell", 4},      IssueWidth{"Skylake-SP", 4},
    IssueWidth{"Ice Lake-SP", 5}, IssueWidth{"Sapphire Rapids", 6}, IssueWidth{"Emerald Rapids", 6}, IssueWidth{"Granite Rapids", 6},
    IssueWidth{"Neoverse N1", 4}, IssueWidth{"Neoverse V1", 8},     IssueWidth{"Neoverse N2", 5},    IssueWidth{"Neoverse V2", 8},
    IssueWidth{"A64FX", 4}};

/// Bytes of a stretch of code, of which one is fetched in a cycle. Zen 3 takes what it decoded before from lines of 64 bytes: a loop of 32
/// bytes took a cycle a pass within a line and two across its end (triads and integer additions, begun at twelve offsets). Zen, Zen 2 and
/// Zen 4 are taken to be alike. Emerald Rapids took such loops across a line's end as fast as within one (begun at sixteen offsets), unless
/// the end lay between or within a comparison and its branch. Of the others nothing is known. The stretches of all these are pages.
constexpr int line_of_code = 64, page_of_code = 4096;

/// A core that the emulator runs on, as far as the table above does not tell: its reorder buffer, its physical vector registers, the loads
/// and stores of up to 32 bytes that begin in a cycle, and latencies of fp64. The numbers are those of the vendors' guides named above and
/// of uops.info (Abel and Reineke 2019), written from memory; additions that wait for each other take 2 cycles on Golden Cove and its like,
/// as a chain of sums beside one of products showed on Emerald Rapids (half the time).
struct Pipeline {
  std::string_view core;
  int window, vector_registers, loads, stores;
  int add, mul, fma;  // cycles
  int code_bytes;
};
constexpr std::array pipelines{Pipeline{"Zen", 192, 160, 2, 1, 3, 4, 5, line_of_code},
                               Pipeline{"Zen 2", 224, 160, 2, 1, 3, 3, 5, line_of_code},
                               Pipeline{"Zen 3", 256, 160, 2, 1, 3, 3, 4, line_of_code},
                               Pipeline{"Zen 4", 320, 192, 2, 1, 3, 3, 4, line_of_code},
                               Pipeline{"Zen 5", 448, 384, 2, 2, 2, 3, 4, page_of_code},
                               Pipeline{"Haswell", 192, 168, 2, 1, 3, 5, 5, page_of_code},
                               Pipeline{"Broadwell", 192, 168, 2, 1, 3, 3, 5, page_of_code},
                               Pipeline{"Skylake-SP", 224, 168, 2, 1, 4, 4, 4, page_of_code},
                               Pipeline{"Ice Lake-SP", 352, 224, 2, 2, 4, 4, 4, page_of_code},
                               Pipeline{"Sapphire Rapids", 512, 332, 3, 2, 2, 4, 4, page_of_code},
                               Pipeline{"Emerald Rapids", 512, 332, 3, 2, 2, 4, 4, page_of_code},
                               Pipeline{"Granite Rapids", 512, 332, 3, 2, 2, 4, 4, page_of_code}};

/// Operations a cycle and core of products of matrix tiles (AMX), by the core's name: 16 x 16 x 64 bytes of multiply-adds in 16 cycles.
struct TileRate {
  std::string_view core, type;
  double per_clock;
};
constexpr std::string_view tile_source =
    "Intel, Optimization Reference Manual, 248966, Intel AMX: an instruction in 16 cycles (1024 operations of 16 bits a cycle, 2048 of 8)";
constexpr std::array tile_rates{TileRate{"Sapphire Rapids", "bf16", 1024}, TileRate{"Sapphire Rapids", "int8", 2048},
                                TileRate{"Emerald Rapids", "bf16", 1024},  TileRate{"Emerald Rapids", "int8", 2048},
                                TileRate{"Granite Rapids", "bf16", 1024},  TileRate{"Granite Rapids", "int8", 2048},
                                TileRate{"Granite Rapids", "fp16", 1024}};

const Core* core_of(const CoreIdentity& identity) {
  const auto found = std::find_if(cores.begin(), cores.end(), [&](const Core& core) {
    if (core.vendor != identity.vendor) return false;
    if (!core.part.empty()) return core.part == identity.name;
    return core.family == identity.family && core.first_model <= identity.model && identity.model <= core.last_model;
  });
  return found == cores.end() ? nullptr : &*found;
}

/// The rates of instructions on full vectors of an ISA level, or of one that its word begins with; nullptr where the core has none.
const Issue* arithmetic_issue(const Core* core, std::string_view isa) {
  if (core == nullptr) return nullptr;
  const auto issue = std::find_if(core->issue.begin(), core->issue.end(),
                                  [&](const Issue& row) { return !row.isa.empty() && row.isa == isa.substr(0, row.isa.size()); });
  return issue == core->issue.end() ? nullptr : &*issue;
}

double element_bytes(std::string_view precision) { return precision == "fp64" ? 8 : precision == "fp32" ? 4 : precision == "int8" ? 1 : 2; }

/// FLOPs of an element and instruction, and instructions a cycle; two kinds come in equal numbers.
struct FlopKinds {
  double flops, rate;
};

double flops_per_clock(const Issue& issue, std::string_view kinds) {
  const auto one = [&](std::string_view word) -> FlopKinds {
    if (word == "fma") return {2, issue.fma};
    return word == "add" ? FlopKinds{1, issue.add} : FlopKinds{1, issue.mul};
  };
  const std::size_t plus = kinds.find('+');
  if (plus == std::string_view::npos) return one(kinds).flops * one(kinds).rate;
  const FlopKinds a = one(kinds.substr(0, plus)), b = one(kinds.substr(plus + 1));
  return (a.flops + b.flops) * std::min({a.rate, b.rate, issue.pipes / 2});
}

CoreLimit limit(const Core& core, double per_clock) { return {per_clock, std::string(core.name) + ": " + std::string(core.source), ""}; }

std::optional<CoreLimit> tile_limit(const Core& core, std::string_view type) {
  const auto found =
      std::find_if(tile_rates.begin(), tile_rates.end(), [&](const TileRate& rate) { return rate.core == core.name && rate.type == type; });
  if (found == tile_rates.end()) return std::nullopt;
  return CoreLimit{found->per_clock, std::string(core.name) + ": " + std::string(tile_source), ""};
}

/// A second 512-bit unit that the core's model number does not tell of (Intel's product pages: "# of AVX-512 FMA Units").
std::string_view remark_on(const Core& core, std::string_view isa) {
  if (core.name != "Skylake-SP" || !isa.starts_with("v4")) return "";
  return "the limit is that of two 512-bit FMA units; most Xeon Bronze, Silver and Gold 5000 of Skylake and Cascade Lake have one and "
         "reach half of it";
}

}  // namespace

bool is_known_core(const CoreIdentity& core) { return core_of(core) != nullptr; }

double vector_bytes(std::string_view isa) { return static_cast<double>(vector_registers(isa).bytes); }

std::optional<CoreLimit> arithmetic_limit(const CoreIdentity& identity, std::string_view isa, std::string_view precision,
                                          std::string_view pattern) {
  constexpr std::string_view tensor = "tensor.";
  const Core* core = core_of(identity);
  if (core == nullptr) return std::nullopt;
  if (precision.starts_with(tensor)) return tile_limit(*core, precision.substr(tensor.size()));
  const Issue* const issue = arithmetic_issue(core, isa);
  if (issue == nullptr) return std::nullopt;
  const double lanes = vector_bytes(isa) / element_bytes(precision);
  if (pattern == "dot") {
    const double dots = precision == "int8" ? issue->int8_dot : issue->bf16_dot;
    return dots > 0 ? std::optional(limit(*core, 2 * lanes * dots)) : std::nullopt;
  }
  constexpr std::string_view scalar = "scalar ";
  if (!pattern.starts_with(scalar)) {
    CoreLimit vectors = limit(*core, lanes * flops_per_clock(*issue, pattern));
    vectors.remark = remark_on(*core, isa);
    return vectors;
  }
  // scalars issue as narrow vectors do: the double-pumped halves of a wide unit are two units to them
  return limit(*core, flops_per_clock(core->issue.front(), pattern.substr(scalar.size())));
}

std::optional<CoreLimit> bandwidth_limit(const CoreIdentity& identity, std::string_view level, std::string_view pattern) {
  const Core* core = core_of(identity);
  if (core == nullptr || core->l1_load == 0) return std::nullopt;
  if (level == "L2" && pattern == "load") return limit(*core, core->l2_load);
  if (level != "L1") return std::nullopt;
  if (pattern == "load") return limit(*core, core->l1_load);
  if (pattern == "store") return limit(*core, core->l1_store);
  if (pattern == "copy" || pattern == "update") return limit(*core, 2 * std::min(core->l1_load, core->l1_store));
  if (pattern == "triad" || pattern == "loads2store1") return limit(*core, 3 * std::min(core->l1_load / 2, core->l1_store));
  return std::nullopt;
}

std::string machine_word(const CoreIdentity& core) {
  return core.vendor + " " + (core.family > 0 ? std::to_string(core.family) + "/" + std::to_string(core.model) : core.name);
}

std::optional<CoreLimit> issue_limit(const CoreIdentity& identity) {
  const Core* core = core_of(identity);
  if (core == nullptr) return std::nullopt;
  const auto found = std::ranges::find(issue_widths, core->name, &IssueWidth::core);
  return found == issue_widths.end() ? std::nullopt : std::optional(limit(*core, found->instructions));
}

std::optional<CorePipes> core_pipes(const CoreIdentity& identity) {
  const Core* core = core_of(identity);
  const auto width = issue_limit(identity);
  const auto of_vectors = arithmetic_issue(core, "v3");
  if (!width || of_vectors == nullptr) return std::nullopt;
  const auto found = std::ranges::find(pipelines, core->name, &Pipeline::core);
  if (found == pipelines.end()) return std::nullopt;
  constexpr int named_registers = 16;
  const auto a_cycle = [](double rate) { return std::max(1, static_cast<int>(rate)); };
  return CorePipes{.width = a_cycle(width->per_clock),
                   .window = found->window,
                   .registers = found->vector_registers - named_registers,
                   .add = a_cycle(of_vectors->add),
                   .mul = a_cycle(of_vectors->mul),
                   .vectors = a_cycle(of_vectors->pipes),
                   .loads = found->loads,
                   .stores = found->stores,
                   .add_latency = found->add,
                   .mul_latency = found->mul,
                   .fma_latency = found->fma,
                   .code_bytes = found->code_bytes};
}

}  // namespace plumbline
