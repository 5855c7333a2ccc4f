// Event tables: what they may hold, how a bad one is refused, and which rows a CPU gets.
#include "counters/event_table.hpp"

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
    fs::create_directories(folder_ = fs::path(testing::TempDir()) / (testing::UnitTest::GetInstance()->current_test_info()->name() + std::to_string(getpid())));
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
  holds(with("weight=64", "weight=0"), {"bad.toml:7:", "'weight'", "other than 0"});
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

TEST_F(event_table, a_cpu_gets_the_rows_of_its_family_and_no_others) {
  const EventTables tables = read_event_tables({}, write("t.toml", head + row).string());
  EXPECT_EQ(counters_for(tables, {"V", 1, 2, 0}).counters.size(), 1U);
  EXPECT_EQ(counters_for(tables, {"V", 1, 4, 0}).counters.size(), 0U);
  EXPECT_EQ(counters_for(tables, {"V", 2, 2, 0}).counters.size(), 0U);
  EXPECT_EQ(counters_for(tables, {"W", 1, 2, 0}).family, "");
  EXPECT_EQ(counters_of_family(tables, "test").counters.size(), 1U);
  EXPECT_THROW(counters_of_family(tables, "tset"), Error);
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
  EXPECT_EQ(tables.ours.size(), 16U);
  for (const auto& one : cases) {
    int fitting = 0;
    for (const auto& table : tables.ours) fitting += table.fits(one.cpu) ? 1 : 0;
    EXPECT_EQ(fitting, 1) << one.family;
    EXPECT_EQ(counters_for(tables, one.cpu).family, one.family);
  }
  EXPECT_TRUE(counters_for(tables, {"GenuineIntel", 6, 63, 2}).counters.empty()) << "Haswell, whose FP events do not work, has no table";
}

// FLOPs by lanes: an instruction of B bits does B / 64 or B / 32 operations (an FMA counts twice by itself).
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
    std::set<std::string> seen;
    for (const auto& one : table.counters) seen.insert(one.counter.quantities.begin(), one.counter.quantities.end());
    EXPECT_TRUE(seen.contains("flops.fp64") || seen.contains("fp_instructions")) << table.family;
    EXPECT_TRUE(seen.contains("bytes.L1-L2.demand_read")) << table.family;
  }
}

}  // namespace
}  // namespace plumbline
