#include "campaign/counter_set_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <sstream>

#include "campaign/campaign_keys.hpp"
#include "campaign/written.hpp"
#include "core/error.hpp"
#include "core/quantity.hpp"

namespace plumbline {
namespace {

constexpr const char* set_schema = "plumbline-counters/1";

toml::array array_of(const std::vector<std::string>& all) {
  toml::array array;
  for (const auto& word : all) array.push_back(word);
  return array;
}

toml::table written(const ChosenCounter& chosen) {
  toml::array terms;
  for (const auto& term : chosen.counter.terms) {
    terms.push_back(toml::table{{"event", term.event}, {"weight", term.weight}});
    if (!term.kind.empty()) terms.back().as_table()->insert("kind", term.kind);
  }
  toml::table table{
      {"name", chosen.counter.name},    {"backend", chosen.counter.backend},     {"sees", array_of(chosen.counter.quantities)},
      {"terms", std::move(terms)},      {"grade", std::string(1, chosen.grade)}, {"factor", chosen.factor},
      {"ratio_least", chosen.ratio_lo}, {"ratio_most", chosen.ratio_hi},         {"cases", static_cast<std::int64_t>(chosen.cases)},
      {"evidence", chosen.evidence}};
  if (chosen.offset != 0) {
    table.insert("offset", chosen.offset);
    table.insert("offset_least", chosen.offset_lo);
    table.insert("offset_most", chosen.offset_hi);
    if (chosen.offset_per != OffsetPer::team) table.insert("offset_per", to_string(chosen.offset_per));
  }
  if (std::isfinite(chosen.good_up_to)) table.insert("good_up_to", chosen.good_up_to);
  return table;
}

template <class T>
T required(const WrittenTable& table, std::string_view key, std::optional<Written<T>> value) {
  if (!value) table.fail(table.at(), fmt::format("{} lacks '{}'", table.title(), key));
  return std::move(value->value);
}

std::string required_word(const WrittenTable& table, std::string_view key) { return required(table, key, table.word(key)); }
double positive(const WrittenTable& table, std::string_view key) { return required(table, key, table.positive(key)); }

std::vector<std::string> list(const WrittenTable& table, std::string_view key) {
  std::vector<std::string> all;
  for (auto& one : table.words(key)) all.push_back(std::move(one.value));
  if (all.empty()) table.fail(table.at(), fmt::format("{} lacks '{}'", table.title(), key));
  return all;
}

/// A set without offsets is what sets were before there were any.
void read_offset(const WrittenTable& table, ChosenCounter& chosen) {
  if (const auto per = table.choice("offset_per", {"team", "rank", "thread"}))
    chosen.offset_per = per->value == "team" ? OffsetPer::team : per->value == "rank" ? OffsetPer::rank : OffsetPer::thread;
  if (!table.number("offset") && !table.number("offset_least") && !table.number("offset_most")) return;
  chosen.offset = required(table, "offset", table.number("offset"));
  chosen.offset_lo = required(table, "offset_least", table.number("offset_least"));
  chosen.offset_hi = required(table, "offset_most", table.number("offset_most"));
  if (chosen.offset_lo > chosen.offset || chosen.offset > chosen.offset_hi)
    table.fail(table.at("offset"), "'offset' does not lie between 'offset_least' and 'offset_most'");
}

ChosenCounter read_counter(const WrittenTable& table) {
  table.allow_only(set_counter_keys.names());
  ChosenCounter chosen{.counter = {.name = required_word(table, "name"),
                                   .backend = required_word(table, "backend"),
                                   .terms = {},
                                   .quantities = list(table, "sees")}};
  if (const auto wrong = wrong_claim(chosen.counter.quantities))
    table.fail(table.at("sees"), fmt::format("'sees' in {} {}", table.title(), *wrong));
  for (const auto& term : table.tables("terms", "one {event, weight} for each event")) {
    term.allow_only(set_term_keys.names());
    chosen.counter.terms.push_back({required_word(term, "event"), required(term, "weight", term.number("weight"))});
    if (const auto kind = term.choice("kind", {"add", "mul", "fma"})) chosen.counter.terms.back().kind = kind->value;
  }
  if (chosen.counter.terms.empty()) table.fail(table.at(), fmt::format("{} lacks 'terms'", table.title()));
  if (chosen.counter.quantities.front().starts_with("flops.")) chosen.counter.kind = Kind::flops;
  chosen.grade = required(table, "grade", table.choice("grade", {"A", "B", "C"})).front();
  chosen.factor = positive(table, "factor");
  read_offset(table, chosen);
  if (const auto most = table.positive("good_up_to")) chosen.good_up_to = most->value;
  chosen.ratio_lo = positive(table, "ratio_least");
  chosen.ratio_hi = positive(table, "ratio_most");
  if (chosen.ratio_lo > chosen.ratio_hi) table.fail(table.at("ratio_least"), "'ratio_least' is greater than 'ratio_most'");
  chosen.cases = static_cast<std::size_t>(required(table, "cases", table.integer("cases", 1)));
  chosen.evidence = required_word(table, "evidence");
  return chosen;
}

ChosenGroup read_group(const WrittenTable& table) {
  table.allow_only(set_group_keys.names());
  return {required_word(table, "backend"), list(table, "events")};
}

bool is_counted(const CounterSet& set, const std::string& backend, const std::string& event) {
  return std::any_of(set.groups.begin(), set.groups.end(), [&](const ChosenGroup& group) {
    return group.backend == backend && std::find(group.events.begin(), group.events.end(), event) != group.events.end();
  });
}

void require_counted(const WrittenTable& table, const CounterSet& set, const Counter& counter) {
  for (const auto& term : counter.terms)
    if (!is_counted(set, counter.backend, term.event))
      table.fail(table.at("terms"), fmt::format("'{}' of {} is in no [[group]] of {}", term.event, counter.name, counter.backend));
}

/// The last counter and those before it: their sum would count a part twice.
void require_seen_once(const WrittenTable& table, const CounterSet& set) {
  const Counter& last = set.counters.back().counter;
  for (std::size_t i = 0; i + 1 < set.counters.size(); ++i)
    for (const auto& other : set.counters[i].counter.quantities)
      for (const auto& one : last.quantities)
        if (share_a_part(one, other))
          table.fail(table.at("sees"), fmt::format("{} and {} both see {}", set.counters[i].counter.name, last.name, other));
}

}  // namespace

std::string counter_set_toml(const CounterSet& set) {
  toml::array counters, groups, uncovered;
  for (const auto& chosen : set.counters) counters.push_back(written(chosen));
  for (const auto& group : set.groups) groups.push_back(toml::table{{"backend", group.backend}, {"events", array_of(group.events)}});
  for (const auto& one : set.uncovered) uncovered.push_back(toml::table{{"quantity", one.quantity}, {"reason", one.reason}});
  toml::table document{{"schema", set_schema}, {"machine", set.machine}, {"scored", set.file}};
  document.insert("counter", std::move(counters));
  document.insert("group", std::move(groups));
  if (!uncovered.empty()) document.insert("uncovered", std::move(uncovered));
  std::ostringstream text;
  text << document << '\n';
  return text.str();
}

CounterSet parse_counter_set(const std::string& text, const std::string& path) {
  const auto document = parse_toml(text, path);
  const WrittenTable top(document, path, "the counter set");
  if (const auto found = top.word("schema"); !found || found->value != set_schema)
    top.fail(top.at("schema"),
             fmt::format("a counter set begins with schema = \"{}\" (plumbline score FILE --choose writes one)", set_schema));
  top.allow_only(set_keys.names());
  CounterSet set{.machine = required_word(top, "machine"), .file = required_word(top, "scored")};
  for (const auto& group : top.tables("group", "one for each counting pass")) set.groups.push_back(read_group(group));
  for (const auto& table : top.tables("counter", "one for each counter")) {
    set.counters.push_back(read_counter(table));
    require_counted(table, set, set.counters.back().counter);
    require_seen_once(table, set);
  }
  if (set.counters.empty()) top.fail({1, 1}, "there is no [[counter]]");
  for (const auto& table : top.tables("uncovered", "one for each quantity")) {
    table.allow_only(set_uncovered_keys.names());
    set.uncovered.push_back({required_word(table, "quantity"), required_word(table, "reason")});
  }
  return set;
}

void require_set_or_nothing(const std::string& path) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(path, none) || std::filesystem::file_size(path, none) == 0) return;
  std::string what = "no counter set";
  try {
    const auto document = toml::parse_file(path);
    const auto written = document["schema"].value<std::string>();
    if (written == set_schema) return;
    if (written) what = fmt::format("of schema \"{}\"", *written);
  } catch (const toml::parse_error&) {  // what is no TOML is no set
  }
  throw user_error(fmt::format("{}: the file is there and is {}, so it is left as it is; name another one, or remove it", path, what));
}

CounterSet read_counter_set(const std::string& path) {
  return parse_counter_set(read_text(path, "counter set", "'plumbline score FILE --choose SET.toml' writes one"), path);
}

}  // namespace plumbline
