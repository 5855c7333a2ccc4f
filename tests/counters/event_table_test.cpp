// Event tables may hold some things, a bad one is refused, and a CPU gets its rows.
#include "counters/tables/event_table.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <set>

#include "core/error.hpp"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

const std::string head = "schema = \"plumbline-events/1\"\nfamily = \"test\"\nmatch = {vendor=\"V\", family=1, models=[2, 3]}\n";
const std::string row =
    "[[counter]]\nname = \"fills\"\nsees = [\"bytes.L1-L2.rfo\"]\nterms = [{event=\"E\", raw=\"0x1ff03\", weight=64}]\nslots = 1\nscope = "
    "\"core\"\n"
    "source = \"a manual\"\nchecked = \"vendor manual, unchecked\"\n";

class Files : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder_ = fs::path(testing::TempDir()) /
                                     (testing::UnitTest::GetInstance()->current_test_info()->name() + std::to_string(getpid())));
  }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }
  std::string refusal(const std::string& text) const {
    try {
      read_event_table(write("bad.toml", text));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Exit::user_error);
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << "one line";
      return error.what();
    }
    return "";
  }
  fs::path folder_;
};

using event_table = Files;

TEST_F(event_table, a_row_becomes_a_counter_with_its_events) {
  const auto table = read_event_table(write("t.toml", head + row));
  ASSERT_EQ(table.counters.size(), 1U);
  const auto& one = table.counters.front();
  EXPECT_EQ(one.counter.name, "fills");
  EXPECT_EQ(one.counter.backend, "perf_event");
  EXPECT_EQ(one.counter.kind, Kind::bytes);
  ASSERT_EQ(one.events.size(), 1U);
  EXPECT_EQ(one.events.front().raw, 0x1ff03U);
  EXPECT_EQ(one.counter.terms.front().weight, 64);
  EXPECT_EQ(one.written_at, "t.toml:4");
}

TEST_F(event_table, what_is_wrong_is_told_with_file_line_key_and_what_is_allowed) {
  const auto with = [&](const std::string& old, const std::string& now) {
    std::string text = head + row;
    return text.replace(text.find(old), old.size(), now);
  };
  const auto holds = [&](const std::string& text, std::initializer_list<const char*> parts) {
    const auto said = refusal(text);
    for (const char* part : parts) EXPECT_NE(said.find(part), std::string::npos) << part << " in: " << said;
  };
  holds(with("plumbline-events/1", "plumbline-campaign/1"), {"bad.toml:1:", "plumbline-events/1"});
  holds(with("rfo\"]", "refo\"]"), {"bad.toml:6:", "'sees'", "bytes.L1-L2.refo", "demand_read,rfo"});
  holds(with("0x1ff03", "1ff03"), {"bad.toml:7:", "'raw'", "0x1f03"});
  holds(with("weight=64", "weight=0"), {"bad.toml:7:", "'weight'", "greater than 0"});
  holds(with("weight=64", "weight=-64"), {"bad.toml:7:", "'weight'", "greater than 0"});
  holds(with("rfo\"]", "rfo\", \"flops.fp64\"]"), {"bad.toml:6:", "'sees'", "flops.fp64", "another unit"});
  holds(with("rfo\"]", "rfo\", \"bytes.L1-L2\"]"), {"bad.toml:6:", "'sees'", "claimed twice"});
  holds(with("rfo\"]", "rfo\", \"bytes.L1-L2.rfo\"]"), {"bad.toml:6:", "claimed twice"});
  holds(with("}]", "}, {event=\"E\", raw=\"0x1ff03\", weight=1}]"), {"bad.toml:7:", "'E' is there twice"});
  holds(with("}]", "}, {event=\"F\", raw=\"0x1\", weight=1}]"), {"bad.toml:8:", "'slots' is 1", "2 events"});
  holds(with("event=\"E\"", "event=\"task-clock\""), {"bad.toml:7:", "'task-clock'", "the kernel's own"});
  holds(with("\"core\"", "\"node\""), {"bad.toml:9:", "'scope'", "node", "socket"});
  holds(with("slots = 1", "slots = 0"), {"bad.toml:8:", "'slots'", "from 1 to 64"});
  holds(with("slots = 1", "slots = \"1\""), {"bad.toml:8:", "'slots'"});
  holds(with("slots = 1", "slot = 1"), {"bad.toml:8:", "'slot'", "slots"});
  holds(with("checked = \"vendor", "checked = \"my"), {"bad.toml:11:", "'checked'", "libpfm4"});
  holds(with("source = \"a manual\"\n", ""), {"bad.toml:4:", "'source'", "section"});
  holds(with("[2, 3]", "[3, 2]"), {"bad.toml:3:", "'models'", "[first, last]"});
  holds(with("raw=\"0x1ff03\", ", ""), {"bad.toml:7:", "'raw'", "pmu"});
  holds(with("family = \"test\"", "family = "), {"bad.toml:2:", "TOML"});
  holds(head + row + row, {"bad.toml:13:", "two counters named 'fills'"});
  EXPECT_THROW(read_event_tables({}, (folder_ / "absent.toml").string()), Error);
}

