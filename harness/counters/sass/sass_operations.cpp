#include "counters/sass/sass_operations.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace plumbline {
namespace {

/// Calls act(word) for what stands between the dots of an opcode: "LDG", "E", "64".
template <class Act>
void for_each_word(const SassInstruction& one, Act act) {
  for (std::string_view rest = one.opcode; !rest.empty();) {
    const std::string_view word = rest.substr(0, rest.find('.'));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    act(word);
  }
}

struct Arithmetic {
  std::string_view opcode;  // before the first dot
  const char* quantity;
  std::uint64_t operations;  // a thread's, FMAs counted as one
};
// Halves: bfloat16 where the opcode says so (kind_of), and one where it is not two (halves_of).
constexpr std::array arithmetic{
    Arithmetic{"DADD", "flops.fp64.add", 1},
    Arithmetic{"DMUL", "flops.fp64.mul", 1},
    Arithmetic{"DFMA", "flops.fp64.fma", 1},
    Arithmetic{"FADD", "flops.fp32.add", 1},
    Arithmetic{"FMUL", "flops.fp32.mul", 1},
    Arithmetic{"FFMA", "flops.fp32.fma", 1},
    Arithmetic{"FADD2", "flops.fp32.add", 2},
    Arithmetic{"FMUL2", "flops.fp32.mul", 2},
    Arithmetic{"FFMA2", "flops.fp32.fma", 2},
    Arithmetic{"HADD2", "flops.fp16.add", 2},
    Arithmetic{"HMUL2", "flops.fp16.mul", 2},
    Arithmetic{"HFMA2", "flops.fp16.fma", 2},
    // Some opcodes are counted by no kind of their own, but must not be passed over either.
    Arithmetic{"MUFU", "", 0},
    Arithmetic{"BMMA", "", 0},
    Arithmetic{"OMMA", "", 0},
    Arithmetic{"UTCHMMA", "", 0},
    Arithmetic{"UTCQMMA", "", 0},
};

/// A product of matrices by a warp, or by the four of a warp group, of the type that a word of the opcode names, else the preset.
struct TensorArithmetic {
  std::string_view opcode;
  std::uint64_t threads;
  const char* preset;  // null: the words decide
};
constexpr std::array tensor_arithmetic{TensorArithmetic{"HMMA", 32, "fp16"},   TensorArithmetic{"DMMA", 32, "fp64"},
                                       TensorArithmetic{"IMMA", 32, nullptr},  TensorArithmetic{"QMMA", 32, nullptr},
                                       TensorArithmetic{"HGMMA", 128, "fp16"}, TensorArithmetic{"IGMMA", 128, nullptr},
                                       TensorArithmetic{"QGMMA", 128, nullptr}};
struct TensorWord {
  std::string_view word;
  const char* type;  // null: of none that is counted
};
constexpr std::array tensor_words{TensorWord{"BF16", "bf16"}, TensorWord{"TF32", "tf32"}, TensorWord{"S8", "int8"},
                                  TensorWord{"U8", "int8"},   TensorWord{"E4M3", "fp8"},  TensorWord{"E5M2", "fp8"},
                                  TensorWord{"S4", nullptr},  TensorWord{"U4", nullptr},  TensorWord{"SP", nullptr}};
struct TensorShapeWord {
  std::string_view word;
  std::uint64_t products;  // m n k
};
constexpr std::array tensor_shapes{
    TensorShapeWord{"884", 8 * 8 * 4},     TensorShapeWord{"8816", 8 * 8 * 16},   TensorShapeWord{"8832", 8 * 8 * 32},
    TensorShapeWord{"1684", 16 * 8 * 4},   TensorShapeWord{"1688", 16 * 8 * 8},   TensorShapeWord{"16816", 16 * 8 * 16},
    TensorShapeWord{"16832", 16 * 8 * 32}, TensorShapeWord{"16864", 16 * 8 * 64},
};

/// The products that an instruction of that shape does: m n k for "64x256x16".
std::uint64_t product_of(std::string_view word) {
  for (const auto& one : tensor_shapes)
    if (one.word == word) return one.products;
  if (std::count(word.begin(), word.end(), 'x') != 2) return 0;
  std::uint64_t product = 1, number = 0;
  for (const char c : word) {
    if (c == 'x')
      product *= std::exchange(number, 0);
    else if (c >= '0' && c <= '9')
      number = 10 * number + static_cast<std::uint64_t>(c - '0');
    else
      return 0;
  }
  return product * number;
}

/// A thread's share; no kind where the opcode has words that are not known here.
std::optional<SassArithmetic> tensor_operations(const SassInstruction& one) {
  const auto found =
      std::find_if(tensor_arithmetic.begin(), tensor_arithmetic.end(), [&](const TensorArithmetic& a) { return a.opcode == one.stem(); });
  if (found == tensor_arithmetic.end()) return std::nullopt;
  std::uint64_t products = 0;
  const char* type = found->preset;
  bool known = true;
  for_each_word(one, [&](std::string_view word) {
    if (const std::uint64_t product = product_of(word); product != 0) products = product;
    for (const auto& [name, its] : tensor_words)
      if (word == name) type = its, known = known && its != nullptr;
  });
  const std::uint64_t operations = 2 * products;
  if (!known || type == nullptr || operations == 0 || operations % found->threads != 0) return SassArithmetic{};
  return SassArithmetic{std::string("flops.tensor.") + type, operations / found->threads};
}

/// Constants are moved by an HFMA2 of zeros, a half is widened by an HADD2, integers are divided by a reciprocal, Newton steps begin with
/// an estimate: no arithmetic of the program's. A GPU's counters see the first all the same, which model/scoring/counted_case.cpp allows
/// for.
bool only_moves(const SassInstruction& one) {
  if (one.of_integers || one.is_estimate) return true;
  if (!one.opcode.starts_with("H") || !one.stem().ends_with("2")) return false;
  return one.opcode.find(".F32") != one.opcode.npos || one.operands.find("-RZ, RZ,") != one.operands.npos;
}

/// A register or a constant of the program's, neither a number in the instruction nor the register of zeros.
bool is_variable(std::string_view operand) {
  operand.remove_prefix(std::min(operand.find_first_not_of(" -|~"), operand.size()));
  return (operand.starts_with("R") || operand.starts_with("UR") || operand.starts_with("c[")) && !operand.starts_with("RZ") &&
         !operand.starts_with("URZ");
}

/// Arithmetic on halves is on pairs. Where each of its operands is one half for both, only one number comes of it.
std::uint64_t halves_of(const SassInstruction& one) {
  std::string_view operands = one.operands;
  for (std::size_t comma = operands.find(','); comma != operands.npos; comma = operands.find(',')) {
    operands.remove_prefix(comma + 1);
    const std::string_view operand = operands.substr(0, operands.find(','));
    if (is_variable(operand) && operand.find(".H0_H0") == operand.npos && operand.find(".H1_H1") == operand.npos) return 2;
  }
  return 1;
}

std::uint64_t operations_of(const SassInstruction& one, const Arithmetic& how) {
  return one.opcode.starts_with("H") && how.operations == 2 ? halves_of(one) : how.operations;
}

std::string kind_of(const SassInstruction& one, const Arithmetic& how) {
  std::string kind = how.quantity;
  if (one.opcode.find("BF16") != one.opcode.npos) kind.replace(kind.find("fp16"), 4, "bf16");
  return kind;
}

/// An access and what it is counted as. Without a name: by none, but not to be passed over either.
struct Access {
  std::string_view opcode;
  const char *instructions, *bytes;
};
constexpr const char *global_load = "bytes.reg-L1.load", *global_store = "bytes.reg-L1.store", *shared_load = "bytes.reg-shared.load",
                     *shared_store = "bytes.reg-shared.store";
constexpr std::array accesses{
    Access{"LDG", "loads", global_load},
    Access{"STG", "stores", global_store},
    Access{"LDS", "shared_loads", shared_load},
    Access{"STS", "shared_stores", shared_store},
    Access{"LD", nullptr, nullptr},
    Access{"ST", nullptr, nullptr},
    Access{"LDL", nullptr, nullptr},
    Access{"STL", nullptr, nullptr},
    Access{"LDSM", nullptr, nullptr},
    Access{"STSM", nullptr, nullptr},
    Access{"LDGSTS", nullptr, nullptr},
    Access{"ATOM", nullptr, nullptr},
    Access{"ATOMG", nullptr, nullptr},
    Access{"ATOMS", nullptr, nullptr},
    Access{"RED", nullptr, nullptr},  // of integers: none (is_integer_reduction)
    Access{"REDG", nullptr, nullptr},
    Access{"TEX", nullptr, nullptr},
    Access{"TLD", nullptr, nullptr},
    Access{"SULD", nullptr, nullptr},
    Access{"SUST", nullptr, nullptr},
    Access{"UBLKCP", nullptr, nullptr},
    Access{"UTMALDG", nullptr, nullptr},
    Access{"UTMASTG", nullptr, nullptr},
    Access{"HGMMA", nullptr, nullptr},  // their operands lie in shared memory
    Access{"IGMMA", nullptr, nullptr},
    Access{"QGMMA", nullptr, nullptr},
};

/// The bytes of one thread: "LDG.E.128.STRONG.GPU" 16, "LDG.E.U16" 2, "LDG.E" 4.
std::uint64_t bytes_of(const SassInstruction& one) {
  struct Width {
    std::string_view word;
    std::uint64_t bytes;
  };
  constexpr std::array widths{Width{"U8", 1}, Width{"S8", 1},   Width{"U16", 2}, Width{"S16", 2},
                              Width{"64", 8}, Width{"128", 16}, Width{"256", 32}};
  std::uint64_t found = 4;
  for_each_word(one, [&](std::string_view word) {
    for (const auto& [name, bytes] : widths)
      if (word == name) found = bytes;
  });
  return found;
}

/// The models leave them out too (ert/stream.cu).
bool is_integer_reduction(const SassInstruction& one) { return one.stem().starts_with("RED") && one.opcode.find(".F") == one.opcode.npos; }

}  // namespace

