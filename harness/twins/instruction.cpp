#include "twins/instruction.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace plumbline::twins {
namespace {

using Words = std::set<std::string, std::less<>>;

constexpr std::uint32_t address_bytes = 8;
constexpr Access unknown{0, 0, 0, false};

std::uint32_t of_suffix(char suffix) { return suffix == 'b' ? 1 : suffix == 'w' ? 2 : suffix == 'l' ? 4 : suffix == 'q' ? 8 : 0; }

// ------------------------------------------------------------------------------------------------------ general-purpose registers

enum class Use { moves, modifies, exchanges, reads };

const std::map<std::string, Use, std::less<>>& general_instructions() {
  static const std::map<std::string, Use, std::less<>> all = [] {
    std::map<std::string, Use, std::less<>> uses;
    const auto add = [&](Use use, std::initializer_list<const char*> names) {
      for (const char* name : names) uses[name] = use;
    };
    add(Use::moves, {"mov", "movabs", "movbe"});
    add(Use::modifies,
        {"add", "sub", "adc", "sbb", "and", "or", "xor", "inc", "dec", "neg", "not", "shl", "sal", "shr", "sar", "rol", "ror"});
    add(Use::exchanges, {"xchg", "xadd", "cmpxchg"});
    add(Use::reads, {"cmp",  "test",   "imul",  "mul",   "div", "idiv", "shlx", "shrx", "sarx",   "rorx", "andn", "bextr",
                     "mulx", "popcnt", "lzcnt", "tzcnt", "bsf", "bsr",  "blsr", "blsi", "blsmsk", "pext", "pdep"});
    return uses;
  }();
  return all;
}

/// The operand size where the mnemonic does not say it: that of a register, which is no count of a shift.
std::uint32_t by_registers(const Instruction& i) {
  for (auto operand = i.operands.rbegin(); operand != i.operands.rend(); ++operand)
    if (const auto bytes = general_register_bytes(*operand); bytes > 0 && *operand != "%cl") return bytes;
  return 0;
}

Access moved(bool stores, std::uint32_t bytes) {
  if (bytes == 0) return unknown;
  return stores ? Access{.store = bytes} : Access{.load = bytes};
}

Access used(Use use, bool is_last, std::uint32_t bytes) {
  if (bytes == 0) return unknown;
  if (use == Use::exchanges || (use == Use::modifies && is_last)) return {.load = bytes, .store = bytes};
  return moved(use == Use::moves && is_last, bytes);
}

/// Whether a move widens, as movzbl, movslq: the letter before the last one is the operand's size.
bool widens(std::string_view mnemonic) {
  return mnemonic.size() == 6 && (mnemonic.starts_with("movz") || mnemonic.starts_with("movs")) && of_suffix(mnemonic[4]) > 0 &&
         of_suffix(mnemonic[5]) > of_suffix(mnemonic[4]);
}

bool general_access(const Instruction& i, bool is_last, Access& access) {
  const std::string_view name = i.mnemonic;
  if (widens(name)) return access = moved(false, of_suffix(name[4])), true;
  if (name.starts_with("set")) return access = {.store = 1}, true;
  if (name.starts_with("cmov")) return access = moved(false, by_registers(i)), true;
  if (name.starts_with("movnti")) return access = {.nt_store = by_registers(i)}, access.known = access.nt_store > 0, true;
  const auto& all = general_instructions();
  if (const auto found = all.find(name); found != all.end()) return access = used(found->second, is_last, by_registers(i)), true;
  const auto found = name.empty() ? all.end() : all.find(name.substr(0, name.size() - 1));
  if (found == all.end() || of_suffix(name.back()) == 0) return false;
  return access = used(found->second, is_last, of_suffix(name.back())), true;
}

// --------------------------------------------------------------------------------------------------------------- vector registers

const std::map<std::string, std::uint32_t, std::less<>>& fixed_bytes() {
  static const std::map<std::string, std::uint32_t, std::less<>> all{{"movss", 4},
                                                                     {"movsd", 8},
                                                                     {"movsh", 2},
                                                                     {"movw", 2},
                                                                     {"movd", 4},
                                                                     {"movq", 8},
                                                                     {"movhps", 8},
                                                                     {"movhpd", 8},
                                                                     {"movlps", 8},
                                                                     {"movlpd", 8},
                                                                     {"broadcastss", 4},
                                                                     {"broadcastsd", 8},
                                                                     {"pbroadcastb", 1},
                                                                     {"pbroadcastw", 2},
                                                                     {"pbroadcastd", 4},
                                                                     {"pbroadcastq", 8},
                                                                     {"broadcastf32x2", 8},
                                                                     {"broadcasti32x2", 8},
                                                                     {"broadcastf128", 16},
                                                                     {"broadcasti128", 16},
                                                                     {"broadcastf32x4", 16},
                                                                     {"broadcasti32x4", 16},
                                                                     {"broadcastf64x2", 16},
                                                                     {"broadcasti64x2", 16},
                                                                     {"broadcastf32x8", 32},
                                                                     {"broadcasti32x8", 32},
                                                                     {"broadcastf64x4", 32},
                                                                     {"broadcasti64x4", 32},
                                                                     {"insertf128", 16},
                                                                     {"inserti128", 16},
                                                                     {"insertf32x4", 16},
                                                                     {"inserti32x4", 16},
                                                                     {"insertf64x2", 16},
                                                                     {"inserti64x2", 16},
                                                                     {"insertf32x8", 32},
                                                                     {"inserti32x8", 32},
                                                                     {"insertf64x4", 32},
                                                                     {"inserti64x4", 32},
                                                                     {"extractf128", 16},
                                                                     {"extracti128", 16},
                                                                     {"extractf32x4", 16},
                                                                     {"extracti32x4", 16},
                                                                     {"extractf64x2", 16},
                                                                     {"extracti64x2", 16},
                                                                     {"extractf32x8", 32},
                                                                     {"extracti32x8", 32},
                                                                     {"extractf64x4", 32},
                                                                     {"extracti64x4", 32},
                                                                     {"insertps", 4},
                                                                     {"extractps", 4},
                                                                     {"pinsrb", 1},
                                                                     {"pinsrw", 2},
                                                                     {"pinsrd", 4},
                                                                     {"pinsrq", 8},
                                                                     {"pextrb", 1},
                                                                     {"pextrw", 2},
                                                                     {"pextrd", 4},
                                                                     {"pextrq", 8},
                                                                     {"perm2f128", 32},
                                                                     {"perm2i128", 32},
                                                                     {"cvtss2sd", 4},
                                                                     {"cvtsd2ss", 8},
                                                                     {"cvtss2si", 4},
                                                                     {"cvttss2si", 4},
                                                                     {"cvtsd2si", 8},
                                                                     {"cvttsd2si", 8},
                                                                     {"cvtsi2sdl", 4},
                                                                     {"cvtsi2sdq", 8},
                                                                     {"cvtsi2ssl", 4},
                                                                     {"cvtsi2ssq", 8},
                                                                     {"cvtusi2sdl", 4},
                                                                     {"cvtusi2sdq", 8},
                                                                     {"cvtusi2ssl", 4},
                                                                     {"cvtusi2ssq", 8},
                                                                     {"cvtpd2psx", 16},
                                                                     {"cvtpd2psy", 32},
                                                                     {"kmovb", 1},
                                                                     {"kmovw", 2},
                                                                     {"kmovd", 4},
                                                                     {"kmovq", 8},
                                                                     {"ldmxcsr", 4},
                                                                     {"stmxcsr", 4}};
  return all;
}

/// Part of the widest register that is moved: half of it where elements are widened to twice their size.
std::uint32_t parts_of(std::string_view name) {
  static const std::map<std::string, std::uint32_t, std::less<>> all{
      {"pmovzxbw", 2}, {"pmovzxbd", 4}, {"pmovzxbq", 8}, {"pmovzxwd", 2},  {"pmovzxwq", 4}, {"pmovzxdq", 2},
      {"pmovsxbw", 2}, {"pmovsxbd", 4}, {"pmovsxbq", 8}, {"pmovsxwd", 2},  {"pmovsxwq", 4}, {"pmovsxdq", 2},
      {"cvtps2pd", 2}, {"cvtdq2pd", 2}, {"cvtph2ps", 2}, {"cvtph2psx", 2}, {"cvtps2ph", 2}};
  const auto found = all.find(name);
  return found == all.end() ? 0 : found->second;
}

bool starts_with_one_of(std::string_view name, std::initializer_list<const char*> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(), [&](const char* prefix) { return name.starts_with(prefix); });
}

