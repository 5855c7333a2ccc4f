#include "model/comparing/night_parts.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

#include "core/flavor.hpp"
#include "model/comparing/night_movement.hpp"

namespace plumbline {
namespace {

/// The nights in which both are known.
NightPart part_of(const std::string& node, const std::string& word, const RowsOfNode& those, const RowsOfNode& others) {
  const NodeMovement own = movement_of(node, those), rest = movement_of(node, others);
  NightPart part{
      .word = word, .rest_after = rest.after, .series = {.key = {"part " + word, node}, .row_class = part_class, .unit = "seconds"}};
  for (const auto& one : those) part.rows.insert(one.row->key);
  for (const auto& [night, middle] : own.before)
    if (const auto known = rest.before.find(night); known != rest.before.end()) {
      part.series.before.push_back(middle - known->second);
      part.series.nights.push_back(night);
    }
  part.series.after = own.after - rest.after;
  for (const auto& one : those) {
    const double went = one.after - rest.after;
    part.agreeing +=
        (part.series.after > 0 ? went > part.series.after / 2 : went < part.series.after / 2) ? 1 / static_cast<double>(own.rows) : 0;
  }
  part.series.after_half_width = std::hypot(own.after_half_width, rest.after_half_width);
  part.series.after_disturbed = own.after_disturbed || rest.after_disturbed;
  part.series.after_excuse = std::max(own.after_excuse, rest.after_excuse);
  return part;
}

}  // namespace

std::vector<std::string> words_of(const CheckedSeries& row) {
  std::vector<std::string> words;
  std::istringstream text(row.key.what);
  for (std::string word; std::getline(text, word, '/');) words.push_back(word);
  if (!words.empty() && !row.key.is_ceiling()) {
    const FlavorName flavor = split_flavor(words.back());
    for (const auto& part : {flavor.compiler, flavor.level, flavor.isa})
      if (!part.empty()) words.push_back(part);
  }
  words.push_back(row.row_class);
  return words;
}

std::vector<NightPart> night_parts(const std::vector<CheckedSeries>& rows, const std::set<SeriesKey>& apart) {
  std::vector<NightPart> parts;
  for (auto& [node, of_node] : rows_by_node(rows, Disturbed::left_out)) {
    std::erase_if(of_node, [&](const auto& one) { return apart.contains(one.row->key); });
    std::map<std::string, std::vector<bool>> by_word;
    for (std::size_t i = 0; i < of_node.size(); ++i)
      for (const auto& word : words_of(*of_node[i].row)) by_word.try_emplace(word, of_node.size()).first->second[i] = true;
    std::set<std::vector<bool>> known;
    for (const auto& [word, has] : by_word) {
      if (!known.insert(has).second) continue;
      RowsOfNode those, others;
      for (std::size_t i = 0; i < of_node.size(); ++i) (has[i] ? those : others).push_back(of_node[i]);
      if (those.size() < least_for_movement || others.size() < least_for_movement) continue;
      NightPart part = part_of(node, word, those, others);
      if (std::isfinite(part.series.after) && !part.series.before.empty()) parts.push_back(std::move(part));
    }
  }
  return parts;
}

}  // namespace plumbline
