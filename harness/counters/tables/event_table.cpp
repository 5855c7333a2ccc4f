#include "counters/tables/event_table.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/error.hpp"
#include "core/fnv.hpp"
#include "core/quantity.hpp"
#include "core/text/text_file.hpp"
#include "core/text/toml_depth.hpp"
#include "counters/tables/event_keys.hpp"
#include "counters/tables/kernel_events.hpp"
#include "counters/tables/table_reader.hpp"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view event_schema = "plumbline-events/1";
constexpr const char* unchecked = "vendor manual, unchecked";

/// The form of a backend's tables.
struct Form {
  std::string_view backend = {};
  bool of_gpu = false;
  std::vector<std::string> keys = {}, row_keys = {}, term_keys = {}, match_keys = {};
  std::vector<Scope> scopes = {};
  std::string_view checked_by = {};  // beginning of `checked` where a library knows the events
};

Form form_with(bool of_gpu, std::string_view backend, std::vector<Scope> scopes, std::string_view checked_by) {
  const auto tables = event_table_file(of_gpu).tables;
  return {.backend = backend,
          .of_gpu = of_gpu,
          .keys = tables[0].names(),
          .row_keys = tables[1].names(),
          .term_keys = tables[2].names(),
          .match_keys = tables[3].names(),
          .scopes = std::move(scopes),
          .checked_by = checked_by};
}

const Form& form_of(const std::string& backend) {
  static const Form of_cpu = form_with(false, "perf_event", {Scope::core, Scope::socket}, "libpfm4 ");
  static const Form of_papi = form_with(false, "papi", {Scope::core, Scope::socket}, "libpfm4 ");
  static const Form of_gpu = form_with(true, "cupti", {Scope::sm, Scope::device}, "CUPTI ");  // CUPTI says what one pass can count
  return backend == of_gpu.backend ? of_gpu : backend == of_papi.backend ? of_papi : of_cpu;
}

/// The surroundings of a row in its table, which reading it takes.
struct Around {
  const Form& form;
  std::string libpfm4 = {};  // the core's PMU
};

CpuMatch read_match(const TableReader& table) {
  table.allow_only(form_of("perf_event").match_keys);
  CpuMatch match;
  match.vendor = table.word("vendor", "the vendor as 'plumbline doctor' names it, e.g. \"AuthenticAMD\"");
  if (table.node("family") != nullptr) match.family = table.integer("family", 0, 1 << 16);
  const auto models = table.range("models");
  if (!models) table.refuse(nullptr, "match lacks 'models': [first, last]");
  match.first_model = models->first, match.last_model = models->second;
  if (const auto steppings = table.range("steppings")) match.first_stepping = steppings->first, match.last_stepping = steppings->second;
  return match;
}