/// Whether the instruction's memory operands are as wide as its registers.
bool is_whole(std::string_view name) {
  static const Words moves{"movups",   "movupd",   "movaps",   "movapd",   "movdqu",   "movdqa", "movdqu8",
                           "movdqu16", "movdqu32", "movdqu64", "movdqa32", "movdqa64", "lddqu",  "movntdqa",
                           "movshdup", "movsldup", "cvtdq2ps", "cvtps2dq", "cvttps2dq"};
  if (moves.contains(name)) return true;
  if (name.starts_with('p'))
    return starts_with_one_of(name, {"padd",     "psub",  "pmul",  "pmadd",  "pand",  "por",    "pxor",    "pcmp", "pmin", "pmax",
                                     "pabs",     "pavg",  "psad",  "punpck", "pshuf", "pblend", "palignr", "perm", "pack", "ptest",
                                     "pternlog", "psign", "phadd", "phsub",  "pdp",   "psll",   "psrl",    "psra"});
  return starts_with_one_of(name,
                            {"add",  "sub",      "mul",    "div",   "min",  "max",    "sqrt",    "and",      "or",    "xor",   "unpck",
                             "shuf", "hadd",     "hsub",   "blend", "cmp",  "rcp",    "rsqrt",   "round",    "dp",    "fm",    "fnm",
                             "test", "rndscale", "scalef", "ucomi", "comi", "getexp", "getmant", "fixupimm", "range", "reduce"});
}

