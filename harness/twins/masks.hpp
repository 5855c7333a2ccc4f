// Some bits of AVX-512's mask registers are set for sure over a straight run of instructions; they are kept track of here.
#pragma once
#include <cstdint>
#include <map>
#include <string>

#include "twins/operands.hpp"

namespace plumbline::twins {

class KnownMasks {
 public:
  /// Whether all lanes of any gather are taken. `mask` is a name as "k1".
  bool is_full(const std::string& mask) const;
  /// Whether one of the first `lanes` lanes is taken at least.
  bool takes_one_of(const std::string& mask, unsigned lanes) const;

  void follow(const Instruction& instruction);
  void clear() { *this = KnownMasks(); }

 private:
  std::uint64_t bits_of(const std::string& mask) const;

  /// A constant that the last instruction moved into a general register. It is forgotten behind the next one, which may write it.
  struct Constant {
    std::string in_register;
    std::uint64_t bits = 0;
  };

  std::map<std::string, std::uint64_t> set_bits_;
  Constant constant_;
};

/// Whether the instruction is a gather or a scatter, whose mask is empty when it is done.
bool uses_up_its_mask(const Instruction& instruction);

}  // namespace plumbline::twins