std::optional<SassArithmetic> arithmetic_of(const SassInstruction& one) {
  if (auto tensor = tensor_operations(one)) return tensor;
  const auto found = std::find_if(arithmetic.begin(), arithmetic.end(), [&](const Arithmetic& a) { return a.opcode == one.stem(); });
  if (found == arithmetic.end() || only_moves(one)) return std::nullopt;
  if (found->operations == 0) return SassArithmetic{};
  return SassArithmetic{kind_of(one, *found), operations_of(one, *found)};
}

std::optional<SassAccess> access_of(const SassInstruction& one) {
  const auto found = std::find_if(accesses.begin(), accesses.end(), [&](const Access& a) { return a.opcode == one.stem(); });
  if (found == accesses.end() || is_integer_reduction(one)) return std::nullopt;
  return SassAccess{found->instructions, found->bytes, bytes_of(one)};
}

bool matters(const SassInstruction& one) { return !one.of_the_clock && (arithmetic_of(one) || access_of(one)); }

bool goes_elsewhere(const SassInstruction& one) {
  constexpr std::array<std::string_view, 8> stems{"BRX", "JMP", "JMX", "CALL", "RET", "BRXU", "JMXU", "PEXIT"};
  if (one.is_branch()) return one.opcode.starts_with("BRA.DIV");
  if (one.stem() == "CALL" && one.of_integers) return false;
  return std::find(stems.begin(), stems.end(), one.stem()) != stems.end();
}

}  // namespace plumbline
