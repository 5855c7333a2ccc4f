#include "counters/tables/event_keys.hpp"

namespace plumbline {
namespace {

using namespace key_schema;

const WrittenKey schema_key{"schema", R"({"const":"plumbline-events/1"})", "what the file is", true};
const WrittenKey family{"family", R"({"type":"string","minLength":1})", "a name for this family of CPUs or GPUs", true};
const WrittenKey counters{"counter", R"({"type":"array","items":{"$ref":"#/$defs/counter"}})", "its counters", true};
constexpr std::string_view match_schema =
    R"({"anyOf":[{"$ref":"#/$defs/match"},{"type":"array","items":{"$ref":"#/$defs/match"},"minItems":1}]})";
constexpr std::string_view full_word = R"({"type":"string","minLength":1})";
constexpr std::string_view list = R"({"type":"array","items":{"type":"string"}})";
constexpr std::string_view range = R"({"type":"array","items":{"type":"integer","minimum":0},"minItems":2,"maxItems":2})";

const WrittenKey name{"name", full_word, "the counter's name", true};
const WrittenKey sees{"sees", R"({"type":"array","items":{"type":"string"},"minItems":1})", "quantities whose sum it claims to see", true};
const WrittenKey terms{"terms", R"({"type":"array","items":{"$ref":"#/$defs/term"},"minItems":1})", "its events, weighted", true};
const WrittenKey errata{"errata", list, "what is known to be wrong with it, in sentences"};
const WrittenKey source{"source", full_word, "the document, with section or table", true};

const WrittenKey event{"event", full_word, "the event's name", true};
const WrittenKey kind{"kind", R"({"enum":["add","mul","fma"]})", "kind of arithmetic that it counts"};

WrittenFile of_cpus() {
  return {
      "Counters of a family of CPUs",
      {{"events",
        {schema_key,
         family,
         {"backend", R"({"enum":["perf_event","papi"]})", "what counts them; preset: perf_event"},
         {"match", match_schema, "CPUs that the table is for; may be left out of tables for papi"},
         {"libpfm4", full_word, "the core's PMU in libpfm4"},
         counters}},
       {"counter",
        {name,
         sees,
         terms,
         {"slots", R"({"type":"integer","minimum":1,"maximum":64})", "hardware counters that it takes at once", true},
         {"scope", R"({"enum":["core","socket"]})", "whom it counts for", true},
         {"not_with", list, "counters that it cannot stand beside"},
         errata,
         source,
         {"checked", R"({"type":"string","pattern":"^(libpfm4 .*|vendor manual, unchecked)$"})", "what its codes were checked against",
          true}}},
       {"term",
        {event,
         {"raw", R"({"type":"string","pattern":"^0x[0-9a-fA-F]{1,16}$"})", "its code"},
         {"weight", R"({"anyOf":[{"const":"line"},{"type":"number","exclusiveMinimum":0}]})",
          "bytes or operations of one count; line: a cache line", true},
         kind,
         {"pmu", full_word, "the PMU's name in /sys/bus/event_source/devices"},
         {"libpfm4", full_word, "a PMU of libpfm4"},
         {"only_slots", R"({"type":"array","items":{"type":"integer","minimum":0,"maximum":63}})", "hardware counters that can count it"}}},
       {"match",
        {{"vendor", full_word, "as CPUID says it", true},
         {"family", R"({"type":"integer","minimum":0,"maximum":65536})", "family of the CPU"},
         {"models", range, "first and last model", true},
         {"steppings", range, "first and last stepping"}}}}};
}

WrittenFile of_gpus() {
  return {"Counters of a family of GPUs",
          {{"events",
            {schema_key,
             family,
             {"backend", R"({"const":"cupti"})", "what counts them", true},
             {"match", match_schema, "chips that the table is for", true},
             counters}},
           {"counter",
            {name,
             sees,
             terms,
             {"scope", R"({"enum":["sm","device"]})", "whom it counts for", true},
             errata,
             source,
             {"checked", R"({"type":"string","pattern":"^(CUPTI .*|vendor manual, unchecked)$"})", "what its metrics were checked against",
              true}}},
           {"term",
            {{"event", R"({"type":"string","pattern":"^.+__.*[.].+$"})", "a metric of CUPTI with its rollup", true},
             {"weight", positive, "bytes or operations of one count", true},
             kind}},
           {"match", {{"chip", R"({"type":"string","pattern":"^[A-Z0-9]+$"})", "a chip as CUPTI calls it: GH100", true}}}}};
}

}  // namespace

WrittenFile event_table_file(bool of_gpu) { return of_gpu ? of_gpus() : of_cpus(); }

}  // namespace plumbline
