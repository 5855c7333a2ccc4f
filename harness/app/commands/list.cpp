// The command plumbline list shows the kernels, counters, campaigns and ceilings that this program knows.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <memory>

#include "app/commands/command.hpp"
#include "app/here/campaign_files.hpp"
#include "app/here/event_rows.hpp"
#include "app/here/gpus.hpp"
#include "app/here/metric_check.hpp"
#include "app/stages/ceiling_names.hpp"
#include "app/stages/ceilings_stage.hpp"
#include "app/stages/gpu_ceilings_plan.hpp"
#include "app/stages/mpi_ceilings_stage.hpp"
#include "app/terminal/streams.hpp"
#include "app/terminal/table.hpp"
#include "campaign/campaign.hpp"
#include "counters/cupti/cupti.hpp"
#include "counters/papi/papi.hpp"
#include "counters/registry.hpp"
#include "counters/sass/disassembled.hpp"
#include "ert/ceiling_plan.hpp"
#include "machine/cpu.hpp"
#include "machine/memory.hpp"
#include "machine/topology.hpp"
#include "measure/worker.hpp"
#include "model/scoring/accuracy.hpp"

namespace plumbline::app {
namespace {

namespace fs = std::filesystem;

/// A listing: rows for programs, and the same as text.
struct Listing {
  Json rows = Json::array();
  std::vector<std::string> notes;
  std::string text;
};

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

Listing list_kernels() {
  Listing listing;
  for (const Kernel& kernel : kernels()) {
    Json parameters = Json::array();
    const auto flavors = flavor_names(kernel);
    const char* space = kernel.space == Space::cuda ? "GPU" : "CPU";
    listing.text +=
        fmt::format("{}{}\n{}\n", kernel.name, kernel.space == Space::cuda ? " on GPUs" : "", wrapped(kernel.summary, 116, "    "));
    for (const auto& p : kernel.parameters) {
      Json one{{"name", p.name}, {"preset", value_json(p.preset)}, {"description", p.description}};
      if (!p.choices.empty()) one["choices"] = p.choices;
      if (p.choices.empty()) one["min"] = p.min, one["max"] = p.max;
      parameters.push_back(std::move(one));
      listing.text += fmt::format("    {:<10} {} (preset {}; {})\n", p.name, p.description, to_string(p.preset), allowed_text(p));
    }
    listing.text +=
        wrapped(fmt::format("precisions: {}; flavors: {}", fmt::join(kernel.precisions, " "), fmt::join(flavors, " ")), 116, "    ") + "\n";
    Json absent = Json::array();
    for (const auto& one : kernel.absent_flavors()) {
      absent.push_back({{"flavor", one.name}, {"status", "unavailable"}, {"reason", one.reason}});
      listing.text += wrapped(fmt::format("not here: {}: {}", one.name, one.reason), 116, "    ") + "\n";
    }
    listing.rows.push_back({{"kernel", kernel.name},
                            {"space", space},
                            {"summary", kernel.summary},
                            {"parameters", parameters},
                            {"precisions", kernel.precisions},
                            {"flavors", flavors},
                            {"absent_flavors", absent}});
  }
  if (const OpenedGpuModule& module = module_for_gpus(); module.module == nullptr) {
    listing.notes.push_back(module.why_not);
    listing.text += "\n" + wrapped(module.why_not, 116, "") + "\n";
  }
  return listing;
}

void add_table_counters(const KnownCounters& known, Listing& listing) {
  for (const auto& row : known.counters) listing.rows.push_back(table_row(known.family, row));
  listing.text += table_text(known);
  listing.notes.insert(listing.notes.end(), known.notes.begin(), known.notes.end());
}

// The chip's rows are there without CUPTI too; with it, each says in how many passes it is counted.
void add_metric_check(const KnownCounters& known, Listing& listing) {
  const MetricCheck check = check_metrics(known);
  Table table({{"counter", Align::left}, {"passes"}});
  for (auto& row : listing.rows) {
    const auto found = check.passes.find(row["name"].get<std::string>());
    const bool counted = found != check.passes.end() && found->second;
    row["passes"] = counted ? Json(*found->second) : Json();
    if (counted && *found->second > 1) table.add({found->first, std::to_string(*found->second)});
  }
  listing.notes.push_back(check.note);
  listing.text += "\n" + wrapped(check.note, 116, "") + "\n";
  if (!table.empty()) listing.text += "\nCounted in more than one pass, each of which runs the work again\n\n" + table.text();
}

Listing list_family(const std::string& family) {
  Listing listing;
  const auto known = counters_of_family(all_event_tables(), family);
  listing.text = fmt::format("Event table {}\n\n", known.family);
  add_table_counters(known, listing);
  if (!known.chips.empty()) add_metric_check(known, listing);
  return listing;
}

void add_counters_of_this_cpu(Listing& listing) {
  const auto known = counters_for(all_event_tables(), identity_of(this_cpu()));
  if (known.family.empty()) {
    const auto note = fmt::format(
        "no event table for {} ({} family {} model {}): its hardware counters have no known meaning; PLUMBLINE_EVENTS_PATH adds one",
        this_cpu().name, this_cpu().vendor, this_cpu().family, this_cpu().model);
    listing.notes.push_back(note);
    listing.text += "\n" + wrapped(note, 116, "") + "\n";
    return;
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

/// Appends a backend's events: one table, and what stands in the way of them.
void list_events(Listing& listing, const BackendEntry& backend) {
  const bool emulated = backend.name == "emulated";  // which is counted by a worker, not in this process
  const Availability usable = emulated ? find_emulator().availability : make_backend(backend.name)->availability();
  Table table({{"event", Align::left}, {"unit", Align::left}, {"counts", Align::left}});
  for (const auto& event : backend.events()) {
    const Availability& here = emulated && !usable.ok() ? usable : event.availability;  // others say it of each event
    listing.rows.push_back({{"kind", "event"},
                            {"name", event.name},
                            {"backend", backend.name},
                            {"unit", event.unit},
                            {"description", event.description},
                            {"status", to_string(here.status)},
                            {"reason", text_or_null(here.reason)}});
    table.add({event.name, event.unit, event.description + (event.availability.ok() ? "" : " (" + event.availability.reason + ")")});
  }
  listing.text += fmt::format("Backend {}: {}\n\n{}\n", backend.name,
                              usable.ok() ? "usable here" : fmt::format("{} ({})", to_string(usable.status), usable.reason),
                              table.empty() ? "" : table.text());
  if (!usable.ok()) listing.notes.push_back(fmt::format("{}: {}", backend.name, usable.reason));
}

void list_papi_components(Listing& listing) {
  Table table({{"component of PAPI", Align::left}, {"for", Align::left}, {"here", Align::left}});
  for (const auto& [name, unit, description, here] : papi_components()) {
    listing.rows.push_back({{"kind", "component"},
                            {"name", name},
                            {"backend", "papi"},
                            {"unit", nullptr},
                            {"description", description},
                            {"status", to_string(here.status)},
                            {"reason", text_or_null(here.reason)}});
    table.add({name, description, here.ok() ? "ok" : here.reason});
  }
  if (!table.empty()) listing.text += table.text() + "\n";
}

/// Counters that are formed from events, all of them usable where those are.
void list_formed(Listing& listing, Table& formed, std::span<const Counter> counters, const Availability& here) {
  for (const auto& counter : counters) {
    const std::string terms = terms_text(counter);
    listing.rows.push_back({{"kind", "counter"},
                            {"name", counter.name},
                            {"backend", counter.backend},
                            {"unit", counter.kind == Kind::flops ? "operations" : "bytes"},
                            {"description", fmt::format("{} ({} convention) by {}", counter.claim(), to_string(counter.convention), terms)},
                            {"status", to_string(here.status)},
                            {"reason", text_or_null(here.reason)}});
    formed.add({counter.name, fmt::format("{} ({} convention)", counter.claim(), to_string(counter.convention)), terms});
  }
}

Listing list_counters() {
  Listing listing;
  tell_backends(this_topology());
  for (const auto& backend : backends()) list_events(listing, backend);
  list_papi_components(listing);
  Table formed({{"counter", Align::left}, {"claims to see", Align::left}, {"by", Align::left}});
  list_formed(listing, formed, known_counters(), find_emulator().availability);
  list_formed(listing, formed, disassembled_counters(), make_backend("disassembled")->availability());
  listing.text += fmt::format("Counters formed from events, which 'plumbline score' judges\n\n{}", formed.text());
  add_counters_of_this_cpu(listing);
  add_counters_of_this_gpu(listing);
  return listing;
}

// The remark at the head of a campaign says what it is for.
std::string first_remark(const fs::path& file) {
  std::ifstream in(file);
  std::string line;
  if (!std::getline(in, line) || !line.starts_with("#")) return "";
  return line.substr(std::min(line.find_first_not_of("# "), line.size()));
}

Listing list_campaigns() {
  Listing listing;
  const auto files = shared_campaigns();
  if (files.empty())
    listing.notes.push_back("no campaigns are installed here: write one (jobs/campaigns/README.md) and name it to 'plumbline run'");
  Table table({{"campaign", Align::left}, {"file", Align::left}, {"for", Align::left}});
  for (const auto& file : files) {
    std::string name = file.stem().string(), reason;
    try {
      name = read_campaign(file.string()).name;
    } catch (const Error& broken) {
      reason = broken.what();
    }
    const auto remark = first_remark(file);
    table.add({name, file.string(), reason.empty() ? remark : "cannot be run: " + reason});
    listing.rows.push_back({{"campaign", name},
                            {"file", file.string()},
                            {"summary", text_or_null(remark)},
                            {"status", reason.empty() ? "ok" : "failed"},
                            {"reason", text_or_null(reason)}});
  }
  if (!table.empty()) listing.text = table.text();
  for (const auto& note : listing.notes) listing.text += note + "\n";
  return listing;
}

/// A row for each ceiling of a full plan; `needs`: what this machine may lack for it.
void add_ceilings(std::span<const CeilingCase> all, std::span<const CeilingCase> quick, const std::string& needs, Table& table,
                  Listing& listing) {
  const auto same = [](const CeilingCase& a, const CeilingCase& b) {
    return a.name == b.name && a.precision == b.precision && a.level == b.level && a.pattern == b.pattern;
  };
  for (auto one = all.begin(); one != all.end(); ++one) {
    if (std::any_of(all.begin(), one, [&](const auto& earlier) { return same(earlier, *one); })) continue;
    const auto points = std::count_if(all.begin(), all.end(), [&](const auto& other) { return same(other, *one); });
    const auto& kernel = one->measured.kernel->name;
    const char* mode =
        std::any_of(quick.begin(), quick.end(), [&](const auto& other) { return same(other, *one); }) ? "quick, full" : "full";
    table.add({one->name, one->precision, one->level, one->pattern, one->unit, std::to_string(points), mode,
               needs.empty() ? kernel : fmt::format("{}; needs {}", kernel, needs)});
    listing.rows.push_back({{"ceiling", one->name},
                            {"precision", one->precision},
                            {"level", one->level},
                            {"pattern", one->pattern},
                            {"unit", one->unit},
                            {"points", points},
                            {"mode", mode},
                            {"needs", needs},
                            {"kernel", kernel},
                            {"flavor", one->measured.flavor.name}});
  }
}

// Lists the ceilings that the modes would measure on one core of this machine, on a GPU, and between ranks.
Listing list_ceilings() {
  Listing listing;
  const Topology node = this_topology();
  const CeilingTeam alone{.team = {1, 1}};
  Table table({{"ceiling", Align::left},
               {"precision", Align::left},
               {"level", Align::left},
               {"pattern", Align::left},
               {"unit", Align::left},
               {"points"},
               {"mode", Align::left},
               {"kernel", Align::left}});
  const auto of_mode = [&](CeilingMode mode) {
    return plan_ceilings(mode, this_cpu().isas, last_caches_of(node), memory_available_bytes(), std::span(&alone, 1));
  };
  const auto all = of_mode(CeilingMode::full);
  add_ceilings(all, of_mode(CeilingMode::quick), "", table, listing);
  add_ceilings(ceilings_of_any_gpu(CeilingMode::full), ceilings_of_any_gpu(CeilingMode::quick), "a GPU", table, listing);
  if (Communicator::has_mpi())
    for (const auto& one : plan_mpi_ceilings(CeilingsMode::full)) {
      table.add({one.name, "-", "mpi", one.pattern, one.unit, std::to_string(one.points), "quick, full",
                 fmt::format("messages; needs {}", lacking({}, one.reach))});
      listing.rows.push_back({{"ceiling", one.name},
                              {"precision", "-"},
                              {"level", "mpi"},
                              {"pattern", one.pattern},
                              {"unit", one.unit},
                              {"points", one.points},
                              {"mode", "quick, full"},
                              {"needs", lacking({}, one.reach)},
                              {"kernel", "messages"},
                              {"flavor", "-"}});
    }
  if (all.empty()) listing.notes.push_back("no flavor of the ceiling kernels runs on this CPU");
  listing.text = table.text();
  return listing;
}

Exit show(const std::string& what, const Listing& listing, Format format) {
  if (format == Format::json)
    print(document("list", "", listing.rows, listing.notes, {{"what", what}}) + "\n");
  else
    print(format == Format::csv ? csv(listing.rows) : listing.text);
  return Exit::ok;
}

}  // namespace

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
      chosen = [format, family, &entry] { return show(entry.name, family->empty() ? entry.list() : list_family(*family), *format); };
    });
  }
}

}  // namespace plumbline::app
