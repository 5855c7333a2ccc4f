#include "night_kinds.hpp"

#include <array>
#include <cmath>

namespace plumbline::test {
namespace {

using Rows = std::vector<Befallen>;
using Change = std::function<void(Befallen&)>;

/// The place of a fault: which rows.
struct Place {
  const char* name;
  const char* word;  // that they share
  std::function<std::vector<bool>(Random&)> draw;
};

std::vector<bool> with_word(const std::string& word) {
  std::vector<bool> those;
  for (const auto& row : quick_rows()) those.push_back(row.has(word));
  return those;
}

std::vector<bool> one_case(Random& random) {
  std::vector<bool> those(quick_rows().size());
  those[static_cast<std::size_t>(random.uniform() * 128)] = true;
  return those;
}

std::vector<bool> about_half(Random& random) {
  std::vector<bool> those;
  for (std::size_t i = 0; i < quick_rows().size(); ++i) those.push_back(random.with_probability(0.5));
  return those;
}

std::vector<bool> all_rows(Random&) { return std::vector<bool>(quick_rows().size(), true); }

std::vector<bool> all_cases(Random&) {
  std::vector<bool> those;
  for (const auto& row : quick_rows()) those.push_back(!row.is_ceiling());
  return those;
}

Place of_word(const char* name, const char* word) {
  return {name, word, [word](Random&) { return with_word(word); }};
}

const Place single{"one case", "", one_case}, whole{"the node", "", all_rows}, half{"half of the rows", "", about_half},
    cases{"all cases", "", all_cases};

const std::vector<Place>& places() {
  static const std::vector<Place> all{single,
                                      of_word("kernel gpp", "gpp"),
                                      of_word("kernel triad", "triad"),
                                      of_word("level O0", "O0"),
                                      of_word("with two ranks", "r2t1"),
                                      of_word("beyond the caches", "n=4000000"),
                                      of_word("ceilings", "ceiling"),
                                      half,
                                      whole};
  return all;
}

NightKind kind_of(const std::string& name, Wish wish, const Place& place, const Change& change) {
  return {name, wish, false, place.word, [draw = place.draw, change](Rows& rows, Random& random) {
            const auto those = draw(random);
            for (std::size_t i = 0; i < rows.size(); ++i)
              if (those[i]) change(rows[i]);
          }};
}

Change slowed(double factor) {
  return [factor](Befallen& row) { row.slowdown = factor; };
}

void add_slower(std::vector<NightKind>& kinds) {
  for (const Place& place : places())
    for (const int percent : {5, 10, 20, 50})
      for (const bool drift : {false, true}) {
        kinds.push_back(kind_of(std::string(place.name) + " slower by " + std::to_string(percent) + " %" + (drift ? ", over a week" : ""),
                                Wish::slower, place, slowed(1 + percent / 100.0)));
        kinds.back().is_drift = drift;
      }
}

void add_faster(std::vector<NightKind>& kinds) {
  for (const Place& place : {single, of_word("level O0", "O0"), half, whole})
    for (const int percent : {10, 30})
      kinds.push_back(kind_of(std::string(place.name) + " faster by " + std::to_string(percent) + " %", Wish::nothing, place,
                              slowed(1 - percent / 100.0)));
}

void add_disturbed(std::vector<NightKind>& kinds) {
  struct Disturbance {
    const char* name;
    double cpu_share, steal;
  };
  for (const auto& [name, cpu_share, steal] :
       {Disturbance{"half of the CPU taken", 0.5, 0}, {"a tenth of the CPU left", 0.1, 0}, {"a third stolen", 1, 0.33}})
    for (const Place& place : {single, half, whole})
      for (const double slowdown : {1.0, 3.0, 10.0}) {
        const std::string by = slowdown > 1 ? ", and slower to " + std::to_string(static_cast<int>(slowdown)) + " times" : "";
        kinds.push_back(kind_of(std::string(name) + ": " + place.name + by, slowdown > 1 ? Wish::slower : Wish::disturbed, place,
                                [slowdown, share = cpu_share, part = steal](Befallen& row) {
                                  row.slowdown = slowdown;
                                  row.cpu_share = share;
                                  row.steal = part;
                                }));
      }
}

void add_others(std::vector<NightKind>& kinds) {
  kinds.push_back({.name = "nothing", .befall = [](Rows&, Random&) {}});
  kinds.push_back(kind_of("repetitions scatter by 10 %", Wish::nothing, whole, [](Befallen& row) { row.scatter = 0.1; }));
  kinds.push_back(kind_of("repetitions of one case scatter by 50 %", Wish::nothing, single, [](Befallen& row) { row.scatter = 0.5; }));
  kinds.push_back(kind_of("the clock lower by 20 %, and all slower by that", Wish::clock, whole,
                          [](Befallen& row) { row.clock = 0.8, row.slowdown = 1.25; }));
  kinds.push_back(
      kind_of("the clock reads lower by 20 %, and nothing is slower", Wish::nothing, whole, [](Befallen& row) { row.clock = 0.8; }));
  kinds.push_back(kind_of("one case missing", Wish::missing, single, [](Befallen& row) { row.is_missing = true; }));
  kinds.push_back(kind_of("a level's flavors missing", Wish::missing, of_word("O0", "O0"), [](Befallen& row) { row.is_missing = true; }));
  kinds.push_back(
      kind_of("another compiler for O0", Wish::missing, of_word("O0", "O0"), [](Befallen& row) { row.flavor = "gcc13-O0-v3"; }));
  kinds.push_back(kind_of("all cases 10 times as long", Wish::slower, cases, slowed(10)));
}

}  // namespace

const std::vector<NightKind>& night_kinds() {
  static const std::vector<NightKind> kinds = [] {
    std::vector<NightKind> all;
    add_others(all);
    add_slower(all);
    add_faster(all);
    add_disturbed(all);
    return all;
  }();
  return kinds;
}

}  // namespace plumbline::test
