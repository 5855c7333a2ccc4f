// A grade may or may not stand when some of its evidence is taken away.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "model/cases/factors.hpp"
#include "model/scoring/evidence.hpp"

namespace plumbline {

/// A compiler or kernel without which the grade by the cases alone would be another.
struct HangsOn {
  Factor factor = Factor::compiler;
  std::string value = {};
  char grade_without = '-';
};
std::vector<HangsOn> leave_one_out(std::span<const Evidence> evidence, const FactorTable& factors, const Limits& limits);

/// A confirmation of a grade. Among many candidates one looks right by chance, so each is graded on one half of the works, and its grade
/// and its factor must hold on the other.
struct Confirmation {
  bool tried = false;
  char selected = '-', confirmed = '-';
  std::size_t cases = 0;  // that could tell, in the held-out half

  bool contradicts() const { return tried && (selected == 'A' || selected == 'B') && confirmed != '-' && confirmed > selected; }
};
inline constexpr std::size_t many_candidates = 50;
Confirmation confirm(std::span<const Evidence> evidence, const FactorTable& factors, const Limits& limits);

}  // namespace plumbline
