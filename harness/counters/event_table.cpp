#include "counters/event_table.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>

#include "core/error.hpp"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view schema = "plumbline-events/1";
constexpr const char* how_checked = R"("libpfm4 VERSION" or "vendor manual, unchecked")";

// One table of a file, read key by key; every complaint says file, line, key and what is allowed.
class Reader {
 public:
  Reader(const toml::table& table, std::string path, std::string title)
      : table_(&table), path_(std::move(path)), title_(std::move(title)) {}

  std::string place() const { return fmt::format("{}:{}", fs::path(path_).filename().string(), line_of(*table_)); }
  Reader child(const toml::table& table, std::string title) const { return {table, path_, std::move(title)}; }
  const toml::node* node(std::string_view key) const { return table_->get(key); }

  [[noreturn]] void refuse(const toml::node* at, const std::string& why) const {
    throw user_error(fmt::format("{}:{}: {}", path_, line_of(at == nullptr ? *table_ : *at), why));
  }
  void allow_only(const std::vector<std::string_view>& keys) const {
    for (const auto& [key, value] : *table_)
      if (std::find(keys.begin(), keys.end(), key.str()) == keys.end())
        refuse(&value, fmt::format("there is no key '{}' in {}; known are {}", key.str(), title_, fmt::join(keys, ", ")));
  }
  const toml::node& needed(std::string_view key, const char* what) const {
    const auto* found = node(key);
    if (found == nullptr) refuse(nullptr, fmt::format("{} lacks '{}': {}", title_, key, what));
    return *found;
  }
  std::string word(std::string_view key, const char* what) const {
    const auto& found = needed(key, what);
    if (!found.is_string() || found.as_string()->get().empty()) refuse(&found, fmt::format("'{}' in {} must be {}", key, title_, what));
    return found.as_string()->get();
  }
  std::string word_or_none(std::string_view key, const char* what) const { return node(key) == nullptr ? "" : word(key, what); }
  int integer(std::string_view key, int least, int most) const {
    const auto what = fmt::format("a whole number from {} to {}", least, most);
    return number_in(needed(key, what.c_str()), key, least, most);
  }
  std::optional<std::pair<int, int>> range(std::string_view key) const {
    const auto* found = node(key);
    if (found == nullptr) return std::nullopt;
    const auto* pair = found->as_array();
    if (pair == nullptr || pair->size() != 2) refuse(found, fmt::format("'{}' in {} must be [first, last]", key, title_));
    const std::pair<int, int> result{number_in(*pair->get(0), key, 0, 1 << 16), number_in(*pair->get(1), key, 0, 1 << 16)};
    if (result.first > result.second) refuse(found, fmt::format("'{}' in {} must be [first, last], in this order", key, title_));
    return result;
  }
  std::vector<std::string> words(std::string_view key, const char* what) const {
    std::vector<std::string> all;
    const auto& found = needed(key, what);
    const auto* list = found.as_array();
    if (list == nullptr) refuse(&found, fmt::format("'{}' in {} must be a list of {}", key, title_, what));
    for (const auto& element : *list) {
      if (!element.is_string()) refuse(&element, fmt::format("'{}' in {} must be a list of {}", key, title_, what));
      all.push_back(element.as_string()->get());
    }
    return all;
  }
  const std::string& title() const { return title_; }

 private:
  static int line_of(const toml::node& node) { return static_cast<int>(node.source().begin.line); }
  int number_in(const toml::node& found, std::string_view key, int least, int most) const {
    const auto value = found.value_exact<std::int64_t>();
    if (!value || *value < least || *value > most)
      refuse(&found, fmt::format("'{}' in {} must be a whole number from {} to {}", key, title_, least, most));
    return static_cast<int>(*value);
  }

  const toml::table* table_;
  std::string path_, title_;
};

CpuMatch read_match(const Reader& table) {
  table.allow_only({"vendor", "family", "models", "steppings"});
  CpuMatch match;
  match.vendor = table.word("vendor", "the vendor as 'plumbline doctor' names it, e.g. \"AuthenticAMD\"");
  if (table.node("family") != nullptr) match.family = table.integer("family", 0, 1 << 16);
  const auto models = table.range("models");
  if (!models) table.refuse(nullptr, "match lacks 'models': [first, last]");
  match.first_model = models->first, match.last_model = models->second;
  if (const auto steppings = table.range("steppings")) match.first_stepping = steppings->first, match.last_stepping = steppings->second;
  return match;
}