/// The chip by CUPTI's name: what its GPUs say of themselves.
std::string read_chip(const TableReader& table) {
  table.allow_only(form_of("cupti").match_keys);
  constexpr const char* allowed = "a chip as CUPTI calls it: \"GH100\"";
  const auto chip = table.word("chip", allowed);
  if (chip.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") != chip.npos)
    table.refuse(table.node("chip"), fmt::format("'chip' is '{}'; it must be {}", chip, allowed));
  return chip;
}

/// `match` is one, or a list of them.
template <class Match>
std::vector<Match> read_matches(const TableReader& top, Match (*read)(const TableReader&), const char* form) {
  const auto allowed = fmt::format("{}, or a list of them", form);
  const auto& node = top.needed("match", allowed.c_str());
  if (node.is_table()) return {read(top.child(*node.as_table(), "match"))};
  std::vector<Match> matches;
  if (!node.is_array() || node.as_array()->empty()) top.refuse(&node, fmt::format("'match' must be {}", allowed));
  for (const auto& element : *node.as_array()) {
    if (!element.is_table()) top.refuse(&element, fmt::format("'match' must be {}", allowed));
    matches.push_back(read(top.child(*element.as_table(), "match")));
  }
  return matches;
}

Kind kind_of(const std::string& quantity) {
  if (quantity == "seconds") return Kind::time;
  return quantity.starts_with("bytes.") ? Kind::bytes : Kind::flops;
}

std::vector<std::string> read_sees(const TableReader& row) {
  const auto sees = row.words("sees", quantity_names);
  if (sees.empty()) row.refuse(row.node("sees"), fmt::format("'sees' in {} is empty; allowed are {}", row.title(), quantity_names));
  if (const auto wrong = wrong_claim(sees)) row.refuse(row.node("sees"), fmt::format("'sees' in {} {}", row.title(), *wrong));
  return sees;
}

std::optional<std::uint64_t> read_raw(const TableReader& term) {
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

/// The bytes or operations of one count; for a CPU "line" where it is a cache line, whose size the machine says.
double read_weight(const TableReader& term, bool of_gpu, bool& is_line) {
  const auto& weight = term.needed("weight", "what one count stands for");
  is_line = !of_gpu && weight.is_string() && weight.value<std::string>() == "line";
  const auto value = is_line ? 64 : weight.is_number() ? weight.value<double>() : std::nullopt;
  if (!value || !std::isfinite(*value) || *value <= 0)
    term.refuse(&weight, std::string("'weight' must be a number greater than 0") + (of_gpu ? "" : ", or \"line\""));
  return *value;
}

std::string read_kind(const TableReader& term) {
  constexpr const char* allowed = "add, mul or fma";
  const std::string kind = term.word_or_none("kind", allowed);
  if (!kind.empty() && !is_fma_mix_kind(kind)) term.refuse(term.node("kind"), fmt::format("'kind' must be {}", allowed));
  return kind;
}

/// Refuses a name that is no metric's, as "unit__what.sum": it says how it is summed up over the units of the chip.
void require_metric(const TableReader& term, const std::string& name) {
  const auto unit = name.find("__"), dot = name.find('.');
  if (unit == name.npos || unit == 0 || dot == name.npos || dot < unit || dot + 1 == name.size())
    term.refuse(term.node("event"), fmt::format("'{}' is no metric of CUPTI with its rollup, such as dram__bytes_read.sum", name));
}

void read_term(const TableReader& term, const Around& around, TableCounter& row) {
  term.allow_only(around.form.term_keys);
  TableEvent event;
  event.name = term.word("event", "the event's name");
  if (find_kernel_event(event.name) != nullptr)
    term.refuse(term.node("event"), fmt::format("'{}' is an event of the kernel's own; call this one otherwise", event.name));
  for (const auto& other : row.events)
    if (other.name == event.name)
      term.refuse(term.node("event"), fmt::format("'{}' is there twice; one term with the sum of the weights counts it once", event.name));
  event.pmu = term.word_or_none("pmu", "the PMU's name in /sys/bus/event_source/devices, without the _NUMBER of an instance");
  event.raw = read_raw(term);
  event.libpfm4 = term.word_or_none("libpfm4", "a PMU of libpfm4");
  if (term.node("only_slots") != nullptr) event.only_slots = term.integers("only_slots", 0, 63);
  if (event.libpfm4.empty() && event.pmu.empty()) event.libpfm4 = around.libpfm4;
  if (around.form.of_gpu) require_metric(term, event.name);
  if (!event.raw && event.pmu.empty() && row.counter.backend == "perf_event")
    term.refuse(nullptr, fmt::format("the term '{}' lacks 'raw': a code, or a 'pmu' that names the event", event.name));
  const double weight = read_weight(term, around.form.of_gpu, event.is_line);
  row.counter.terms.push_back({event.name, weight, read_kind(term)});
  row.events.push_back(std::move(event));
}

void read_terms(const TableReader& row, const Around& around, TableCounter& result) {
  const char* const allowed =
      around.form.of_gpu ? R"(a list of {event="...", weight=...})" : R"(a list of {event="...", raw="0x...", weight=...})";
  const auto& node = row.needed("terms", allowed);
  if (!node.is_array() || node.as_array()->empty()) row.refuse(&node, fmt::format("'terms' must be {}", allowed));
  for (const auto& element : *node.as_array()) {
    if (!element.is_table()) row.refuse(&element, fmt::format("'terms' must be {}", allowed));
    read_term(row.child(*element.as_table(), "a term"), around, result);
  }
}

void read_slots(const TableReader& row, TableCounter& result) {
  result.slots = row.integer("slots", 1, 64);
  if (result.slots < static_cast<int>(result.events.size()))
    row.refuse(row.node("slots"), fmt::format("'slots' is {}, but {} has {} events, each of which takes a hardware counter", result.slots,
                                              row.title(), result.events.size()));
}

Scope read_scope(const TableReader& row, const std::vector<Scope>& scopes) {
  const auto allowed = fmt::format(R"("{}" and "{}")", to_string(scopes[0]), to_string(scopes[1]));
  const auto written = row.word("scope", allowed.c_str());
  for (const Scope scope : scopes)
    if (written == to_string(scope)) return scope;
  row.refuse(row.node("scope"), fmt::format("'scope' is '{}'; allowed are {}", written, allowed));
}

std::string read_checked(const TableReader& row, std::string_view by) {
  const auto allowed = fmt::format(R"("{}VERSION" or "{}")", by, unchecked);
  const auto checked = row.word("checked", allowed.c_str());
  if (!checked.starts_with(by) && checked != unchecked)
    row.refuse(row.node("checked"), fmt::format("'checked' is '{}'; allowed are {}", checked, allowed));
  return checked;
}

TableCounter read_counter(const TableReader& row, const Around& around) {
  row.allow_only(around.form.row_keys);
  TableCounter result;
  result.written_at = row.place();
  result.counter.name = row.word("name", "the counter's name");
  result.counter.backend = around.form.backend;
  result.counter.quantities = read_sees(row);
  result.counter.kind = kind_of(result.counter.quantities.front());
  read_terms(row, around, result);
  if (!around.form.of_gpu) read_slots(row, result);
  result.scope = read_scope(row, around.form.scopes);
  if (row.node("not_with") != nullptr) result.not_with = row.words("not_with", "counters' names");
  if (row.node("errata") != nullptr) result.errata = row.words("errata", "sentences");
  result.source = row.word("source", "the document, with section or table");
  result.checked = read_checked(row, around.form.checked_by);
  return result;
}

std::vector<TableCounter> read_counters(const TableReader& top, const Around& around) {
  constexpr const char* allowed = "one [[counter]] for each counter";
  const auto& node = top.needed("counter", allowed);
  std::vector<TableCounter> counters;
  if (!node.is_array()) top.refuse(&node, fmt::format("'counter' must be written as {}", allowed));
  for (const auto& element : *node.as_array()) {
    if (!element.is_table()) top.refuse(&element, fmt::format("'counter' must be written as {}", allowed));
    const TableReader row = top.child(*element.as_table(), "[[counter]]");
    counters.push_back(read_counter(row, around));
    for (std::size_t i = 0; i + 1 < counters.size(); ++i)
      if (counters[i].counter.name == counters.back().counter.name)
        row.refuse(row.node("name"), fmt::format("there are two counters named '{}'", counters[i].counter.name));
  }
  return counters;
}

std::string text_of(const fs::path& file) {
  auto text = read_text_file(file);
  if (!text)
    throw user_error(fmt::format("cannot read the event table '{}' ({}); PLUMBLINE_EVENTS_PATH takes TOML files and folders of them",
                                 file.string(), std::strerror(errno)));
  return std::move(*text);
}

toml::table parse(const std::string& text, const fs::path& file) {
  if (names_nest_deeply(text)) throw user_error(fmt::format("{}: a name in it has more than {} dots", file.string(), deepest_toml));
  try {
    return toml::parse(text, file.string());
  } catch (const toml::parse_error& error) {
    throw user_error(
        fmt::format("{}:{}: not valid TOML: {}", file.string(), error.source().begin.line, toml_complaint(error.description())));
  }
}

std::string read_backend(const TableReader& top) {
  constexpr const char* allowed = R"("perf_event" (also when left out), "papi" or "cupti")";
  const std::string backend = top.node("backend") == nullptr ? "perf_event" : top.word("backend", allowed);
  if (backend != form_of(backend).backend)
    top.refuse(top.node("backend"), fmt::format("'backend' is '{}'; allowed are {}", backend, allowed));
  return backend;
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
  const std::string text = text_of(file);
  const toml::table document = parse(text, file);
  const TableReader top(document, file.string(), "the event table");
  const auto* written = document.get("schema");
  if (written == nullptr || written->value<std::string>() != event_schema)
    top.refuse(written, fmt::format("an event table begins with schema = \"{}\"", event_schema));
  EventTable table;
  table.backend = read_backend(top);
  const Form& form = form_of(table.backend);
  top.allow_only(form.keys);
  table.file = file.string();
  table.hash = fmt::format("{:016x}", fnv1a(text));
  table.family = top.word("family", "a name for this family of CPUs or GPUs");
  if (form.of_gpu)
    table.chips = read_matches(top, read_chip, "{chip=...}");
  else if (table.backend == "perf_event" || top.node("match") != nullptr)
    table.matches = read_matches(top, read_match, "{vendor=..., family=..., models=[first, last]}");
  table.counters = read_counters(top, {form, top.word_or_none("libpfm4", "the core's PMU in libpfm4")});
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
