// A verdict is put into words: each clause of a decision from its finding alone, and how they are put together.
#pragma once
#include <string>

#include "core/counter.hpp"
#include "model/scoring/decision.hpp"
#include "model/scoring/score.hpp"

namespace plumbline {

/// A score whose numbers and findings are filled in, and what was decided by them.
struct Decided {
  const Counter& counter;
  const CounterScore& score;
  const Summary& summary;
  const std::optional<Offset>& offset;
  const Decision& decision;
};

std::string words_of(const Told& clause, const Decided& decided);

/// Puts all clauses together as a sentence.
std::string reason_of(const Decided& decided);

}  // namespace plumbline
