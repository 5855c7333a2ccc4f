#include "app/nights/retention.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "app/terminal/table.hpp"

namespace plumbline::app {
namespace {

constexpr std::int64_t a_day_ns = 86'400LL * 1'000'000'000LL;

/// The month of a night, "2026-11", in UTC.
std::string month_of(const Night& night) {
  return fmt::format("{:%Y-%m}", fmt::gmtime(static_cast<std::time_t>(night.started_unix_ns / 1'000'000'000)));
}

/// A campaign's nights on a cluster, in order: what `check` holds against each other.
class Row {
 public:
  void add(const Night& night) { nights_.push_back(&night); }

  /// The reason, by night, why it stays for another reason than its age.
  std::map<const Night*, std::string> reasons(const std::vector<AcceptedLevel>& levels, const std::vector<AcceptedLevel>& below,
                                              bool keep_monthly) const {
    std::map<const Night*, std::string> reasons;
    for (const auto* accepted_ones : {&levels, &below})
      for (const Night* night : nights_)
        if (const AcceptedLevel* level = accepted(*night, *accepted_ones))
          reasons.emplace(night, fmt::format("its level was accepted by {}: {}", printable(level->who), printable(level->reason)));
    for (const Night* night : nights_) {
      if (night->rows.empty()) reasons.emplace(night, "nothing in it can be held against another night");
      if (night->campaign.empty()) reasons.emplace(night, "its campaign has no name");
    }
    if (keep_monthly) add_monthly(reasons);
    add_last_of_each_thing(levels, reasons);
    add_fullest(reasons);
    return reasons;
  }

  /// The latest that did not begin in the future; 0 where all did.
  std::int64_t last_start(std::int64_t now) const {
    std::int64_t last = 0;
    for (const Night* night : nights_)
      if (night->started_unix_ns <= now + a_day_ns) last = std::max(last, night->started_unix_ns);
    return last;
  }

 private:
  static const AcceptedLevel* accepted(const Night& night, const std::vector<AcceptedLevel>& levels) {
    const auto of_night = [&](const AcceptedLevel& level) {
      const bool same_cluster = !level.cluster || *level.cluster == night.cluster;
      const bool same_file = std::filesystem::path(night.file).filename() == level.from_file;
      return same_cluster && (level.from_unix_ns == night.started_unix_ns || same_file);
    };
    const auto found = std::find_if(levels.begin(), levels.end(), of_night);
    return found == levels.end() ? nullptr : &*found;
  }

  void add_monthly(std::map<const Night*, std::string>& reasons) const {
    std::set<std::string> seen;
    for (const Night* night : nights_)
      if (const std::string month = month_of(*night); seen.insert(month).second) reasons.emplace(night, "the first of " + month);
  }

  /// Adds the last night of each thing, but for things that somebody accepted to be gone.
  void add_last_of_each_thing(const std::vector<AcceptedLevel>& levels, std::map<const Night*, std::string>& reasons) const {
    std::map<SeriesKey, const Night*> last;
    for (const Night* night : nights_)
      for (const auto& row : night->rows)
        if (row.status == Status::ok) last[row.key] = night;
    for (const auto& [key, night] : last) {
      const AcceptedLevel* level = level_of(levels, key);
      if (level != nullptr && level->from_unix_ns > night->started_unix_ns) continue;
      reasons.emplace(night, fmt::format("the last that measured {} on {}", printable(key.what), printable(key.node)));
    }
  }

  void add_fullest(std::map<const Night*, std::string>& reasons) const {
    std::map<std::string, std::pair<std::size_t, const Night*>> fullest;  // [what]
    for (const Night* night : nights_) {
      if (!night->distributed) continue;
      std::map<std::string, std::size_t> nodes;
      for (const auto& row : night->rows) nodes[row.key.what] += row.status == Status::ok ? 1 : 0;
      for (const auto& [what, count] : nodes)
        if (auto& known = fullest[what]; count >= known.first) known = {count, night};
    }
    for (const auto& [what, found] : fullest)
      reasons.emplace(found.second, fmt::format("{} nodes measured {}, as many as ever", found.first, printable(what)));
  }

  std::vector<const Night*> nights_;
};

}  // namespace

std::vector<NightFate> fates_of(std::span<const Night> nights, const std::vector<AcceptedLevel>& levels, const RetentionWish& wish,
                                std::int64_t now_unix_ns, const std::vector<AcceptedLevel>& below) {
  std::map<std::pair<std::string, std::string>, Row> rows;  // [cluster, campaign]
  for (const auto& night : nights) rows[{night.cluster, night.campaign}].add(night);
  std::map<const Night*, std::string> reasons;
  std::map<std::pair<std::string, std::string>, double> young_from_ns;
  for (const auto& [about, row] : rows) {
    reasons.merge(row.reasons(levels_of_cluster(levels, about.first), below, wish.keep_monthly));
    young_from_ns[about] = static_cast<double>(row.last_start(now_unix_ns)) - wish.keep_days * static_cast<double>(a_day_ns);
  }
  std::vector<NightFate> fates;
  for (const auto& night : nights) {
    NightFate fate{.night = &night};
    if (static_cast<double>(night.started_unix_ns) >= young_from_ns[{night.cluster, night.campaign}])
      fate = {&night, fmt::format("begun within {:g} days", wish.keep_days), true};
    else if (const auto found = reasons.find(&night); found != reasons.end())
      fate.kept_for = found->second;
    fates.push_back(std::move(fate));
  }
  return fates;
}

}  // namespace plumbline::app
