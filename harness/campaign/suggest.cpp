#include "campaign/suggest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace plumbline {

// Optimal string alignment (Damerau 1964), three rows.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

std::optional<std::string> nearest(std::string_view word, std::span<const std::string> allowed) {
  std::optional<std::string> best;
  std::size_t least = std::max<std::size_t>(2, word.size() / 3) + 1;
  const auto is_far = [&](const std::string& candidate) {  // by their lengths alone, however long the word is
    const std::size_t edits = std::max(word.size(), candidate.size()) - std::min(word.size(), candidate.size());
    return edits >= least || edits >= candidate.size();
  };
  for (const auto& candidate : allowed) {
    if (is_far(candidate)) continue;
    if (const auto distance = edit_distance(word, candidate); distance < least && distance < candidate.size()) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

std::string in_quotes(std::string_view word) {
  constexpr std::size_t longest = 80;
  if (word.size() <= longest) return fmt::format("'{}'", word);
  const auto continues = [&](std::size_t at) { return (static_cast<unsigned char>(word[at]) & 0xC0U) == 0x80U; };
  std::size_t kept = longest;
  while (kept > longest - 3 && continues(kept)) --kept;
  return fmt::format("'{}...'", word.substr(0, kept));
}

std::string suggestion(std::string_view word, const std::vector<std::string>& allowed) {
  const auto near = nearest(word, allowed);
  return (near ? fmt::format("; did you mean '{}'? allowed: ", *near) : std::string("; allowed: ")) +
         fmt::format("{}", fmt::join(allowed, ", "));
}

}  // namespace plumbline
