// The command plumbline list shows the kernels, counters, campaigns and ceilings that this program knows.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <memory>

#include "app/commands/command.hpp"
#include "app/commands/common_options.hpp"
#include "app/commands/listing.hpp"
#include "app/commands/schemas.hpp"
#include "app/here/campaign_files.hpp"
#include "app/here/event_rows.hpp"
#include "app/here/gpus.hpp"
#include "app/here/metric_check.hpp"
#include "app/terminal/streams.hpp"
#include "campaign/campaign.hpp"
#include "core/kernel.hpp"
#include "counters/cupti/cupti.hpp"
#include "counters/papi/papi.hpp"
#include "counters/registry.hpp"
#include "counters/sass/disassembled.hpp"
#include "machine/cpu.hpp"
#include "machine/topology.hpp"
#include "measure/worker.hpp"
#include "model/scoring/accuracy.hpp"

namespace plumbline::app {
namespace {

namespace fs = std::filesystem;

/// An integer where the parameter is one, else a word.
Json value_json(const Value& value) {
  return std::holds_alternative<std::string>(value) ? Json(std::get<std::string>(value)) : Json(std::get<std::int64_t>(value));
}

std::string allowed_text(const ParameterSpec& p) {
  if (!p.choices.empty()) return fmt::format("{}", fmt::join(p.choices, "|"));
  if (p.max == std::numeric_limits<std::int64_t>::max()) return fmt::format("at least {}", p.min);
  return fmt::format("{} to {}", p.min, p.max);
}

std::vector<std::string> flavor_names(const Kernel& kernel) {
  std::vector<std::string> names;
  for (const auto& flavor : kernel.flavors())
    if (std::find(names.begin(), names.end(), flavor.name) == names.end()) names.emplace_back(flavor.name);
  return names;
}

Columns<ParameterSpec> parameter_columns() {
  using Row = ParameterSpec;
  const auto has_choices = [](const Row& row) { return !row.choices.empty(); };
  const auto is_number = [](const Row& row) { return row.choices.empty(); };
  return {{"name", "name of the parameter", &Row::name},
          {"preset", "value of the parameter where a campaign does not name it", Json{{"type", {"integer", "string"}}},
           [](const Row& row) { return value_json(row.preset); }},
          {"description", "what it is, with its unit", &Row::description},
          Column<Row>("choices", "words that it may be", &Row::choices).when(has_choices),
          Column<Row>("min", "least value", &Row::min).when(is_number),
          Column<Row>("max", "greatest value", &Row::max).when(is_number)};
}

Columns<AbsentFlavor> absent_flavor_columns() {
  using Row = AbsentFlavor;
  return {{"flavor", "name of the flavor", &Row::name},
          {"status", "unavailable", [](const Row&) { return "unavailable"; }},
          {"reason", "why it is not here", &Row::reason}};
}

std::string joined(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, " ")); }

Columns<Kernel> kernel_columns() {
  using Row = Kernel;
  return {Column<Row>("kernel", "name of the kernel", &Row::name).in_row("kernel", Align::left),
          Column<Row>("space", "CPU or GPU", [](const Row& row) { return row.space == Space::cuda ? "GPU" : "CPU"; })
              .in_row("runs on", Align::left),
          Column<Row>("summary", "what it is, with its source", &Row::summary).in_row("what", Align::left),
          list_column<Row>("parameters", "parameters of the kernel, in the order of case ids", parameter_columns(), &Row::parameters),
          Column<Row>("precisions", "precisions that it has", &Row::precisions)
              .in_row("precisions", Align::left, [](const Row& row) { return joined(row.precisions); }),
          Column<Row>("flavors", "flavors that are compiled in and run here", flavor_names)
              .in_row("flavors", Align::left, [](const Row& row) { return joined(flavor_names(row)); }),
          list_column<Row>("absent_flavors", "flavors that are not here", absent_flavor_columns(),
                           [](const Row& row) { return row.absent_flavors(); })};
}

std::string kernel_text(const Kernel& kernel) {
  std::string text =
      fmt::format("{}{}\n{}\n", kernel.name, kernel.space == Space::cuda ? " on GPUs" : "", wrapped(kernel.summary, 116, "    "));
  for (const auto& p : kernel.parameters)
    text += fmt::format("    {:<10} {} (preset {}; {})\n", p.name, p.description, plumbline::to_string(p.preset), allowed_text(p));
  text += wrapped(fmt::format("precisions: {}; flavors: {}", joined(kernel.precisions), joined(flavor_names(kernel))), 116, "    ") + "\n";
  for (const auto& one : kernel.absent_flavors())
    text += wrapped(fmt::format("not here: {}: {}", one.name, one.reason), 116, "    ") + "\n";
  return text;
}

