// What is known of AVX-512's mask registers over a straight run of instructions: which bits are set for sure.
#pragma once
#include <cstdint>
#include <map>
#include <string>

#include "twins/operands.hpp"

namespace plumbline::twins {

class KnownMasks {
 public:
  /// Whether all lanes of any gather are taken. `mask`: as "k1".
  bool is_full(const std::string& mask) const;
  /// Whether one of the first `lanes` lanes is taken at least.
  bool takes_one_of(const std::string& mask, unsigned lanes) const;

  void follow(const Instruction& instruction);
  void clear() { *this = KnownMasks(); }

 private:
  std::uint64_t bits_of(const std::string& mask) const;

  /// A general register holds a constant that the last instruction moved there. It is forgotten behind the next one, which may write it.
  struct Constant {
    std::string in_register;
    std::uint64_t bits = 0;
  };

  std::map<std::string, std::uint64_t> set_bits_;
  Constant constant_;
};

/// A gather or a scatter: its mask is empty when it is done.
bool uses_up_its_mask(const Instruction& instruction);

}  // namespace plumbline::twins