std::uint32_t widest_register(const Instruction& i) {
  std::uint32_t most = 0;
  for (const auto& operand : i.operands) most = std::max(most, static_cast<std::uint32_t>(vector_register_bytes(operand)));
  return most;
}

/// The bytes of a scalar by the instruction's suffix, where it is none of packed integers ("vpminsd").
std::uint32_t scalar_bytes(std::string_view name) {
  if (name.starts_with('p')) return 0;
  return name.ends_with("sd") ? 8 : name.ends_with("ss") ? 4 : name.ends_with("sh") ? 2 : 0;
}

/// A count in a vector register or in memory has 16 bytes, however wide what is shifted.
bool is_shift_by_memory(std::string_view name, std::size_t at) {
  return at == 0 && starts_with_one_of(name, {"psll", "psrl", "psra"}) && name.size() > 4 && name[4] != 'v';
}

std::uint32_t vector_bytes(const Instruction& i, std::size_t at, std::string_view name) {
  if (const auto fixed = fixed_bytes().find(name); fixed != fixed_bytes().end()) return fixed->second;
  const std::uint32_t width = widest_register(i);
  if (name == "movddup") return width == 16 ? 8 : width;
  if (name == "cvtpd2ps") return i.mnemonic.starts_with('v') ? 64 : 16;
  if (const std::uint32_t parts = parts_of(name); parts > 0) return width / parts;
  if (!is_whole(name)) return 0;
  if (is_shift_by_memory(name, at)) return std::min(width, 16U);
  if (const std::uint32_t scalar = scalar_bytes(name); scalar > 0) return scalar;
  const unsigned lanes = broadcast_to(i.operands[at]);
  return lanes > 0 ? width / lanes : width;
}

/// The access of a gather: one element a lane, for as many lanes as both the index and the data have. (access_of() lets only a full mask
/// through; AVX2's mask is a vector, which nobody follows here.)
Access gathered(const Instruction& i, std::size_t at, std::string_view name) {
  const bool wide_elements = name.ends_with("pd") || name.ends_with('q');
  const bool has_mask = std::any_of(i.operands.begin(), i.operands.end(), [](const auto& operand) { return !mask_of(operand).empty(); });
  const auto index_at = i.operands[at].find(",%");
  const std::size_t data_at = at == 0 ? i.operands.size() - 1 : 0;
  if (!has_mask || index_at == std::string::npos || name.find("er") == std::string_view::npos) return unknown;
  const bool wide_index = name[name.find("er") + 2] == 'q';
  const std::uint32_t element = wide_elements ? 8 : 4;
  const std::uint32_t lanes =
      std::min(vector_register_bytes(i.operands[data_at]) / element,
               vector_register_bytes(std::string_view(i.operands[at]).substr(index_at + 1)) / (wide_index ? 8U : 4U));
  return moved(name.find("scatter") != std::string_view::npos, lanes * element);
}

Access vector_access(const Instruction& i, std::size_t at, bool is_last) {
  std::string_view name = i.mnemonic;
  if (name.starts_with('v')) name.remove_prefix(1);
  if (name == "movntps" || name == "movntpd" || name == "movntdq") return {.nt_store = widest_register(i), .known = widest_register(i) > 0};
  if (uses_up_its_mask(i)) return gathered(i, at, name);
  return moved(is_last && name != "ldmxcsr", vector_bytes(i, at, name));
}