Listing list_kernels() {
  Listing listing;
  listing.add(kernel_columns(), kernels());
  for (const Kernel& kernel : kernels()) listing.text += kernel_text(kernel);
  if (const OpenedGpuModule& module = module_for_gpus(); module.module == nullptr) {
    listing.notes.push_back(module.why_not);
    listing.text += "\n" + wrapped(module.why_not, 116, "") + "\n";
  }
  return listing;
}

void add_table_counters(const KnownCounters& known, Listing& listing, const MetricCheck* check = nullptr) {
  std::vector<ToldCounter> rows;
  for (const auto& counter : known.counters) {
    ToldCounter& row = rows.emplace_back(ToldCounter{known.family, &counter});
    if (check == nullptr) continue;
    const auto found = check->passes.find(counter.counter.name);
    row.passes = found == check->passes.end() ? std::nullopt : found->second;
  }
  listing.add(table_columns(), rows);
  listing.text += table_text(known);
  listing.notes.insert(listing.notes.end(), known.notes.begin(), known.notes.end());
}

// The chip's rows are there without CUPTI too; with it, each says in how many passes it is counted.
void add_metric_check(const MetricCheck& check, const KnownCounters& known, Listing& listing) {
  Table table({{"counter", Align::left}, {"passes"}});
  for (const auto& row : known.counters)
    if (const auto found = check.passes.find(row.counter.name); found != check.passes.end() && found->second.value_or(0) > 1)
      table.add({found->first, std::to_string(*found->second)});
  listing.notes.push_back(check.note);
  listing.text += "\n" + wrapped(check.note, 116, "") + "\n";
  if (!table.empty()) listing.text += "\nCounted in more than one pass, each of which runs the work again\n\n" + table.text();
}

Listing list_family(const std::string& family) {
  Listing listing;
  const auto known = counters_of_family(all_event_tables(), family);
  listing.text = fmt::format("Event table {}\n\n", known.family);
  if (known.chips.empty()) {
    add_table_counters(known, listing);
    return listing;
  }
  const MetricCheck check = check_metrics(known);
  add_table_counters(known, listing, &check);
  add_metric_check(check, known, listing);
  return listing;
}

/// The rows of PLUMBLINE_EVENTS_PATH, out of the others.
KnownCounters take_users(KnownCounters& known) {
  KnownCounters users{.family = known.family};
  const auto first =
      std::stable_partition(known.counters.begin(), known.counters.end(), [](const TableCounter& row) { return !row.of_user; });
  users.counters.assign(std::make_move_iterator(first), std::make_move_iterator(known.counters.end()));
  known.counters.erase(first, known.counters.end());
  return users;
}

/// The user's own come first.
void add_counters_of_this_cpu(Listing& listing) {
  auto known = counters_for(all_event_tables(), identity_of(this_cpu()));
  if (known.family.empty()) {
    const auto note = fmt::format(
        "no event table for {} ({} family {} model {}): its hardware counters have no known meaning; PLUMBLINE_EVENTS_PATH adds one",
        this_cpu().name, this_cpu().vendor, this_cpu().family, this_cpu().model);
    listing.notes.push_back(note);
    listing.text += "\n" + wrapped(note, 116, "") + "\n";
    return;
  }
  if (const KnownCounters users = take_users(known); !users.counters.empty()) {
    listing.text += "\nYour own counters, by PLUMBLINE_EVENTS_PATH\n\n";
    add_table_counters(users, listing);
  }
  listing.text +=
      fmt::format("\nHardware counters of this CPU by event table {} (plumbline doctor: which of them can be used here)\n\n", known.family);
  add_table_counters(known, listing);
}

void add_counters_of_this_gpu(Listing& listing) {
  const std::string chip = cupti_chip_here();
  if (chip.empty()) return;  // the backend said why
  const auto known = counters_for_chip(all_event_tables(), chip);
  if (known.family.empty()) return;
  listing.text += fmt::format("\nCounters of this node's GPU ({}) by event table {}\n\n", chip, known.family);
  add_table_counters(known, listing);
}

/// Something that can be counted by a name: an event, a component of events, or a counter that is formed from events.
struct Countable {
  std::string name, backend, unit, description;
  Availability here;
  std::string cell = {}, by = {};  // what people see in the place of the description; the events of a counter
};

