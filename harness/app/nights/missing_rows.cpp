#include "app/nights/missing_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <sstream>

#include "app/nights/observed_file.hpp"
#include "app/terminal/table.hpp"
#include "core/kernel.hpp"
#include "core/records.hpp"

namespace plumbline::app {
namespace {

using Nodes = std::set<std::string>;

/// The nodes that measured one thing in each of the nights before.
using NodesOfNights = std::map<const Night*, Nodes>;

/// A folder may hold several campaigns: of another name, or with nothing in common (results that were imported have no name).
std::set<const Night*> nights_like(const Night& checked, const std::map<SeriesKey, Series>& series) {
  Nodes here;
  for (const auto& row : checked.rows) here.insert(row.key.what);
  std::set<const Night*> like;
  for (const auto& [key, one] : series)
    if (here.contains(key.what))
      for (const auto& point : one.points)
        if (point.night->campaign == checked.campaign || point.night->campaign.empty() || checked.campaign.empty())
          like.insert(point.night);
  return like;
}

/// The nights before that measured something, by what it was.
std::map<std::string, NodesOfNights> measured_before(const Night& checked, const std::map<SeriesKey, Series>& series) {
  const auto like = nights_like(checked, series);
  std::map<std::string, NodesOfNights> all;
  for (const auto& [key, one] : series)
    for (const auto& point : one.of_accepted_level())
      if (like.contains(point.night)) all[key.what][point.night].insert(key.node);
  return all;
}

bool is_earlier(const Night* a, const Night* b) { return a->started_unix_ns < b->started_unix_ns; }

/// Tonight's rows of one thing.
struct Tonight {
  Nodes good = {};
  std::map<std::string, std::string> failed = {};  // node -> why
  std::string why_missing(const std::string& node) const {
    const auto why = failed.find(node);
    return why == failed.end() ? "not in this night's file" : why->second;
  }
};

std::map<std::string, Tonight> tonights(const Night& checked) {
  std::map<std::string, Tonight> all;
  for (const auto& row : checked.rows) {
    Tonight& tonight = all[row.key.what];
    if (row.status == Status::ok)
      tonight.good.insert(row.key.node);
    else
      tonight.failed[row.key.node] = fmt::format("{}: {}", to_string(row.status), printable(row.reason));
  }
  return all;
}

/// Whether a row is a link between nodes: which nodes meet is chosen anew where nodes come or go.
bool is_between_nodes(const std::string& what, const std::string& node) {
  return what.find(" between nodes/") != std::string::npos || node.find(" with ") != std::string::npos;
}

/// Finds rows that are missing node by node: each node's own.
void find_by_node(std::vector<MissingRow>& found, const std::string& what, const NodesOfNights& before, const Tonight& tonight) {
  std::map<std::string, const Night*> last;
  for (const auto& [night, nodes] : before)
    for (const auto& node : nodes)
      if (const Night*& known = last[node]; known == nullptr || is_earlier(known, night)) known = night;
  for (const auto& [node, night] : last) {
    if (tonight.good.contains(node)) continue;
    if (is_between_nodes(what, node) && !tonight.good.empty() && !tonight.failed.contains(node)) continue;
    found.push_back({{what, node}, tonight.why_missing(node), night->started_unix_ns});
  }
}

/// Finds rows that fewer nodes have than in the last of the nights in which the most measured them.
void find_by_number(std::vector<MissingRow>& found, const std::string& what, const NodesOfNights& before, const Tonight& tonight) {
  const auto fullest = std::max_element(before.begin(), before.end(), [](const auto& a, const auto& b) {
    return a.second.size() < b.second.size() || (a.second.size() == b.second.size() && is_earlier(a.first, b.first));
  });
  if (tonight.good.size() >= fullest->second.size()) return;
  for (const auto& node : fullest->second) {
    if (tonight.good.contains(node)) continue;
    std::string why = tonight.why_missing(node);
    if (!tonight.failed.empty() && !tonight.failed.contains(node))
      why = fmt::format("on {} {}", tonight.failed.begin()->first, tonight.failed.begin()->second);
    found.push_back({{what, node}, why, fullest->first->started_unix_ns});
  }
}

/// Finds what was never measured; what was spread over nodes is theirs together.
void find_never_measured(std::vector<MissingRow>& found, const Night& checked, const std::map<SeriesKey, Series>& series,
                         const std::map<std::string, NodesOfNights>& before) {
  for (const auto& row : checked.rows) {
    const bool known = series.contains(row.key) || (checked.distributed && before.contains(row.key.what));
    if (row.status == Status::failed && !known) found.push_back({row.key, fmt::format("failed: {}", printable(row.reason)), 0});
  }
}

/// The space that a part of a case's id names by its team, "r2t1" or "g1"; nullopt for another part.
std::optional<Space> space_of(const std::string& part) {
  const auto is_team = [&](char sign) { return part.size() > 1 && part[0] == sign && part[1] >= '0' && part[1] <= '9'; };
  return is_team('r') ? std::optional(Space::cpu) : is_team('g') ? std::optional(Space::cuda) : std::nullopt;
}

}  // namespace

bool is_retired(const std::string& what) {
  std::vector<std::string> parts, named;
  std::istringstream text(case_of(what));
  for (std::string part; std::getline(text, part, '/');) parts.push_back(part);
  std::optional<Space> space;
  for (const auto& part : parts) {
    if (!space) space = space_of(part);
    if (const auto equals = part.find('='); equals != part.npos) named.push_back(part.substr(0, equals));
  }
  const Kernel* const kernel = space && parts.size() > 2 ? find_kernel(parts[0] + "/" + parts[1], *space) : nullptr;
  return kernel != nullptr && !std::ranges::equal(named, kernel->parameters, {}, {}, &ParameterSpec::name);
}

MissingRows find_missing(const Night& checked, const std::map<SeriesKey, Series>& series) {
  MissingRows found;
  const auto tonight = tonights(checked);
  const auto measured = measured_before(checked, series);
  for (const auto& [what, before] : measured) {
    const auto tried = tonight.find(what);
    if (tried == tonight.end() && is_retired(what)) {
      found.retired.insert(what);
      continue;
    }
    const auto last =
        std::max_element(before.begin(), before.end(), [](const auto& a, const auto& b) { return is_earlier(a.first, b.first); });
    const bool spread = checked.distributed || last->first->distributed;
    (spread ? find_by_number : find_by_node)(found.rows, what, before, tried == tonight.end() ? Tonight{} : tried->second);
  }
  find_never_measured(found.rows, checked, series, measured);
  return found;
}

std::string retired_note(const std::set<std::string>& retired) {
  return fmt::format("{} of the nights before {} retired, not missing: the kernel takes other parameters in this plumbline ({}{})",
                     retired.size() == 1 ? "a case" : fmt::format("{} cases", retired.size()), retired.size() == 1 ? "is" : "are",
                     retired.size() == 1 ? "" : "the first: ", *retired.begin());
}

std::string last_measured(const MissingRow& row) {
  return row.last_unix_ns == 0 ? "never measured" : "last measured " + utc_text(row.last_unix_ns);
}

std::map<SeriesKey, MissingRow> left_off(std::span<const Night> nights, const std::map<SeriesKey, Series>& series) {
  std::map<std::string, const Night*> last;  // of a campaign
  for (const auto& night : nights)
    if (!night.rows.empty()) last[night.campaign] = &night;
  std::map<SeriesKey, MissingRow> off;
  for (const auto& [campaign, night] : last)
    for (const auto& row : find_missing(*night, series).rows)
      if (row.last_unix_ns != 0 && is_earlier(series.at(row.key).points.back().night, night)) off.insert_or_assign(row.key, row);
  return off;
}

}  // namespace plumbline::app