const std::string gpu_head = "schema = \"plumbline-events/1\"\nfamily = \"gpu\"\nbackend = \"cupti\"\nmatch = {chip=\"GH100\"}\n";
const std::string gpu_row =
    "[[counter]]\nname = \"reads\"\nsees = [\"bytes.L2-mem.demand_read\"]\nterms = [{event=\"dram__bytes_read.sum\", weight=1}]\n"
    "scope = \"device\"\nsource = \"a manual\"\nchecked = \"CUPTI 13.0 host API\"\n";

TEST_F(event_table, a_row_of_a_gpu_is_a_metric_with_its_rollup) {
  const auto table = read_event_table(write("t.toml", gpu_head + gpu_row));
  EXPECT_EQ(table.chips, std::vector<std::string>{"GH100"});
  ASSERT_EQ(table.counters.size(), 1U);
  EXPECT_EQ(table.counters[0].counter.backend, "cupti");
  EXPECT_EQ(table.counters[0].scope, Scope::device);
  const auto two = read_event_table(
      write("t.toml", std::string(gpu_head).replace(gpu_head.find("{chip"), 14, "[{chip=\"GH100\"}, {chip=\"GB100\"}]") + gpu_row));
  EXPECT_EQ(two.chips, (std::vector<std::string>{"GH100", "GB100"}));
}

TEST_F(event_table, what_a_table_of_a_gpu_may_not_hold_is_told) {
  const auto holds = [&](const std::string& old, const std::string& now, std::initializer_list<const char*> parts) {
    std::string text = gpu_head + gpu_row;
    const auto said = refusal(text.replace(text.find(old), old.size(), now));
    for (const char* part : parts) EXPECT_NE(said.find(part), std::string::npos) << part << " in: " << said;
  };
  holds("{chip=\"GH100\"}", "{vendor=\"V\", models=[1, 2]}", {"bad.toml:4:", "no key '", "known are chip"});
  holds("GH100", "gh100", {"bad.toml:4:", "'chip' is 'gh100'", "\"GH100\""});
  holds("match = {chip=\"GH100\"}\n", "", {"bad.toml:1:", "lacks 'match'", "{chip=...}"});
  holds("match", "libpfm4 = \"x\"\nmatch", {"bad.toml:4:", "no key 'libpfm4'"});
  holds("weight=1", "weight=1, raw=\"0x1\"", {"bad.toml:8:", "no key 'raw'", "event, weight"});
  holds("weight=1", "weight=\"line\"", {"bad.toml:8:", "'weight' must be a number greater than 0"});
  holds("scope", "slots = 1\nscope", {"bad.toml:9:", "no key 'slots'"});
  holds("\"device\"", "\"socket\"", {"bad.toml:9:", "'scope' is 'socket'", "sm", "device"});
  holds("read.sum", "read", {"bad.toml:8:", "'dram__bytes_read'", "rollup"});
  holds("dram__", "dram_", {"bad.toml:8:", "'dram_bytes_read.sum'", "rollup"});
  holds("CUPTI 13.0 host API", "libpfm4 4.13", {"bad.toml:11:", "'checked' is 'libpfm4 4.13'", "CUPTI VERSION"});
  holds("cupti", "cuda", {"bad.toml:3:", "'backend' is 'cuda'", "cupti"});
  holds("backend = \"cupti\"\n", "", {"bad.toml:3:", "no key 'chip'", "vendor"});
}

