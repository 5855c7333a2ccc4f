// plumbline schema: the JSON Schemas (draft 2020-12) of what this program reads and prints.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "app/commands/command.hpp"
#include "app/commands/schemas.hpp"
#include "app/expectations/expectation_file.hpp"
#include "app/nights/check_report.hpp"
#include "app/nights/history_report.hpp"
#include "app/nodes/health_report.hpp"
#include "app/nodes/node_report.hpp"
#include "app/results/projection_record_file.hpp"
#include "app/results/projection_spec.hpp"
#include "app/terminal/streams.hpp"
#include "campaign/campaign_keys.hpp"
#include "campaign/suggest.hpp"
#include "counters/tables/event_keys.hpp"

namespace plumbline::app {
namespace {

constexpr const char* draft = "https://json-schema.org/draft/2020-12/schema";

Json table_schema(const WrittenKeys& table) {
  Json schema{{"type", "object"}, {"properties", Json::object()}, {"required", Json::array()}, {"additionalProperties", false}};
  for (const auto& key : table.keys) {
    Json value = Json::parse(key.schema);
    value["description"] = key.meaning;
    schema["properties"][std::string(key.name)] = std::move(value);
    if (key.required) schema["required"].push_back(key.name);
  }
  return schema;
}

/// The file's own table, with those inside it as definitions.
Json file_schema(const WrittenFile& file) {
  Json schema{{"$schema", draft}, {"title", file.tables.front().table}, {"description", file.meaning}};
  schema.update(table_schema(file.tables.front()));
  for (std::size_t i = 1; i < file.tables.size(); ++i) schema["$defs"][std::string(file.tables[i].table)] = table_schema(file.tables[i]);
  return schema;
}

Json campaign_schema() {
  Json schema = file_schema(campaign_file());
  schema["$defs"]["value"] = {{"anyOf", {{{"type", "integer"}}, {{"type", "string"}}, {{"$ref", "#/$defs/range"}}}},
                              {"description", "of a kernel's parameter"}};
  return schema;
}

/// Definitions of one kind of event table beside those of the other: references say which kind.
void define(Json& schema, const std::string& kind, const WrittenFile& file) {
  std::string text = file_schema(file).dump();
  const std::string place = "#/$defs/";
  for (auto at = text.find(place); at != std::string::npos; at = text.find(place, at + 1)) text.insert(at + place.size(), kind + "_");
  Json own = Json::parse(text);
  for (const auto& [name, table] : own["$defs"].items()) schema["$defs"][kind + "_" + name] = table;
  for (const char* key : {"$schema", "$defs"}) own.erase(key);
  schema["$defs"][kind] = std::move(own);
}

/// A table is of GPUs where its backend is.
Json events_schema() {
  const Json of_gpu{{"properties", {{"backend", {{"const", "cupti"}}}}}, {"required", {"backend"}}};
  Json schema{{"$schema", draft},
              {"title", "events"},
              {"description", "An event table"},
              {"if", of_gpu},
              {"then", {{"$ref", "#/$defs/gpu"}}},
              {"else", {{"$ref", "#/$defs/cpu"}}}};
  define(schema, "cpu", event_table_file(false));
  define(schema, "gpu", event_table_file(true));
  return schema;
}

struct NamedSchema {
  const char *name, *of;
  Json (*make)();
};

constexpr std::array schemas{
    NamedSchema{"app", "a program's parts, for plumbline project (TOML)", [] { return file_schema(app_file()); }},
    NamedSchema{"campaign", "a campaign (TOML)", campaign_schema},
    NamedSchema{"counter-set", "counters that plumbline score chose (TOML)", [] { return file_schema(counter_set_file()); }},
    NamedSchema{"events", "an event table (TOML)", events_schema},
    NamedSchema{"expectations", "expectations, for plumbline expect (TOML)", [] { return file_schema(expectations_file()); }},
    NamedSchema{"machine", "a machine, for plumbline slurm (TOML)", [] { return file_schema(machine_file()); }},
    NamedSchema{"spec", "a node's ceilings, for plumbline project (TOML)", [] { return file_schema(spec_file()); }},
    NamedSchema{"ceilings", "plumbline ceilings --json", ceilings_schema},
    NamedSchema{"check", "plumbline check --json", check_schema},
    NamedSchema{"compare", "plumbline compare --json", compare_schema},
    NamedSchema{"compare-profile", "plumbline compare --json, of two profiles", compare_profile_schema},
    NamedSchema{"doctor", "plumbline doctor --json", doctor_schema},
    NamedSchema{"expect", "plumbline expect --json", expect_schema},
    NamedSchema{"health", "plumbline health --json", health_schema},
    NamedSchema{"history", "plumbline history --json", history_schema},
    NamedSchema{"list", "plumbline list ... --json", list_schema},
    NamedSchema{"nodes", "plumbline nodes --json", nodes_schema},
    NamedSchema{"profile", "plumbline profile --json", profile_schema},
    NamedSchema{"project", "plumbline project --json", project_schema},
    NamedSchema{"project-matrix", "plumbline project --matrix --json", project_matrix_schema},
    NamedSchema{"project-scaling", "plumbline project --nodes --json", project_scaling_schema},
    NamedSchema{"record", "a record of projections, for plumbline project --record (JSON)", record_schema},
    NamedSchema{"score", "plumbline score --json", score_schema},
    NamedSchema{"show", "plumbline show --json", show_schema},
    NamedSchema{"show-machine", "plumbline show --machine --json", show_machine_schema},
};

Exit print_schema(const std::string& name) {
  if (name.empty()) {
    Table table({{"schema", Align::left}, {"of", Align::left}});
    for (const auto& one : schemas) table.add({one.name, one.of});
    print(table.text());
    return Exit::ok;
  }
  std::vector<std::string> names;
  for (const auto& one : schemas) {
    if (name == one.name) {
      print(one.make().dump(1) + "\n");
      return Exit::ok;
    }
    names.emplace_back(one.name);
  }
  throw user_error(fmt::format("there is no schema {}{}", in_quotes(name), suggestion(name, names)));
}

}  // namespace

void add_schema(CLI::App& app, Action& chosen) {
  auto* command = app.add_subcommand("schema", "prints the JSON Schema of a file that is read, or of what a command prints with --json");
  auto name = std::make_shared<std::string>();
  command->add_option("NAME", *name, "which one; without it their names are listed");
  command->callback([&chosen, name] { chosen = [name] { return print_schema(*name); }; });
}

}  // namespace plumbline::app
