#include "night_trial.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "app/nights/checked_file.hpp"
#include "app/nights/observed_file.hpp"
#include "core/fnv.hpp"

namespace plumbline::test {
namespace {

using app::Night;

constexpr int week = 7;
constexpr const char* node = "node0";

Night as_night(const Results& results, int number) {
  return app::night_of("night" + std::to_string(number), app::observe_results(results));
}

app::CheckReport held_nights(const Night& tonight, std::span<const Night> before) {
  app::CheckReport report{.nights = before.size()};
  const auto series = app::series_of(before, {});
  app::check_rows(report, tonight, series, {}, {});
  report.missing = app::find_missing(tonight, series).rows;
  return report;
}

std::vector<Befallen> part_of(std::vector<Befallen> rows, double part) {
  for (auto& row : rows) row.slowdown = std::pow(row.slowdown, part);
  return rows;
}

/// The nights of one host: those before a fault are shared by all kinds that leave them as they are.
class HostsNights {
 public:
  HostsNights(const NamedHost& host, std::uint64_t seed) : host_(host), seed_(seed) {
    simulated::Host shaped = host.host;
    shaped.rows = quick_rows().size();
    simulated::Machine machine(shaped, static_cast<unsigned>(seed));
    for (int night = 0; night < most_before + nights_with_fault; ++night) nights_.push_back(machine.night());
    for (int day = 0; day < most_before; ++day) {
      plain_.push_back(file(std::vector<Befallen>(quick_rows().size()), day));
      plain_nights_.push_back(as_night(plain_.back(), day));
    }
  }

  std::vector<Befallen> befallen(const NightKind& kind) const {
    Random random(fnv1a(kind.name) ^ Random(seed_).next());
    std::vector<Befallen> rows(quick_rows().size());
    kind.befall(rows, random);
    return rows;
  }

  Results file(const std::vector<Befallen>& befallen, int day) const {
    return measured(nights_[static_cast<std::size_t>(day)], host_.host, befallen, node, day, seed_);
  }

  const std::vector<Results>& plain() const { return plain_; }

  std::vector<Results> files_before(const NightKind& kind, const std::vector<Befallen>& rows) const {
    std::vector<Results> files = plain_;
    if (kind.is_drift)
      for (int day = most_before - week + 1; day < most_before; ++day)
        files[static_cast<std::size_t>(day)] = file(part_of(rows, (day - (most_before - week)) / static_cast<double>(week)), day);
    return files;
  }

  std::vector<Night> before(const NightKind& kind, const std::vector<Befallen>& rows) const {
    if (!kind.is_drift) return plain_nights_;
    std::vector<Night> nights = plain_nights_;
    const auto files = files_before(kind, rows);
    for (int day = most_before - week + 1; day < most_before; ++day)
      nights[static_cast<std::size_t>(day)] = as_night(files[static_cast<std::size_t>(day)], day);
    return nights;
  }

 private:
  NamedHost host_;
  std::uint64_t seed_;
  std::vector<std::vector<simulated::Machine::Row>> nights_;
  std::vector<Results> plain_;
  std::vector<Night> plain_nights_;
};

/// Reads a report, held against what befell the rows.
class Reading {
 public:
  Reading(const NightKind& kind, const std::vector<Befallen>& befallen) : kind_(kind) {
    const auto& names = quick_rows();
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (befallen[i].slowdown > 1) slow_.insert(names[i].what), slowdown_ = befallen[i].slowdown;
      if (befallen[i].is_missing || !befallen[i].flavor.empty()) missing_.insert(names[i].what);
      if (befallen[i].cpu_share < 1 || befallen[i].steal > 0) disturbed_.insert(names[i].what);
    }
  }

  struct Said {
    bool accused = false, found = false, named = false, wrong_factor = false;
    std::string example = {};
  };

  Said read(const app::CheckReport& report) const {
    Said said;
    std::size_t rows_named = 0, called_disturbed = 0;
    bool whole = false, part = false, explained = true;
    for (const auto& row : report.rows) {
      called_disturbed += row.night.finding == NightFinding::disturbed && disturbed_.contains(row.key.what);
      if (row.night.finding != NightFinding::slower) continue;
      if (!is_slow(row)) {
        said.accused = true;
        said.example = row.key.what + ": " + app::evidence(row);
        continue;
      }
      said.found = true;
      whole = whole || row.row_class == "node";
      part = part || row.row_class == "part";
      rows_named += row.row_class != "node" && row.row_class != "part";
      explained = explained && row.explanation.find("explains it") != std::string::npos;
      const double error = std::abs(std::log(row.night.slowdown / slowdown_));
      if (!kind_.is_drift && disturbed_.empty() && (row.night.lo > slowdown_ * 1.005 || row.night.hi < slowdown_ / 1.005) && error > 0.01)
        said.wrong_factor = true;
    }
    if (kind_.wish == Wish::slower || kind_.wish == Wish::clock)
      said.named = said.found && (is_of_node() ? whole || part : 2 * rows_named >= slow_.size() || (part && !kind_.word.empty())) &&
                   (kind_.wish != Wish::clock || explained);
    if (kind_.wish == Wish::missing) read_missing(report, said);
    if (kind_.wish == Wish::disturbed) said.found = said.named = 10 * called_disturbed >= 9 * disturbed_.size();
    return said;
  }