/// Lanes that one element in memory goes to; 0 where the instruction takes more of it than one.
unsigned lanes_of_one_element(const Instruction& i) {
  static const Words names{"vbroadcastss", "vbroadcastsd", "vpbroadcastb", "vpbroadcastw", "vpbroadcastd", "vpbroadcastq"};
  return names.contains(i.mnemonic) ? widest_register(i) / fixed_bytes().find(i.mnemonic.substr(1))->second : 0;
}

/// Whether an instruction moves what it would move without a mask. An element that goes to several lanes is loaded for one of them.
bool moves_all_under(const std::string& mask, const Instruction& i, const KnownMasks& masks) {
  if (uses_up_its_mask(i)) return masks.is_full(mask);
  const unsigned lanes = lanes_of_one_element(i);
  return lanes > 0 && masks.takes_one_of(mask, lanes);
}

// -------------------------------------------------------------------------------------------------------------------------- all

/// Instructions whose memory is in no operand.
bool hides_memory(const Instruction& i) {
  static const Words names{"maskmovdqu", "vmaskmovdqu", "maskmovq", "pushw", "popw",    "pushf", "pushfq", "popf",
                           "popfq",      "enter",       "enterq",   "xlatb", "syscall", "int",   "clzero"};
  return names.contains(i.mnemonic) || i.mnemonic.starts_with("rep") ||
         (i.operands.empty() && starts_with_one_of(i.mnemonic, {"movs", "stos", "lods", "scas", "cmps"}));
}

bool is_jump(const Instruction& i) { return i.mnemonic.starts_with('j') || i.mnemonic.starts_with("loop"); }
bool is_return(const Instruction& i) { return i.mnemonic == "ret" || i.mnemonic == "retq"; }

bool reads_target(const Instruction& i) { return !i.operands.empty() && i.operands[0].starts_with('*') && i.operands[0][1] != '%'; }

/// The instruction's own use of the stack; nothing where it has none.
bool stack_access(const Instruction& i, Access& access) {
  const bool in_memory = !i.operands.empty() && is_memory(i.operands[0]);
  const auto also = [&](bool memory) { return memory ? address_bytes : 0U; };
  if (is_call(i)) return access = {.load = also(reads_target(i)), .store = address_bytes}, true;
  if (is_jump(i)) return access = {.load = also(reads_target(i))}, true;
  if (is_return(i) || i.mnemonic == "leave" || i.mnemonic == "leaveq") return access = {.load = address_bytes}, true;
  if (i.mnemonic == "push" || i.mnemonic == "pushq") return access = {.load = also(in_memory), .store = address_bytes}, true;
  if (i.mnemonic == "pop" || i.mnemonic == "popq") return access = {.load = address_bytes, .store = also(in_memory)}, true;
  return false;
}

bool names_no_data(std::string_view mnemonic) {
  return mnemonic.starts_with("lea") || mnemonic.starts_with("nop") || mnemonic.starts_with("prefetch");
}

}  // namespace

Instruction parsed(std::string_view statement) {
  for (;;) {
    statement = trimmed(statement);
    const auto end = statement.find_first_of(" \t");
    const std::string_view word = statement.substr(0, end);
    const std::string_view rest = end == std::string_view::npos ? std::string_view() : statement.substr(end);
    const bool is_prefix = word == "lock" || word == "notrack" || word == "data16" || word == "cs" || word == "{vex}" || word == "{evex}" ||
                           (word.starts_with("rep") && trimmed(rest).starts_with("ret"));
    if (!is_prefix) return {std::string(word), operands_of(rest)};
    statement = rest;
  }
}

bool is_call(const Instruction& i) { return i.mnemonic == "call" || i.mnemonic == "callq"; }
bool ends_block(const Instruction& i) { return is_jump(i) || is_return(i); }

std::string target_of(const Instruction& i) {
  if ((!is_call(i) && !is_jump(i)) || i.operands.empty() || i.operands[0].starts_with('*')) return "";
  return i.operands[0];
}

Access access_of(const Instruction& i, const KnownMasks& masks) {
  Access access;
  if (stack_access(i, access) || names_no_data(i.mnemonic)) return access;
  if (hides_memory(i)) return unknown;
  const auto found = std::find_if(i.operands.begin(), i.operands.end(), is_memory);
  if (found == i.operands.end()) return {};
  for (const auto& operand : i.operands)
    if (const std::string mask = mask_of(operand); !mask.empty() && !moves_all_under(mask, i, masks)) return unknown;
  const auto at = static_cast<std::size_t>(found - i.operands.begin());
  const bool is_last = at + 1 == i.operands.size();
  return general_access(i, is_last, access) ? access : vector_access(i, at, is_last);
}

}  // namespace plumbline::twins