TEST_F(event_table, a_table_of_a_gpu_fits_no_cpu_and_no_other_chip) {
  const EventTables tables =
      read_event_tables({}, write("t.toml", gpu_head + gpu_row).string() + ":" + write("u.toml", head + row).string());
  for (const char* backend : {"perf_event", "papi", "cupti"})
    for (const auto& one : counters_for(tables, {"V", 1, 2, 0}, backend).counters) EXPECT_EQ(one.counter.name, "fills") << backend;
  EXPECT_FALSE(tables.users[0].fits({"V", 1, 2, 0}));
  ASSERT_EQ(counters_for_chip(tables, "GH100").counters.size(), 1U);
  EXPECT_EQ(counters_for_chip(tables, "GH100").counters[0].counter.name, "reads");
  EXPECT_EQ(counters_for_chip(tables, "GH100").chips, std::vector<std::string>{"GH100"});
  EXPECT_TRUE(counters_for_chip(tables, "GA100").counters.empty());
  EXPECT_TRUE(counters_for_chip(tables, "").counters.empty());
}

TEST_F(event_table, a_cpu_gets_the_rows_of_its_family_and_no_others) {
  const EventTables tables = read_event_tables({}, write("t.toml", head + row).string());
  EXPECT_EQ(counters_for(tables, {"V", 1, 2, 0}).counters.size(), 1U);
  EXPECT_EQ(counters_for(tables, {"V", 1, 4, 0}).counters.size(), 0U);
  EXPECT_EQ(counters_for(tables, {"V", 2, 2, 0}).counters.size(), 0U);
  EXPECT_EQ(counters_for(tables, {"W", 1, 2, 0}).family, "");
  EXPECT_EQ(counters_of_family(tables, "test").counters.size(), 1U);
  EXPECT_THROW(counters_of_family(tables, "tset"), Error);
}

TEST_F(event_table, an_event_means_one_code_and_a_table_for_another_cpu_is_mentioned) {
  std::string other = row;
  other.replace(other.find("fills"), 5, "other");
  other.replace(other.find("0x1ff03"), 7, "0x2");
  const EventTables clash = read_event_tables({}, write("t.toml", head + row + other).string());
  try {
    counters_for(clash, {"V", 1, 2, 0});
    FAIL();
  } catch (const Error& error) {
    const std::string said = error.what();
    for (const char* part : {"'E'", "'fills' (t.toml:4)", "'other' (t.toml:12)"}) EXPECT_NE(said.find(part), said.npos) << said;
  }
  const auto elsewhere = counters_for(clash, {"W", 9, 2, 0});
  ASSERT_EQ(elsewhere.notes.size(), 1U);
  for (const char* part : {"t.toml (test)", "another CPU", "W family 9 model 2"})
    EXPECT_NE(elsewhere.notes[0].find(part), std::string::npos);
}

TEST_F(event_table, a_users_row_of_the_same_name_replaces_ours_and_says_so) {
  EventTables tables;
  tables.ours.push_back(read_event_table(write("ours.toml", head + row)));
  std::string other = row, another = row;
  other.replace(other.find("64"), 2, "32");
  another.replace(another.find("fills"), 5, "other");
  const auto read = read_event_tables({}, ":" + write("theirs.toml", head + other + another).string() + ":");
  tables.users = read.users;
  const auto known = counters_for(tables, {"V", 1, 3, 0});
  ASSERT_EQ(known.counters.size(), 2U);
  EXPECT_EQ(known.counters[0].counter.terms[0].weight, 32);
  EXPECT_TRUE(known.counters[0].of_user);
  ASSERT_EQ(known.notes.size(), 1U);
  EXPECT_EQ(known.notes[0], "'fills' of theirs.toml:4 replaces the row of ours.toml:4");
}

