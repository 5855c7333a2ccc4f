#include "store/journal.hpp"

#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <random>
#include <vector>

#include "faults.hpp"
#include "samples.hpp"
#include "store/session_hold.hpp"
#include "store/session_mark.hpp"

namespace {
int syncs = 0, refused_syncs = 0;  // of data, by this program: made, and still to be refused
}

/// Takes the C library's place.
extern "C" int fdatasync(int descriptor) {
  if (refused_syncs > 0) return --refused_syncs, errno = EIO, -1;
  ++syncs;
  return static_cast<int>(syscall(SYS_fdatasync, descriptor));
}

namespace plumbline {
namespace {

std::filesystem::path write_journal(const std::filesystem::path& folder, int records) {
  Journal journal(folder, "n1", sample_header());
  for (int i = 0; i < records; ++i) journal.append(i % 2 == 0 ? sample_time(i) : sample_count(i));
  return journal.path();
}

TEST(journal, what_is_appended_is_read_back_to_the_bit) {
  const Scratch scratch;
  Journal journal(scratch / "x.journal", "n1", sample_header());
  Finished strange = sample_count(3);
  strange.outcome.reason = "Grüße, 測試, \"quoted\"\n";
  strange.model.push_back({strange.case_row.id, "bytes.L1-L2", -0.0, absent});
  for (const auto& record : {sample_time(1), strange, sample_ceilings(), Finished{}}) journal.append(record);

  const JournalContents contents = read_journal(journal.path());
  ASSERT_EQ(contents.headers.size(), 1U);
  EXPECT_EQ(contents.headers[0], sample_header());
  ASSERT_EQ(contents.records.size(), 4U);
  expect_same(contents.records[0], sample_time(1));
  expect_same(contents.records[1], strange);
  expect_same(contents.records[2], sample_ceilings());
  expect_same(contents.records[3], Finished{});
  EXPECT_EQ(contents.torn_bytes, 0U);
}

TEST(journal, the_disk_is_told_to_keep_each_record) {
  const Scratch scratch;
  syncs = 0;
  Journal journal(scratch / "x.journal", "n1", sample_header());
  for (int i = 1; i <= 5; ++i) {
    journal.append(sample_time(i));
    EXPECT_EQ(syncs, i + 1);
  }
}

TEST(journal, the_disk_is_told_once_in_so_many_seconds_at_most_and_when_it_is_asked_for) {
  const Scratch scratch;
  constexpr double hour = 3600;
  Journal journal(scratch / "x.journal", "n1", sample_header(), hour);
  syncs = 0;
  for (int i = 1; i <= 5; ++i) journal.append(sample_time(i));
  EXPECT_EQ(read_journal(journal.path()).records.size(), 5U) << "written they are";
  EXPECT_LE(syncs, 1) << "the first comes at a time of the host's own";
  const int within_the_hour = syncs;
  journal.sync();
  EXPECT_EQ(syncs, within_the_hour + 1);
  journal.sync();
  EXPECT_EQ(syncs, within_the_hour + 1) << "nothing was written since";
}

TEST(journal, what_nobody_asked_for_is_synced_at_the_end) {
  const Scratch scratch;
  {
    Journal journal(scratch / "x.journal", "n1", sample_header(), 3600);
    for (int i = 1; i <= 3; ++i) journal.append(sample_time(i));
    syncs = 0;
  }
  EXPECT_EQ(syncs, 1);
}

TEST(journal, records_that_the_disk_was_told_of_together_are_in_doubt_together) {
  const Scratch scratch;
  Journal journal(scratch / "x.journal", "n1", sample_header(), 3600);
  for (int i = 1; i <= 3; ++i) journal.append(sample_time(i));
  refused_syncs = 1;
  EXPECT_THROW(journal.sync(), Error);
  EXPECT_GE(journal.in_doubt(), 2U) << "one may have been synced before";
  journal.append(sample_time(4));
  EXPECT_NO_THROW(journal.sync());
  EXPECT_EQ(journal.in_doubt(), 0U);
}

TEST(journal, hosts_that_began_together_sync_at_different_times) {
  std::vector<double> phases;
  for (int host = 0; host < 100; ++host) phases.push_back(sync_phase("node" + std::to_string(host)));
  std::sort(phases.begin(), phases.end());
  EXPECT_GE(phases.front(), 0);
  EXPECT_LT(phases.back(), 1);
  for (std::size_t i = 1; i < phases.size(); ++i) EXPECT_LT(phases[i] - phases[i - 1], 0.2) << "a fifth of the time in which no host syncs";
}

TEST(journal, text_that_is_no_utf8_costs_no_record) {
  const Scratch scratch;
  Journal journal(scratch / "x.journal", "n1", sample_header());
  Finished record = sample_time(1);
  record.outcome.reason = "latin \xE9";
  journal.append(record);
  EXPECT_EQ(read_journal(journal.path()).records.at(0).times.size(), record.times.size());
}

TEST(journal, a_tail_torn_at_any_byte_loses_only_the_last_record) {
  const Scratch scratch;
  const std::string all = slurp(write_journal(scratch / "x.journal", 3));
  const std::string without_last = slurp(write_journal(scratch / "y.journal", 2));
  ASSERT_EQ(all.compare(0, without_last.size(), without_last), 0);
  const auto torn = scratch / "torn";
  for (std::size_t size = without_last.size(); size < all.size(); ++size) {
    spill(torn, std::string_view(all).substr(0, size));
    const JournalContents contents = read_journal(torn);
    ASSERT_EQ(contents.records.size(), 2U) << "cut at " << size;
    ASSERT_EQ(contents.torn_bytes, size - without_last.size()) << "cut at " << size;
    ASSERT_EQ(contents.good_bytes, without_last.size()) << "cut at " << size;
  }
}

TEST(journal, a_header_torn_at_any_byte_is_an_empty_journal_that_can_be_reopened) {
  const Scratch scratch;
  const std::string header = slurp(write_journal(scratch / "x.journal", 0));
  std::filesystem::create_directory(scratch / "torn.journal");
  for (std::size_t size = 0; size < header.size(); size += 7) {
    spill(scratch / "torn.journal/n1", std::string_view(header).substr(0, size));
    EXPECT_EQ(read_journal(scratch / "torn.journal/n1").records.size(), 0U);
    write_journal(scratch / "torn.journal", 1);
    const JournalContents contents = read_journal(scratch / "torn.journal/n1");
    ASSERT_EQ(contents.records.size(), 1U) << "cut at " << size;
    ASSERT_EQ(contents.torn_bytes, 0U) << "cut at " << size;
  }
}

TEST(journal, reopening_cuts_the_torn_tail_off_before_it_appends) {
  const Scratch scratch;
  const auto path = write_journal(scratch / "x.journal", 3);
  const std::string all = slurp(path);
  for (const std::size_t cut : {1UL, 5UL, 100UL}) {
    spill(path, std::string_view(all).substr(0, all.size() - cut));
    write_journal(scratch / "x.journal", 2);
    const JournalContents contents = read_journal(path);
    EXPECT_EQ(contents.headers.size(), 2U);
    EXPECT_EQ(contents.records.size(), 4U);
    EXPECT_EQ(contents.torn_bytes, 0U);
  }
}

TEST(journal, zeros_after_a_crash_are_a_torn_tail) {
  const Scratch scratch;
  const auto path = write_journal(scratch / "x.journal", 3);
  const std::string all = slurp(path);
  spill(path, all + std::string(4096, '\0'));
  EXPECT_EQ(read_journal(path).torn_bytes, 4096U);
  EXPECT_EQ(read_journal(path).records.size(), 3U);
  spill(path, std::string(4096, '\0'));
  EXPECT_EQ(read_journal(path).torn_bytes, 4096U);
}

TEST(journal, one_damaged_byte_in_the_middle_costs_one_record) {
  const Scratch scratch;
  const auto path = write_journal(scratch / "x.journal", 4);
  const std::string all = slurp(path);
  const std::size_t header = slurp(write_journal(scratch / "y.journal", 0)).size();
  for (std::size_t at = header; at < all.size(); at += 13) {
    std::string damaged = all;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    spill(path, damaged);
    const JournalContents contents = read_journal(path);
    ASSERT_EQ(contents.records.size(), 3U) << "byte " << at;
    ASSERT_GT(contents.torn_bytes, 8U) << "byte " << at;
  }
}

TEST(journal, a_killed_writer_loses_no_finished_record) {
  const Scratch scratch;
  std::mt19937 random(7);
  int in_all = 0;
  for (int round = 0; round < 8; ++round) {
    int told[2];
    ASSERT_EQ(::pipe(told), 0);
    const pid_t writer = ::fork();
    ASSERT_GE(writer, 0);
    if (writer == 0) {
      Journal journal(scratch / "x.journal", "n1", sample_header("s" + std::to_string(round)));
      for (int i = 0;; ++i) {
        journal.append(sample_time(i, "n1", "s" + std::to_string(round)));
        if (::write(told[1], "+", 1) != 1) ::_exit(1);
      }
    }
    ::close(told[1]);
    const auto wanted = static_cast<unsigned>(1 + random() % 40);
    char one = 0;
    unsigned finished = 0;
    while (finished < wanted && ::read(told[0], &one, 1) == 1) ++finished;
    ::kill(writer, SIGKILL);
    ASSERT_EQ(::waitpid(writer, nullptr, 0), writer);
    while (::read(told[0], &one, 1) == 1) ++finished;
    ::close(told[0]);
    in_all += static_cast<int>(finished);
    const JournalContents contents = read_journal(scratch / "x.journal/n1");
    const auto of_round = std::count_if(contents.records.begin(), contents.records.end(),
                                        [&](const Finished& f) { return f.outcome.session == "s" + std::to_string(round); });
    ASSERT_GE(of_round, static_cast<long>(finished));
    ASSERT_LE(of_round, static_cast<long>(finished) + 1);  // one may be durable and not yet told
    ASSERT_GE(static_cast<int>(contents.records.size()), in_all);
    ASSERT_EQ(contents.headers.size(), static_cast<std::size_t>(round) + 1);
  }
}

TEST(journal, two_writers_are_refused) {
  const Scratch scratch;
  const Journal first(scratch / "x.journal", "n1", sample_header());
  const ThrownError refusal = refusal_of([&] { Journal(scratch / "x.journal", "n1", sample_header()); });
  EXPECT_EQ(refusal.code, 1);
  EXPECT_NE(refusal.text.find("another plumbline"), std::string::npos) << refusal.text;
}

TEST(journal, it_is_never_written_through_a_link) {
  const Scratch scratch;
  std::filesystem::create_directory(scratch / "x.journal");
  spill(scratch / "precious", "");
  for (const std::string name : {"precious", "missing"}) {
    std::filesystem::create_symlink(scratch / name, scratch / "x.journal/n1");
    const ThrownError refusal = refusal_of([&] { Journal(scratch / "x.journal", "n1", sample_header()); });
    EXPECT_EQ(refusal.code, 1);
    EXPECT_NE(refusal.text.find("a symbolic link has that name"), std::string::npos) << refusal.text;
    std::filesystem::remove(scratch / "x.journal/n1");
  }
  EXPECT_EQ(slurp(scratch / "precious"), "");
  EXPECT_FALSE(std::filesystem::exists(scratch / "missing"));
}

/// A column that all rows share is told once, so that a few bytes could ask for any number of them.
TEST(journal, a_record_of_more_rows_than_a_session_has_is_refused_and_takes_no_memory) {
  const Scratch scratch;
  Finished finished = sample_time(1);
  for (TimeRow& row : finished.times) row = finished.times.front();
  std::string payload = to_payload(finished);
  const auto times = payload.find(R"("times":{"rows":5)");
  ASSERT_NE(times, payload.npos);
  for (const std::string rows : {"20000", "4000000000000", "18446744073709551615", "-1", "1e300"}) {
    std::string lying = payload;
    spill(scratch / "n1", frame(to_payload(sample_header())) + frame(lying.replace(times + 16, 1, rows)));
    const ThrownError refusal = refusal_of([&] { read_journal(scratch / "n1"); });
    EXPECT_EQ(refusal.code, 2) << rows;
  }
  spill(scratch / "n1", frame(to_payload(sample_header())) + frame(payload.replace(times + 16, 1, "6")));
  EXPECT_EQ(read_journal(scratch / "n1").records.at(0).times.size(), 6U);
}

TEST(journal, json_that_goes_deeper_than_its_readers_can_follow_is_refused) {
  const Scratch scratch;
  JournalHeader header = sample_header();
  header.provenance = std::string(100'000, '[');
  Finished finished = sample_time(1);
  finished.outcome.placement = std::string(100'000, '{');
  for (const std::string& payload : {to_payload(header), to_payload(finished), "{\"a\":" + std::string(100'000, '[') + "}"}) {
    spill(scratch / "n1", frame(to_payload(sample_header())) + frame(payload));
    const ThrownError refusal = refusal_of([&] { read_journal(scratch / "n1"); });
    EXPECT_EQ(refusal.code, 2);
    EXPECT_NE(refusal.text.find("nested too deeply"), std::string::npos) << refusal.text;
  }
}

TEST(session_hold, the_first_one_has_the_result_and_the_second_is_told_which_it_is) {
  const Scratch scratch;
  const auto store = scratch / "x.h5";
  {
    const SessionHold first(store);
    const ThrownError refusal = refusal_of([&] { SessionHold(scratch / "x.h5"); });
    EXPECT_EQ(refusal.code, 1);
    EXPECT_NE(refusal.text.find("process " + std::to_string(getpid()) + " on "), std::string::npos) << refusal.text;
    const SessionHold of_another(scratch / "y.h5");
  }
  EXPECT_FALSE(std::filesystem::exists(scratch / "x.journal")) << "nothing was in it";
  spill(scratch / "x.held", "");
  std::filesystem::create_directory(scratch / "x.journal");
  std::filesystem::create_symlink(scratch / "x.held", scratch / "x.journal/.held");
  EXPECT_NE(refusal_of([&] { SessionHold(scratch / "x.h5"); }).text.find("a symbolic link has that name"), std::string::npos);
}

TEST(session_hold, what_a_killed_process_held_is_free_and_journals_stay) {
  const Scratch scratch;
  const pid_t child = fork();
  if (child == 0) {
    new SessionHold(scratch / "x.h5");
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  EXPECT_TRUE(std::filesystem::exists(scratch / "x.journal/.held"));
  EXPECT_FALSE(tells_of_unfinished_run(scratch / "x.journal")) << "it was killed before its first record";
  {
    const SessionHold next(scratch / "x.h5");
    EXPECT_TRUE(tells_of_unfinished_run(scratch / "x.journal")) << "a run is at work";
    EXPECT_EQ(holder_in(scratch / "x.journal").value_or("").find("process " + std::to_string(getpid()) + " on "), 0U);
    const Journal journal(scratch / "x.journal", "n1", sample_header());
  }
  EXPECT_TRUE(std::filesystem::exists(scratch / "x.journal/n1"));
  EXPECT_FALSE(std::filesystem::exists(scratch / "x.journal/.held"));
  EXPECT_FALSE(holder_in(scratch / "x.journal"));
  EXPECT_TRUE(tells_of_unfinished_run(scratch / "x.journal"));
  std::filesystem::create_directory(scratch / "empty.journal");
  EXPECT_TRUE(tells_of_unfinished_run(scratch / "empty.journal"));
}

TEST(journal, a_foreign_file_is_refused_and_left_alone) {
  const Scratch scratch;
  std::filesystem::create_directory(scratch / "x.journal");
  const std::string letter = "Dear reader, this is no journal.";
  spill(scratch / "x.journal/n1", letter);
  EXPECT_EQ(refusal_of([&] { read_journal(scratch / "x.journal/n1"); }).code, 2);
  EXPECT_EQ(refusal_of([&] { Journal(scratch / "x.journal", "n1", sample_header()); }).code, 2);
  EXPECT_EQ(slurp(scratch / "x.journal/n1"), letter);
}

TEST(journal, a_newer_journal_is_refused_by_its_schema) {
  const Scratch scratch;
  spill(scratch / "n1", frame(R"({"schema":"plumbline-journal/2"})"));
  const ThrownError refusal = refusal_of([&] { read_journal(scratch / "n1"); });
  EXPECT_EQ(refusal.code, 2);
  EXPECT_NE(refusal.text.find("plumbline-journal/2"), std::string::npos) << refusal.text;
}

TEST(journal, a_removed_folder_is_an_error_and_not_silence) {
  const Scratch scratch;
  Journal journal(scratch / "x.journal", "n1", sample_header());
  std::filesystem::remove_all(scratch / "x.journal");
  const ThrownError refusal = refusal_of([&] { journal.append(sample_time(1)); });
  EXPECT_EQ(refusal.code, 1);
  EXPECT_NE(refusal.text.find("removed"), std::string::npos) << refusal.text;
}

TEST(journal, a_folder_that_cannot_be_written_is_one_clear_error) {
  const Scratch scratch;
  spill(scratch / "file", "x");
  EXPECT_EQ(refusal_of([&] { Journal(scratch / "file" / "x.journal", "n1", sample_header()); }).code, 1);
  EXPECT_EQ(refusal_of([&] { Journal(scratch / "missing" / "x.journal", "n1", sample_header()); }).code, 1);
  std::filesystem::permissions(scratch.path(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  const Unprivileged nobody;
  const ThrownError refusal = refusal_of([&] { Journal(scratch / "x.journal", "n1", sample_header()); });
  EXPECT_EQ(refusal.code, 1);
  EXPECT_NE(refusal.text.find("Permission denied"), std::string::npos) << refusal.text;
}

TEST(journal, its_name_follows_the_result_file) {
  EXPECT_EQ(journal_directory("out/quick.h5"), "out/quick.journal");
  EXPECT_EQ(journal_directory("quick"), "quick.journal");
}

TEST(journal, names_that_differ_behind_a_dot_have_journals_of_their_own) {
  EXPECT_EQ(journal_directory("out/night-2026.11.21"), "out/night-2026.11.21.journal");
  EXPECT_EQ(journal_directory("out/night-2026.11.22.h5"), "out/night-2026.11.22.journal");
  EXPECT_EQ(journal_directory("x.hdf5"), "x.hdf5.journal");
  EXPECT_NE(journal_directory("x.journal"), "x.journal");
}

TEST(journal, one_that_is_being_written_is_known_by_its_lock) {
  const Scratch scratch;
  EXPECT_FALSE(journal_in_use(scratch / "x.journal"));
  {
    const Journal open(scratch / "x.journal", "n1", sample_header());
    EXPECT_EQ(journal_in_use(scratch / "x.journal"), scratch / "x.journal" / "n1");
  }
  EXPECT_FALSE(journal_in_use(scratch / "x.journal"));
}

TEST(journal, a_file_of_somebody_else_is_told_by_its_first_bytes) {
  const Scratch scratch;
  { Journal(scratch / "x.journal", "n1", sample_header()).append(sample_time(1)); }
  EXPECT_TRUE(begins_as_journal(scratch / "x.journal" / "n1"));
  spill(scratch / "notes.txt", "What I want to remember of this run");
  EXPECT_FALSE(begins_as_journal(scratch / "notes.txt"));
}

TEST(session_mark, is_found_where_it_was_laid_and_nowhere_else) {
  const Scratch scratch;
  const auto here = scratch / "x.journal", elsewhere = scratch / "y.journal";
  lay_mark(here, "s1");
  EXPECT_TRUE(is_mark(std::filesystem::directory_iterator(here)->path()));
  EXPECT_FALSE(is_mark(here / "n1"));
  EXPECT_EQ(why_without_mark(here, "s1"), "");
  EXPECT_EQ(why_without_mark(here, "s2"), "another folder");
  EXPECT_EQ(why_without_mark(elsewhere, "s1"), "another folder");
  EXPECT_FALSE(std::filesystem::exists(elsewhere)) << "to look leaves nothing";
  EXPECT_EQ(why_without_mark(scratch / "missing" / "x.journal", "s1"), "another folder");
  remove_mark(here, "s1");
  EXPECT_TRUE(std::filesystem::is_empty(here)) << "the mark is gone, and the folder is there for the journals";
  { const Journal kept(here, "n1", sample_header()); }
  lay_mark(here, "s1");
  remove_mark(here, "s1");
  EXPECT_TRUE(std::filesystem::exists(here / "n1"));
}

}  // namespace
}  // namespace plumbline