std::vector<CpuMatch> read_matches(const Reader& top) {
  constexpr const char* allowed = "{vendor=..., family=..., models=[first, last]}, or a list of them";
  const auto& node = top.needed("match", allowed);
  if (node.is_table()) return {read_match(top.child(*node.as_table(), "match"))};
  std::vector<CpuMatch> matches;
  if (!node.is_array() || node.as_array()->empty()) top.refuse(&node, fmt::format("'match' must be {}", allowed));
  for (const auto& element : *node.as_array()) {
    if (!element.is_table()) top.refuse(&element, fmt::format("'match' must be {}", allowed));
    matches.push_back(read_match(top.child(*element.as_table(), "match")));
  }
  return matches;
}

// Names of the contract: flops.fp64, flops.fp64.add, flops.tensor.TYPE, bytes.BOUNDARY, bytes.BOUNDARY.FLOW, instructions, ...
bool is_quantity(const std::string& name) {
  if (name == "instructions" || name == "fp_instructions" || name == "cycles") return true;
  const auto one_of = [](std::string_view word, std::initializer_list<std::string_view> words) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  const auto first = name.find('.'), second = name.find('.', first == name.npos ? first : first + 1);
  if (first == name.npos) return false;
  const std::string_view group = std::string_view(name).substr(0, first), rest = std::string_view(name).substr(first + 1);
  const auto what = second == name.npos ? rest : rest.substr(0, second - first - 1);
  const auto detail = second == name.npos ? std::string_view() : std::string_view(name).substr(second + 1);
  if (group == "flops" && what == "tensor") return !detail.empty();
  if (group == "flops")
    return one_of(what, {"fp64", "fp32", "fp16", "bf16"}) && (detail.empty() || one_of(detail, {"add", "mul", "fma", "div", "sqrt"}));
  return group == "bytes" && one_of(what, {"reg-L1", "L1-L2", "L2-L3", "L3-mem", "L2-mem"}) &&
         (detail.empty() || one_of(detail, {"load", "store", "demand_read", "rfo", "prefetch", "write_back", "nt_store"}));
}

std::vector<std::string> read_sees(const Reader& row) {
  constexpr const char* allowed =
      "quantities: flops.{fp64,fp32,fp16,bf16}[.{add,mul,fma,div,sqrt}], flops.tensor.TYPE, bytes.{reg-L1,L1-L2,L2-L3,L3-mem,L2-mem}"
      "[.{load,store,demand_read,rfo,prefetch,write_back,nt_store}], instructions, fp_instructions, cycles";
  const auto sees = row.words("sees", allowed);
  if (sees.empty()) row.refuse(row.node("sees"), fmt::format("'sees' in {} is empty; allowed are {}", row.title(), allowed));
  for (const auto& one : sees)
    if (!is_quantity(one)) row.refuse(row.node("sees"), fmt::format("'sees' in {} holds '{}'; allowed are {}", row.title(), one, allowed));
  return sees;
}

std::optional<std::uint64_t> read_raw(const Reader& term) {
  if (term.node("raw") == nullptr) return std::nullopt;
  constexpr const char* allowed = R"(a code of 64 bits in hexadecimal, as a string: "0x1f03")";
  const auto written = term.word("raw", allowed);
  std::uint64_t code = 0;
  const char* const end = written.data() + written.size();
  if (!written.starts_with("0x") || written.size() < 3) term.refuse(term.node("raw"), fmt::format("'raw' must be {}", allowed));
  const auto [stop, failed] = std::from_chars(written.data() + 2, end, code, 16);
  if (failed != std::errc() || stop != end) term.refuse(term.node("raw"), fmt::format("'raw' must be {}", allowed));
  return code;
}

void read_term(const Reader& term, const std::string& libpfm4, TableCounter& row) {
  term.allow_only({"event", "raw", "weight", "pmu", "libpfm4"});
  TableEvent event;
  event.name = term.word("event", "the event's name");
  event.pmu = term.word_or_none("pmu", "the PMU's name in /sys/bus/event_source/devices, without the _NUMBER of an instance");
  event.raw = read_raw(term);
  event.libpfm4 = term.word_or_none("libpfm4", "a PMU of libpfm4");
  if (event.libpfm4.empty() && event.pmu.empty()) event.libpfm4 = libpfm4;
  if (!event.raw && event.pmu.empty())
    term.refuse(nullptr, fmt::format("the term '{}' lacks 'raw': a code, or a 'pmu' that names the event", event.name));
  const auto& weight = term.needed("weight", "what one count stands for");
  const auto value = weight.is_number() ? weight.value<double>() : std::nullopt;
  if (!value || !std::isfinite(*value) || *value == 0) term.refuse(&weight, "'weight' must be a number other than 0");
  row.counter.terms.push_back({event.name, *value});
  row.events.push_back(std::move(event));
}