// --------------------------------------------------------------------------------------------------------- the shipped tables

EventTables shipped() { return read_event_tables(PLUMBLINE_EVENTS_DIRECTORY, ""); }

TEST(shipped_event_tables, every_family_is_told_apart_from_every_other) {
  struct Case {
    CpuIdentity cpu;
    const char* family;
  };
  const Case cases[] = {{{"GenuineIntel", 6, 85, 4}, "intel-skylake-sp"},
                        {{"GenuineIntel", 6, 85, 7}, "intel-cascade-lake-sp"},
                        {{"GenuineIntel", 6, 106, 6}, "intel-icelake-sp"},
                        {{"GenuineIntel", 6, 143, 8}, "intel-sapphire-rapids"},
                        {{"GenuineIntel", 6, 207, 2}, "intel-emerald-rapids"},
                        {{"GenuineIntel", 6, 173, 1}, "intel-granite-rapids"},
                        {{"AuthenticAMD", 23, 49, 0}, "amd-zen2"},
                        {{"AuthenticAMD", 25, 1, 1}, "amd-zen3"},
                        {{"AuthenticAMD", 25, 0x30, 0}, "amd-zen3"},
                        {{"AuthenticAMD", 25, 17, 1}, "amd-zen4"},
                        {{"AuthenticAMD", 25, 0xa0, 1}, "amd-zen4"},
                        {{"AuthenticAMD", 26, 2, 1}, "amd-zen5"},
                        {{"implementer 0x41", 8, 0xd0c, 3}, "arm-neoverse-n1"},
                        {{"implementer 0x41", 8, 0xd40, 1}, "arm-neoverse-v1"},
                        {{"implementer 0x41", 8, 0xd4f, 0}, "arm-neoverse-v2"},
                        {{"implementer 0x46", 8, 1, 0}, "fujitsu-a64fx"},
                        {{"IBM", 0, 0x4e, 0}, "ibm-power9"},
                        {{"IBM", 0, 0x80, 0}, "ibm-power10"}};
  const auto tables = shipped();
  EXPECT_EQ(tables.ours.size(), 21U) << "and that of PAPI's presets, and those of four GPUs";
  for (const auto& one : cases) {
    int fitting = 0;
    for (const auto& table : tables.ours) fitting += table.backend == "perf_event" && table.fits(one.cpu) ? 1 : 0;
    EXPECT_EQ(fitting, 1) << one.family;
    EXPECT_EQ(counters_for(tables, one.cpu).family, one.family);
  }
  EXPECT_TRUE(counters_for(tables, {"GenuineIntel", 6, 63, 2}).counters.empty()) << "Haswell, whose FP events do not work, has no table";
}

// FLOPs by lanes: an instruction of B bits does B / 64 or B / 32 operations (an FMA counts twice by itself).
TEST(shipped_event_tables, papis_presets_have_claims_on_any_cpu) {
  const auto known = counters_for(shipped(), {"any", 1, 2, 3}, "papi");
  std::set<std::string> names;
  for (const auto& one : known.counters) {
    names.insert(one.counter.name);
    EXPECT_EQ(one.counter.backend, "papi");
    EXPECT_EQ(one.events.at(0).is_line, one.counter.name.ends_with("x line")) << one.counter.name;
  }
  for (const char* name :
       {"PAPI_DP_OPS", "PAPI_FP_OPS", "PAPI_L1_DCM x line", "PAPI_L2_DCM x line", "PAPI_L3_TCM x line", "PAPI_L1_DCA x 16 B"})
    EXPECT_TRUE(names.contains(name)) << name;
}

