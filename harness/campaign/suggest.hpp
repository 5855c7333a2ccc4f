// A suggestion for a wrong word ("did you mean") is the nearest of the allowed words.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline {

/// The number of insertions, deletions, substitutions and swaps of neighbours between two words.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The allowed word nearest to `word`, if near enough to be a slip (a third of its letters, at least 2 edits).
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> allowed);

/// Quotes a word as messages do with what a user wrote: 'word', cut where it is longer than a line takes (80 bytes, and "..."), at a whole
/// UTF-8 character.
std::string in_quotes(std::string_view word);

/// The end of a message about a word that is not allowed: "; did you mean 'kernel'? allowed: kernel, precision" (without the question when
/// nothing is near).
std::string suggestion(std::string_view word, const std::vector<std::string>& allowed);

}  // namespace plumbline
