// Kinds of what may befall a node in a night, and what `check` is wanted to say of it.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "../scoring/random.hpp"
#include "faulty_night.hpp"

namespace plumbline::test {

enum class Wish {
  nothing,    // no finding: nothing became slower
  disturbed,  // no finding either, and what was disturbed is called so
  slower,     // a finding that names what is slower
  clock,      // such a finding, of which it is said that the clock explains it
  missing,    // exit 1, and what is missing is named
};

struct NightKind {
  std::string name = {};
  Wish wish = Wish::nothing;
  bool is_drift = false;  // over a week, to as much
  std::string word = {};  // that the slower rows share, if they do
  std::function<void(std::vector<Befallen>& rows, Random& random)> befall = {};
};

/// Places crossed with sizes, sudden and as a drift; what became faster; disturbances with slowdowns and without; what is missing.
const std::vector<NightKind>& night_kinds();

}  // namespace plumbline::test