/// `cells`: the columns that people see.
Columns<Countable> countable_columns(const char* kind, const Columns<Countable>& cells) {
  using Row = Countable;
  Columns<Row> columns{{"kind", "kind of thing that the row is of", Json{{"const", kind}}, [kind](const Row&) { return kind; }},
                       {"name", "name by which campaigns name it", &Row::name},
                       {"backend", "what counts it", &Row::backend},
                       {"unit", "what it counts; null for components", [](const Row& row) { return OrNull{row.unit}; }},
                       {"description", "what is counted, in words", &Row::description},
                       {"status", "ok, or in a word why it cannot be counted here", [](const Row& row) { return row.here.status; }},
                       {"reason", "why it cannot be counted here", [](const Row& row) { return OrNull{row.here.reason}; }}};
  columns.append(cells);
  return columns;
}

Column<Countable> left_cell(const char* heading, std::string Countable::*cell) {
  return {Heading{heading, Align::left}, [cell](const Countable& row) { return row.*cell; }};
}

Columns<Countable> event_columns() {
  return countable_columns(
      "event", {left_cell("event", &Countable::name), left_cell("unit", &Countable::unit), left_cell("counts", &Countable::cell)});
}

Columns<Countable> component_columns() {
  return countable_columns("component", {left_cell("component of PAPI", &Countable::name), left_cell("for", &Countable::description),
                                         left_cell("here", &Countable::cell)});
}

Columns<Countable> formed_columns() {
  return countable_columns(
      "counter", {left_cell("counter", &Countable::name), left_cell("claims to see", &Countable::cell), left_cell("by", &Countable::by)});
}

/// Appends a backend's events: one table, what stands in the way of them, and their number to the summary.
void list_events(Listing& listing, Table& summary, const BackendEntry& backend, const BackendFacts& facts) {
  const bool emulated = backend.name == "emulated";  // which is counted by a worker, not in this process
  const Availability usable = emulated ? find_emulator().availability : make_backend(backend.name, {}, facts)->availability();
  std::vector<Countable> rows;
  std::size_t usable_events = 0;
  for (const auto& event : backend.events(facts)) {
    const Availability& here = emulated && !usable.ok() ? usable : event.availability;  // others say it of each event
    usable_events += here.ok();
    rows.push_back({event.name, std::string(backend.name), event.unit, event.description, here,
                    event.description + (event.availability.ok() ? "" : " (" + event.availability.reason + ")")});
  }
  summary.add({std::string(backend.name), std::to_string(rows.size()), std::to_string(usable_events)});
  listing.add(event_columns(), rows);
  listing.text += fmt::format("\nEvents of backend {}: {}\n\n{}", backend.name,
                              usable.ok() ? "usable here" : fmt::format("{} ({})", to_string(usable.status), usable.reason),
                              aligned(event_columns(), rows));
  if (!usable.ok()) listing.notes.push_back(fmt::format("{}: {}", backend.name, usable.reason));
}

void list_papi_components(Listing& listing) {
  std::vector<Countable> rows;
  for (const auto& [name, unit, description, here] : papi_components())
    rows.push_back({name, "papi", "", description, here, here.ok() ? "ok" : here.reason});
  listing.add(component_columns(), rows);
  if (!rows.empty()) listing.text += "\n" + aligned(component_columns(), rows);
}

void append(Listing&& part, Listing& listing) {
  for (auto& row : part.rows) listing.rows.push_back(std::move(row));
  listing.notes.insert(listing.notes.end(), part.notes.begin(), part.notes.end());
  listing.text += part.text;
}

/// Counters that are formed from events, all of them usable where those are.
std::vector<Countable> formed_from(std::span<const Counter> counters, const Availability& here) {
  std::vector<Countable> rows;
  for (const auto& counter : counters) {
    const std::string terms = terms_text(counter),
                      claim = fmt::format("{} ({} convention)", counter.claim(), to_string(counter.convention));
    rows.push_back({counter.name, counter.backend, counter.kind == Kind::flops ? "operations" : "bytes",
                    fmt::format("{} by {}", claim, terms), here, claim, terms});
  }
  return rows;
}

Listing list_counters() {
  Listing listing, events;
  const BackendFacts facts = backend_facts(this_topology());
  Table summary({{"backend", Align::left}, {"events"}, {"usable here"}});
  for (const auto& backend : backends()) list_events(events, summary, backend, facts);
  list_papi_components(events);
  listing.text =
      summary.text() + "\nBelow: counters of this CPU, of this node's GPU, counters formed from events, and the events themselves\n";
  add_counters_of_this_cpu(listing);
  add_counters_of_this_gpu(listing);
  auto formed = formed_from(known_counters(), find_emulator().availability);
  for (auto& row : formed_from(disassembled_counters(), code_of_module().here)) formed.push_back(std::move(row));
  listing.add(formed_columns(), formed);
  listing.text += fmt::format("\nCounters formed from events, which 'plumbline score' judges\n\n{}", aligned(formed_columns(), formed));
  append(std::move(events), listing);
  return listing;
}