TEST(shipped_event_tables, intel_weights_are_the_lanes_of_the_vector) {
  for (const auto& table : shipped().ours) {
    if (table.family.rfind("intel", 0) != 0) continue;
    for (const auto& one : table.counters)
      for (const auto& term : one.counter.terms) {
        const auto colon = term.event.find(':');
        if (term.event.rfind("FP_ARITH", 0) != 0) continue;
        const std::string lanes = term.event.substr(colon + 1);
        const double element = lanes.ends_with("DOUBLE") ? 64 : lanes.ends_with("SINGLE") ? 32 : 16;
        EXPECT_EQ(term.weight, lanes.starts_with("SCALAR") ? 1 : std::stod(lanes) / element) << table.family << " " << term.event;
      }
  }
}

TEST(shipped_event_tables, every_gpu_has_the_quantities_of_the_roofline_and_no_cpu_gets_them) {
  const auto tables = shipped();
  for (const char* chip : {"GV100", "GA100", "GH100", "GB100"}) {
    const auto known = counters_for_chip(tables, chip);
    std::set<std::string> seen;
    for (const auto& one : known.counters) {
      seen.insert(one.counter.quantities.begin(), one.counter.quantities.end());
      EXPECT_EQ(one.counter.backend, "cupti");
      EXPECT_EQ(one.checked, "CUPTI 13.0 host API");
    }
    for (const char* quantity :
         {"flops.fp64", "flops.fp32", "flops.fp16", "flops.fp64.fma", "flops.tensor.fp16", "int_instructions", "bytes.reg-L1",
          "bytes.reg-shared", "bytes.L1-L2", "bytes.L2-mem", "bytes.host-dev", "cycles", "seconds", "occupancy"})
      EXPECT_TRUE(seen.contains(quantity)) << chip << " " << quantity;
    EXPECT_EQ(seen.contains("flops.bf16"), chip != std::string("GV100"));
  }
  for (const auto& table : tables.ours) EXPECT_EQ(table.backend == "cupti", !table.chips.empty()) << table.family;
}

// A weight is what one instruction does: an FMA two operations, a packed instruction twice as many.
TEST(shipped_event_tables, nvidia_weights_are_the_operations_of_the_instruction) {
  for (const auto& table : shipped().ours)
    for (const auto& one : table.counters)
      for (const auto& term : one.counter.terms) {
        if (table.chips.empty()) continue;
        if (one.counter.name != "flops.fp64" && one.counter.name != "flops.fp32" && one.counter.name != "flops.half.packed") continue;
        const double operations = term.event.find("fma") != term.event.npos ? 2 : 1;
        const bool packed = term.event.find("2_pred") != term.event.npos || one.counter.name == "flops.half.packed";
        EXPECT_EQ(term.weight, operations * (packed ? 2 : 1)) << table.family << " " << term.event;
      }
}

TEST(shipped_event_tables, socket_counters_have_a_pmu_outside_the_core_and_core_counters_have_none) {
  for (const auto& table : shipped().ours)
    for (const auto& one : table.counters)
      for (const auto& event : one.events) EXPECT_EQ(one.scope == Scope::socket, !event.pmu.empty()) << table.family << " " << event.name;
}

TEST(shipped_event_tables, one_event_name_has_one_code_in_a_family) {
  for (const auto& table : shipped().ours) {
    std::set<std::pair<std::string, std::uint64_t>> codes;
    std::set<std::string> names;
    for (const auto& one : table.counters)
      for (const auto& event : one.events) codes.insert({event.name, event.raw.value_or(0)}), names.insert(event.name);
    EXPECT_EQ(codes.size(), names.size()) << table.family;
  }
}

TEST(shipped_event_tables, every_family_counts_or_explains_flops_and_counts_bytes_of_l1) {
  for (const auto& table : shipped().ours) {
    EXPECT_EQ(table.backend == "papi", table.family == "papi-presets");
    std::set<std::string> seen;
    for (const auto& one : table.counters) seen.insert(one.counter.quantities.begin(), one.counter.quantities.end());
    EXPECT_TRUE(seen.contains("flops.fp64") || seen.contains("fp_instructions")) << table.family;
    EXPECT_TRUE(seen.contains("bytes.L1-L2.demand_read")) << table.family;
  }
}

}  // namespace
}  // namespace plumbline
