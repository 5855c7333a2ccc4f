#include "twins/masks.hpp"

#include <charconv>
#include <utility>

namespace plumbline::twins {
namespace {

std::uint64_t low_bits(unsigned count) { return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1; }

/// The width of a mask that an instruction's last letter tells: 16 for "kxnorw"; 0 where the letter is none of a mask's.
unsigned bits_of_suffix(std::string_view mnemonic) {
  const char suffix = mnemonic.empty() ? ' ' : mnemonic.back();
  return suffix == 'b' ? 8 : suffix == 'w' ? 16 : suffix == 'd' ? 32 : suffix == 'q' ? 64 : 0;
}

bool is_move_of_constant(const Instruction& i) {
  const bool moves = i.mnemonic == "movb" || i.mnemonic == "movw" || i.mnemonic == "movl" || i.mnemonic == "movq" ||
                     i.mnemonic == "movabsq" || i.mnemonic == "mov";
  return moves && i.operands.size() == 2 && i.operands[0].starts_with('$') && general_register_bytes(i.operands[1]) > 0;
}

/// The bits that are set in a constant; none of one that is a symbol.
std::uint64_t bits_of_constant(std::string_view operand) {
  std::int64_t value = 0;
  const char* const end = operand.data() + operand.size();
  return std::from_chars(operand.data() + 1, end, value).ptr == end ? static_cast<std::uint64_t>(value) : 0;
}

}  // namespace

bool uses_up_its_mask(const Instruction& i) {
  return i.mnemonic.find("gather") != std::string::npos || i.mnemonic.find("scatter") != std::string::npos;
}

std::uint64_t KnownMasks::bits_of(const std::string& mask) const {
  const auto found = set_bits_.find(mask);
  return found == set_bits_.end() ? 0 : found->second;
}

bool KnownMasks::is_full(const std::string& mask) const {
  constexpr unsigned most_lanes = 16;
  return (bits_of(mask) & low_bits(most_lanes)) == low_bits(most_lanes);
}

bool KnownMasks::takes_one_of(const std::string& mask, unsigned lanes) const { return (bits_of(mask) & low_bits(lanes)) != 0; }

void KnownMasks::follow(const Instruction& i) {
  const Constant before = std::exchange(constant_, {});
  if (is_move_of_constant(i)) {
    const std::string& target = i.operands[1];
    constant_ = {whole_register(target), bits_of_constant(i.operands[0]) & low_bits(8 * general_register_bytes(target))};
  }
  if (uses_up_its_mask(i))
    for (const auto& operand : i.operands) set_bits_.erase(mask_of(operand));
  if (i.operands.empty() || !i.operands.back().starts_with("%k")) return;
  std::uint64_t& bits = set_bits_[i.operands.back().substr(1, 2)];
  bits = 0;
  const std::string& source = i.operands.front();
  if (i.mnemonic.starts_with("kxnor") && source == i.operands[1]) bits = low_bits(bits_of_suffix(i.mnemonic));
  if (i.mnemonic.starts_with("kmov") && !before.in_register.empty() && whole_register(source) == before.in_register)
    bits = before.bits & low_bits(bits_of_suffix(i.mnemonic));
}

}  // namespace plumbline::twins