// The remark at the head of a campaign says what it is for.
std::string first_remark(const fs::path& file) {
  std::ifstream in(file);
  std::string line;
  if (!std::getline(in, line) || !line.starts_with("#")) return "";
  return line.substr(std::min(line.find_first_not_of("# "), line.size()));
}

struct ListedCampaign {
  std::string name, file, remark, broken;  // broken: why it cannot be run
};

ListedCampaign listed(const fs::path& file) {
  ListedCampaign campaign{file.stem().string(), file.string(), first_remark(file), ""};
  try {
    campaign.name = read_campaign(file.string()).name;
  } catch (const Error& broken) {
    campaign.broken = broken.what();
  }
  return campaign;
}

Columns<ListedCampaign> campaign_columns() {
  using Row = ListedCampaign;
  return {Column<Row>("campaign", "name of the campaign", &Row::name).in_row("campaign", Align::left),
          Column<Row>("file", "where it is", &Row::file).in_row("file", Align::left),
          Column<Row>("summary", "what it is for", [](const Row& row) { return OrNull{row.remark}; })
              .in_row("for", Align::left, [](const Row& row) { return row.broken.empty() ? row.remark : "cannot be run: " + row.broken; }),
          {"status", "ok, or failed: it cannot be run", [](const Row& row) { return row.broken.empty() ? "ok" : "failed"; }},
          {"reason", "why it cannot be run", [](const Row& row) { return OrNull{row.broken}; }}};
}

Listing list_campaigns() {
  Listing listing;
  std::vector<ListedCampaign> rows;
  for (const auto& file : shared_campaigns()) rows.push_back(listed(file));
  if (rows.empty())
    listing.notes.push_back("no campaigns are installed here: write one (jobs/campaigns/README.md) and name it to 'plumbline run'");
  listing.add(campaign_columns(), rows);
  listing.text = aligned(campaign_columns(), rows);
  for (const auto& note : listing.notes) listing.text += note + "\n";
  return listing;
}

Exit show_listing(const std::string& what, const Listing& listing, Format format) {
  if (format == Format::json)
    print(document("list", "", listing.rows, listing.notes, {{"what", what}}) + "\n");
  else if (format == Format::markdown)
    print(listing.tables + markdown_notes(listing.notes));
  else
    print(format == Format::csv ? csv(listing.rows) : listing.text);
  return Exit::ok;
}

}  // namespace

Json list_schema() {
  Json row{{"anyOf",
            {row_schema(kernel_columns()), row_schema(event_columns()), row_schema(component_columns()), row_schema(formed_columns()),
             row_schema(table_columns()), row_schema(campaign_columns()), listed_ceiling_schema()}}};
  const Json what{
      {"type", "object"}, {"properties", {{"what", {{"enum", {"kernels", "counters", "campaigns", "ceilings"}}}}}}, {"required", {"what"}}};
  return document_schema("list", "Kernels, counters, campaigns or ceilings that this program knows", row, what);
}

void add_list(CLI::App& app, Action& chosen) {
  auto* command = app.add_subcommand("list", "kernels, counters, campaigns or ceilings that this program knows");
  command->require_subcommand(1);
  struct Entry {
    const char *name, *help;
    Listing (*list)();
  };
  static constexpr Entry entries[] = {{"kernels", "kernels with their parameters, precisions and flavors", list_kernels},
                                      {"counters", "what can be counted, and the counters that are judged", list_counters},
                                      {"campaigns", "campaign files that come with plumbline", list_campaigns},
                                      {"ceilings", "ceilings that campaigns measure on this machine, by mode", list_ceilings}};
  for (const auto& entry : entries) {
    auto* one = command->add_subcommand(entry.name, entry.help);
    auto format = std::make_shared<Format>(Format::text);
    auto family = std::make_shared<std::string>();
    add_format_options(*one, *format);
    if (entry.name == std::string_view("counters"))
      one->add_option("--family", *family, "the event table of another family of CPUs or of a GPU, e.g. amd-zen5, nvidia-gh100");
    one->callback([&chosen, format, family, &entry] {
      chosen = [format, family, &entry] {
        return show_listing(entry.name, family->empty() ? entry.list() : list_family(*family), *format);
      };
    });
  }
}

}  // namespace plumbline::app