 private:
  bool is_of_node() const { return slow_.size() * 5 > 4 * quick_rows().size(); }

  /// A row that is slower; the node, of which half is; a part of which half is.
  bool is_slow(const app::CheckRow& row) const {
    if (row.row_class == "node") return 5 * slow_.size() >= 2 * quick_rows().size();
    if (row.row_class != "part") return slow_.contains(row.key.what);
    std::size_t of_part = 0, slow = 0;
    const std::string word = row.key.what.substr(row.key.what.rfind(' ') + 1);
    for (const auto& name : quick_rows())
      if (name.has(word) || (word == "case" && !name.is_ceiling())) ++of_part, slow += slow_.contains(name.what);
    return of_part > 0 && 2 * slow >= of_part;
  }

  void read_missing(const app::CheckReport& report, Said& said) const {
    std::set<std::string> told;
    for (const auto& one : report.missing) told.insert(one.key.what);
    said.found = exit_of(report) == Exit::io_or_failed_case;
    said.named = told == missing_;
  }

  const NightKind& kind_;
  std::set<std::string> slow_, missing_, disturbed_;
  double slowdown_ = 1;
};

void count_trial(const NightKind& kind, const std::vector<Befallen>& rows, std::span<const Night> faulty, std::vector<Night> before,
                 NightCount& count) {
  const Reading reading(kind, rows);
  const bool is_asked =
      kind.wish != Wish::nothing && (kind.wish == Wish::missing || kind.wish == Wish::disturbed || before.size() >= least_nights);
  count.trials += is_asked;
  for (const Night& tonight : faulty) {
    const auto said = reading.read(held_nights(tonight, before));
    ++count.nights;
    count.accused += said.accused || (said.found && before.size() < least_nights && kind.wish == Wish::slower);
    if (!said.example.empty() && count.example.empty()) count.example = std::to_string(before.size()) + " nights: " + said.example;
    if (is_asked && said.found) {
      ++count.found;
      count.named += said.named;
      count.wrong_factor += said.wrong_factor;
    }
    if (said.found || kind.wish == Wish::missing || kind.wish == Wish::disturbed) return;
    before.push_back(tonight);
  }
}

}  // namespace

const std::vector<NamedHost>& hosts() {
  static const std::vector<NamedHost> all{{"quiet", {}},
                                          {"restless", {.freedom = 4}},
                                          {"busy", {.freedom = 4, .disturbed_part = 0.05}},
                                          {"busy, told", {.freedom = 4, .disturbed_part = 0.05, .seen = 0.9}}};
  return all;
}

FaultyNights faulty_nights(const NightKind& kind, const NamedHost& host, std::uint64_t seed) {
  const HostsNights nights(host, seed);
  FaultyNights all{.befallen = nights.befallen(kind)};
  all.before = nights.files_before(kind, all.befallen);
  for (int night = 0; night < nights_with_fault; ++night) all.faulty.push_back(nights.file(all.befallen, most_before + night));
  return all;
}

app::CheckReport held(const Results& tonight, std::span<const Results> before) {
  std::vector<Night> nights;
  for (const auto& file : before) nights.push_back(as_night(file, static_cast<int>(nights.size())));
  return held_nights(as_night(tonight, static_cast<int>(nights.size())), nights);
}

std::vector<NightCount> count_nights(std::span<const NightKind> kinds, std::uint64_t first, std::uint64_t last) {
  std::vector<NightCount> counts;
  for (const auto& kind : kinds)
    for (const auto& host : hosts()) counts.push_back({.kind = kind.name, .host = host.name});
  for (std::uint64_t seed = first; seed <= last; ++seed)
    for (std::size_t h = 0; h < hosts().size(); ++h) {
      const HostsNights nights(hosts()[h], seed * 10 + h);
      for (std::size_t k = 0; k < kinds.size(); ++k) {
        const auto rows = nights.befallen(kinds[k]);
        const auto before = nights.before(kinds[k], rows);
        std::vector<Night> faulty;
        for (int night = 0; night < nights_with_fault; ++night)
          faulty.push_back(as_night(nights.file(rows, most_before + night), most_before + night));
        for (const std::size_t number : {1UL, 2UL, 3UL, 7UL, 14UL, 30UL})
          count_trial(kinds[k], rows, faulty, {before.end() - static_cast<std::ptrdiff_t>(number), before.end()},
                      counts[k * hosts().size() + h]);
      }
    }
  return counts;
}

}  // namespace plumbline::test