void read_terms(const Reader& row, const std::string& libpfm4, TableCounter& result) {
  constexpr const char* allowed = R"(a list of {event="...", raw="0x...", weight=...})";
  const auto& node = row.needed("terms", allowed);
  if (!node.is_array() || node.as_array()->empty()) row.refuse(&node, fmt::format("'terms' must be {}", allowed));
  for (const auto& element : *node.as_array()) {
    if (!element.is_table()) row.refuse(&element, fmt::format("'terms' must be {}", allowed));
    read_term(row.child(*element.as_table(), "a term"), libpfm4, result);
  }
}

TableCounter read_counter(const Reader& row, const std::string& libpfm4) {
  row.allow_only({"name", "sees", "terms", "slots", "scope", "errata", "source", "checked"});
  TableCounter result;
  result.written_at = row.place();
  result.counter.name = row.word("name", "the counter's name");
  result.counter.backend = "perf_event";
  result.counter.quantities = read_sees(row);
  result.counter.kind = result.counter.quantities.front().starts_with("bytes.") ? Kind::bytes : Kind::flops;
  read_terms(row, libpfm4, result);
  result.slots = row.integer("slots", 1, 64);
  const auto scope = row.word("scope", R"("core" or "socket")");
  if (scope != "core" && scope != "socket")
    row.refuse(row.node("scope"), fmt::format(R"('scope' is '{}'; allowed are "core" and "socket")", scope));
  result.scope = scope == "socket" ? Scope::socket : Scope::core;
  if (row.node("errata") != nullptr) result.errata = row.words("errata", "sentences");
  result.source = row.word("source", "the document, with section or table");
  result.checked = row.word("checked", how_checked);
  if (!result.checked.starts_with("libpfm4 ") && result.checked != "vendor manual, unchecked")
    row.refuse(row.node("checked"), fmt::format("'checked' is '{}'; allowed are {}", result.checked, how_checked));
  return result;
}

std::vector<TableCounter> read_counters(const Reader& top, const std::string& libpfm4) {
  constexpr const char* allowed = "one [[counter]] for each counter";
  const auto& node = top.needed("counter", allowed);
  std::vector<TableCounter> counters;
  if (!node.is_array()) top.refuse(&node, fmt::format("'counter' must be written as {}", allowed));
  for (const auto& element : *node.as_array()) {
    if (!element.is_table()) top.refuse(&element, fmt::format("'counter' must be written as {}", allowed));
    const Reader row = top.child(*element.as_table(), "[[counter]]");
    counters.push_back(read_counter(row, libpfm4));
    for (std::size_t i = 0; i + 1 < counters.size(); ++i)
      if (counters[i].counter.name == counters.back().counter.name)
        row.refuse(row.node("name"), fmt::format("there are two counters named '{}'", counters[i].counter.name));
  }
  return counters;
}

toml::table parse(const fs::path& file) {
  std::ifstream in(file);
  std::ostringstream text;
  if (!in || fs::is_directory(file) || !(text << in.rdbuf()))
    throw user_error(
        fmt::format("cannot read the event table '{}'; PLUMBLINE_EVENTS_PATH takes TOML files and folders of them", file.string()));
  try {
    return toml::parse(text.str(), file.string());
  } catch (const toml::parse_error& error) {
    throw user_error(fmt::format("{}:{}: not valid TOML: {}", file.string(), error.source().begin.line, error.description()));
  }
}

void add_tables(std::vector<EventTable>& tables, const fs::path& path) {
  if (!fs::is_directory(path)) return tables.push_back(read_event_table(path));
  std::vector<fs::path> files;
  for (const auto& file : fs::directory_iterator(path))
    if (file.path().extension() == ".toml") files.push_back(file.path());
  std::sort(files.begin(), files.end());
  for (const auto& file : files) tables.push_back(read_event_table(file));
}

}  // namespace

EventTable read_event_table(const fs::path& file) {
  const toml::table document = parse(file);
  const Reader top(document, file.string(), "the event table");
  const auto* written = document.get("schema");
  if (written == nullptr || written->value<std::string>() != schema)
    top.refuse(written, fmt::format("an event table begins with schema = \"{}\"", schema));
  top.allow_only({"schema", "family", "match", "libpfm4", "counter"});
  EventTable table;
  table.family = top.word("family", "a name for this family of CPUs");
  table.matches = read_matches(top);
  table.counters = read_counters(top, top.word_or_none("libpfm4", "the core's PMU in libpfm4"));
  return table;
}

EventTables read_event_tables(const fs::path& folder, std::string_view users) {
  EventTables tables;
  if (!folder.empty()) add_tables(tables.ours, folder);
  while (!users.empty()) {
    const auto colon = users.find(':');
    if (const auto path = users.substr(0, colon); !path.empty()) add_tables(tables.users, path);
    users = colon == users.npos ? std::string_view() : users.substr(colon + 1);
  }
  return tables;
}

}  // namespace plumbline
