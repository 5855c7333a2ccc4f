#include "store/merge.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <functional>

#include "faults.hpp"
#include "samples.hpp"
#include "store/journal.hpp"
#include "store/result_store.hpp"
#include "store/session_list.hpp"

namespace plumbline {
namespace {

Finished failed(Finished record) {
  record.outcome.status = Status::failed;
  record.outcome.reason = "out of memory";
  for (auto& row : record.times) row.seconds = absent;
  return record;
}

/// The journals of two nodes that have timed one case.
void write_two_nodes(const std::filesystem::path& folder) {
  Journal first(folder, "n1", sample_header("s1", 10)), second(folder, "n2", sample_header("s1", 10));
  first.append(sample_time(1, "n1"));
  second.append(sample_time(1, "n2"));
}

/// Changes a bit of a journal's first record. Gives what the file holds now.
std::string damage_header(const std::filesystem::path& journal) {
  std::string bytes = slurp(journal);
  bytes[20] = static_cast<char>(bytes[20] ^ 0x10);
  spill(journal, bytes);
  return bytes;
}

TEST(merge, two_nodes_and_two_sessions_come_together) {
  const Scratch scratch;
  const auto folder = scratch / "x.journal";
  write_two_nodes(folder);
  JournalHeader later = sample_header("s2", 20);
  later.campaign = "name=\"later\"";
  later.machines[0].json = "{\"cpu\":\"later\"}";
  Journal(folder, "n1", later).append(sample_count(1, "n1", "s2"));

  const Results results = merge_journals(folder);
  EXPECT_EQ(results.campaign, later.campaign);
  EXPECT_EQ(results.cases.size(), 1U);
  EXPECT_EQ(results.model.size(), 2U);
  EXPECT_EQ(results.outcomes.size(), 3U);
  EXPECT_EQ(results.times.size(), 10U);
  EXPECT_EQ(results.machines, later.machines);
  const std::string id = sample_case_id(1);
  EXPECT_EQ(finished(results), (std::set<WorkKey>{{id, "n1", "time"}, {id, "n2", "time"}, {id, "n1", "count"}}));
}

TEST(merge, records_behind_a_damaged_header_are_refused_and_not_taken_for_nothing) {
  const Scratch scratch;
  const auto folder = scratch / "x.journal";
  {
    Journal journal(folder, "n1", sample_header());
    journal.append(sample_time(1));
    journal.append(sample_time(2));
  }
  const std::string bytes = damage_header(folder / "n1");
  for (const auto& read : std::initializer_list<std::function<void()>>{[&] { merge_journals(folder); },
                                                                       [&] { load_finished(scratch / "x.h5", load_store); }}) {
    const auto refusal = refusal_of(read);
    EXPECT_EQ(refusal.code, 2);
    EXPECT_NE(refusal.text.find("what was run is damaged, and without it the 2 whole records"), std::string::npos) << refusal.text;
  }
  EXPECT_EQ(slurp(folder / "n1"), bytes);
  Journal(folder, "n1", sample_header("s2", 20)).append(sample_count(3, "n1", "s2"));
  EXPECT_EQ(merge_journals(folder).outcomes.size(), 3U) << "another session's header says it, too";
}

TEST(merge, a_node_whose_journal_lost_its_header_is_named) {
  const Scratch scratch;
  const auto folder = scratch / "x.journal";
  write_two_nodes(folder);
  damage_header(folder / "n2");
  std::vector<std::string> notes;
  EXPECT_EQ(merge_journals(folder, &notes).outcomes.size(), 2U);
  ASSERT_EQ(notes.size(), 2U) << "and how many bytes were dropped";
  EXPECT_NE(notes[0].find("n2': the record that describes its node is damaged"), std::string::npos) << notes[0];
}

TEST(merge, the_last_ok_record_of_a_unit_wins_and_its_samples_alone_remain) {
  const Scratch scratch;
  const auto folder = scratch / "x.journal";
  const Finished better = sample_time(1, "n1", "s2");
  {
    Journal journal(folder, "n1", sample_header());
    journal.append(failed(sample_time(1)));
    journal.append(sample_time(1));
    journal.append(better);
    journal.append(failed(sample_time(1)));
    journal.append(failed(sample_time(2)));
  }
  const Results results = merge_journals(folder);
  ASSERT_EQ(results.outcomes.size(), 2U);
  EXPECT_EQ(results.outcomes[0], better.outcome);
  EXPECT_EQ(results.outcomes[1].status, Status::failed);
  EXPECT_EQ(std::vector<TimeRow>(results.times.begin(), results.times.begin() + 5), better.times);
  EXPECT_EQ(results.times.size(), 10U);
}

TEST(merge, what_was_measured_again_replaces_only_what_was_measured_again_before) {
  Results older, newer;
  append(older, sample_time(1));
  append(older, sample_again(1));
  append(newer, sample_again(1, "n1", "s2"));
  const Results merged = merge(older, newer);
  EXPECT_EQ(merged.times.size(), 5U);
  ASSERT_EQ(merged.remeasured.size(), 3U);
  for (const auto& row : merged.remeasured) EXPECT_EQ(row.session, "s2");
}

TEST(merge, what_was_measured_again_comes_out_of_a_store_and_of_its_journals) {
  const Scratch scratch;
  Results first;
  append(first, sample_time(1));
  append(first, sample_again(1));
  write_store(scratch / "x.h5", first);
  {
    Journal journal(scratch / "x.journal", "n1", sample_header("s2", 20));
    journal.append(sample_again(1));
    journal.append(sample_again(2, "n1", "s2"));
  }
  const auto results = load_finished(scratch / "x.h5", load_store);
  EXPECT_EQ(results->outcomes.size(), 3U);
  EXPECT_EQ(results->remeasured.size(), 6U);
}

TEST(merge, a_torn_journal_is_named_in_the_notes) {
  const Scratch scratch;
  { Journal(scratch / "x.journal", "n1", sample_header()).append(sample_time(1)); }
  spill(scratch / "x.journal/n1", slurp(scratch / "x.journal/n1") + "torn");
  std::vector<std::string> notes;
  EXPECT_EQ(merge_journals(scratch / "x.journal", &notes).outcomes.size(), 1U);
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].find("4 bytes"), std::string::npos) << notes[0];
}

TEST(merge, a_folder_without_journals_is_refused) {
  const Scratch scratch;
  std::filesystem::create_directory(scratch / "empty.journal");
  EXPECT_EQ(refusal_of([&] { merge_journals(scratch / "empty.journal"); }).code, 2);
  EXPECT_EQ(refusal_of([&] { merge_journals(scratch / "missing.journal"); }).code, 2);
}

TEST(merge, the_ceilings_stage_is_finished_work_but_no_case) {
  Results results;
  append(results, sample_ceilings());
  EXPECT_TRUE(results.cases.empty());
  EXPECT_EQ(results.ceilings.size(), 2U);
  EXPECT_TRUE(finished(results).contains({"ceilings", "n1", "time"}));
}

TEST(merge, a_resumed_run_starts_from_store_and_journal_together) {
  const Scratch scratch;
  const auto store = scratch / "x.h5";
  EXPECT_FALSE(load_finished(store, load_store).has_value());
  Results first;
  append(first, sample_ceilings());
  append(first, failed(sample_time(1)));
  append(first, sample_count(1));
  append(first, sample_time(2));
  write_store(store, first);
  EXPECT_EQ(load_finished(store, load_store)->outcomes.size(), 4U);
  {
    Journal journal(scratch / "x.journal", "n1", sample_header("s2", 20));
    journal.append(sample_time(1, "n1", "s2"));
    journal.append(failed(sample_time(2, "n1", "s2")));
    journal.append(sample_time(3, "n1", "s2"));
    journal.append(sample_ceilings("n1", "s2"));
  }
  const Results both = *load_finished(store, load_store);
  EXPECT_EQ(both.cases.size(), 3U);
  EXPECT_EQ(both.model.size(), 6U);
  EXPECT_EQ(both.outcomes.size(), 5U);
  for (const auto& outcome : both.outcomes) EXPECT_EQ(outcome.status, Status::ok) << outcome.case_id;
  EXPECT_EQ(both.times.size(), 15U);
  for (const auto& row : both.times) EXPECT_EQ(row.session, row.case_id == sample_case_id(2) ? "s1" : "s2");
  EXPECT_EQ(both.counts.size(), 2U);
  ASSERT_EQ(both.ceilings.size(), 2U);  // the same round again
  for (const auto& row : both.ceilings) EXPECT_EQ(row.session, "s2");
  EXPECT_EQ(both.campaign, sample_header().campaign);
}

Finished wrong(Finished record) {
  record.outcome.status = Status::wrong_result;
  record.outcome.reason = "wrong result: relative error 1";
  record.times.clear();
  return record;
}

std::vector<std::string> sessions_with_a_wrong_result(const Results& results) {
  std::vector<std::string> sessions;
  for (const auto& row : listed_wrong_results(results.provenance)) sessions.push_back(row.session);
  return sessions;
}

TEST(merge, a_wrong_result_stays_beside_the_right_one_that_takes_its_place) {
  const Scratch scratch;
  const auto store = scratch / "x.h5";
  {
    Journal journal(scratch / "x.journal", "n1", sample_header());
    journal.append(wrong(sample_time(1)));
    journal.append(failed(sample_time(2)));
  }
  write_store(store, *load_finished(store, load_store));  // the first session was stopped
  {
    Journal journal(scratch / "x.journal", "n1", sample_header("s2", 20));
    journal.append(wrong(sample_time(1, "n1", "s2")));
  }
  {
    Journal journal(scratch / "x.journal", "n1", sample_header("s3", 30));
    journal.append(sample_time(1, "n1", "s3"));
    journal.append(sample_time(2, "n1", "s3"));
  }
  const std::vector<std::string> both{"s1", "s2"};
  const Results of_journal = merge_journals(scratch / "x.journal"), of_all = *load_finished(store, load_store);
  for (const Results* results : {&of_journal, &of_all}) {
    EXPECT_EQ(sessions_with_a_wrong_result(*results), both);
    ASSERT_EQ(results->outcomes.size(), 2U);
    for (const auto& row : results->outcomes) EXPECT_EQ(row.status, Status::ok);
  }
  write_store(store, of_all);
  EXPECT_EQ(sessions_with_a_wrong_result(*load_finished(store, load_store)), both) << "again, from the file and the journals";
  std::filesystem::remove_all(scratch / "x.journal");
  EXPECT_EQ(sessions_with_a_wrong_result(*load_finished(store, load_store)), both);
  const auto found = listed_wrong_results(load_store(store).provenance).front();
  EXPECT_EQ(found.reason, "wrong result: relative error 1");
  EXPECT_EQ(found.started_unix_ns, sample_time(1).outcome.started_unix_ns);
}

TEST(merge, a_wrong_result_of_what_was_right_before_stays_too) {
  Results older, newer;
  append(older, sample_again(1));
  append(newer, wrong(sample_again(1, "n1", "s2")));
  older.provenance = newer.provenance = "{}";
  EXPECT_EQ(sessions_with_a_wrong_result(merge(older, newer)), std::vector<std::string>{"s2"});
}

TEST(merge, wrong_samples_of_a_ceiling_stay_each_once) {
  const Scratch scratch;
  const auto store = scratch / "x.h5";
  Finished first = sample_ceilings();
  first.ceilings.resize(1);
  first.ceilings[0].status = Status::failed;
  first.ceilings[0].method = "gcc12-O3-v3: wrong result: relative error 1";
  Journal journal(scratch / "x.journal", "n1", sample_header());
  journal.append(first);
  write_store(store, *load_finished(store, load_store));
  journal.append(sample_ceilings("n1", "s2"));
  const Results of_journal = merge_journals(scratch / "x.journal"), of_all = *load_finished(store, load_store);
  for (const Results* results : {&of_journal, &of_all}) {
    EXPECT_EQ(results->ceilings.size(), 3U);
    EXPECT_EQ(std::count_if(results->ceilings.begin(), results->ceilings.end(), [](const auto& row) { return row.session == "s1"; }), 1);
  }
}

Finished counted_by(const std::string& backend, const std::string& session) {
  Finished record = sample_count(1, "n1", session);
  record.outcome.placement = R"({"counted_with":[")" + backend + R"(/1-0123"]})";
  record.counts.resize(1);
  record.counts[0].backend = backend;
  return record;
}

TEST(merge, counts_by_another_backend_stay_beside_the_new_ones) {
  const Scratch scratch;
  const auto store = scratch / "x.h5";
  Results first;
  first.provenance = R"({"events":[{"backend":"emulated","event":"a"}]})";
  append(first, counted_by("emulated", "s1"));
  write_store(store, first);
  JournalHeader header = sample_header("s2", 20);
  header.provenance = R"({"events":[{"backend":"papi","event":"b"}]})";
  { Journal(scratch / "x.journal", "n1", header).append(counted_by("papi", "s2")); }
  const auto expect_both = [](const Results& results) {
    ASSERT_EQ(results.outcomes.size(), 1U);
    EXPECT_EQ(results.outcomes[0].session, "s2");
    EXPECT_EQ(results.outcomes[0].placement, R"({"counted_with":["papi/1-0123","emulated/1-0123"]})");
    ASSERT_EQ(results.counts.size(), 2U);
    EXPECT_EQ(results.counts[0].session, "s1");
    EXPECT_EQ(results.counts[1].session, "s2");
    EXPECT_NE(results.provenance.find(R"("event":"a")"), std::string::npos) << results.provenance;
    EXPECT_NE(results.provenance.find(R"("event":"b")"), std::string::npos) << results.provenance;
  };
  expect_both(*load_finished(store, load_store));
  write_store(store, *load_finished(store, load_store));
  expect_both(*load_finished(store, load_store));  // the file has both, the journal the second alone
  { Journal(scratch / "x.journal", "n1", sample_header("s3", 30)).append(counted_by("papi", "s3")); }
  const Results third = *load_finished(store, load_store);
  ASSERT_EQ(third.counts.size(), 2U) << "counts by the same backend are replaced";
  EXPECT_EQ(third.counts[1].session, "s3");
}

TEST(merge, counts_that_stay_keep_how_often_they_were_counted) {
  const Scratch scratch;
  const auto store = scratch / "x.h5";
  const auto counted_times = [](const std::string& backend, const std::string& session, int times) {
    Finished record = counted_by(backend, session);
    record.outcome.placement.insert(record.outcome.placement.size() - 1,
                                    R"(,"count_repetitions":{")" + backend + R"(/1-0123":)" + std::to_string(times) + "}");
    return record;
  };
  Results first;
  append(first, counted_times("cupti", "s1", 1));
  write_store(store, first);
  { Journal(scratch / "x.journal", "n1", sample_header("s2", 20)).append(counted_times("papi", "s2", 5)); }
  EXPECT_EQ(load_finished(store, load_store)->outcomes.at(0).placement,
            R"({"counted_with":["papi/1-0123","cupti/1-0123"],"count_repetitions":{"papi/1-0123":5,"cupti/1-0123":1}})");
}

TEST(merge, a_file_of_somebody_else_among_the_journals_is_left_out_and_named) {
  const Scratch scratch;
  { Journal(scratch / "x.journal", "n1", sample_header()).append(sample_time(1)); }
  spill(scratch / "x.journal/notes.txt", "What I want to remember of this run");
  std::vector<std::string> notes;
  EXPECT_EQ(merge_journals(scratch / "x.journal", &notes).outcomes.size(), 1U);
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].find("notes.txt"), std::string::npos) << notes[0];
}

template <class Row>
std::vector<Row> sorted_by_case(std::vector<Row> rows) {
  std::stable_sort(rows.begin(), rows.end(), [](const Row& left, const Row& right) { return left.case_id < right.case_id; });
  return rows;
}

/// The usual end of a run: the result file of the session before, and a journal that holds both sessions.
TEST(merge, a_journal_and_the_file_written_from_it_hold_each_sample_once) {
  const Scratch scratch;
  const auto store = scratch / "x.h5";
  Journal journal(scratch / "x.journal", "n1", sample_header());
  for (int i = 0; i < 5; ++i) {
    journal.append(sample_time(i));
    journal.append(i == 3 ? failed(sample_count(i)) : sample_count(i));
  }
  journal.append(sample_ceilings());
  write_store(store, *load_finished(store, load_store));
  journal.append(sample_time(5));
  const Results journal_alone = merge_journals(scratch / "x.journal"), both = *load_finished(store, load_store);
  EXPECT_TRUE(same_bits(sorted_by_case(both.outcomes), sorted_by_case(journal_alone.outcomes)));
  EXPECT_TRUE(same_bits(sorted_by_case(both.times), sorted_by_case(journal_alone.times)));
  EXPECT_TRUE(same_bits(sorted_by_case(both.counts), sorted_by_case(journal_alone.counts)));
  EXPECT_TRUE(same_bits(sorted_by_case(both.model), sorted_by_case(journal_alone.model)));
  EXPECT_TRUE(same_bits(both.cases, journal_alone.cases));
  EXPECT_TRUE(same_bits(both.ceilings, journal_alone.ceilings));
  EXPECT_TRUE(same_bits(both.machines, journal_alone.machines));
}

TEST(merge, other_rounds_of_a_ceiling_stay) {
  Results older, newer;
  append(older, sample_ceilings("n1", "s1"));
  Finished second = sample_ceilings("n1", "s2");
  for (auto& row : second.ceilings) row.round += 2;
  append(newer, second);
  EXPECT_EQ(merge(older, newer).ceilings.size(), 4U);
}

TEST(merge, a_failed_newer_attempt_leaves_the_older_samples) {
  Results older, newer;
  append(older, sample_time(1, "n1", "s1"));
  append(newer, failed(sample_time(1, "n1", "s2")));
  const Results both = merge(older, newer);
  EXPECT_TRUE(same_bits(both.times, older.times));
  EXPECT_TRUE(same_bits(both.outcomes, older.outcomes));
}

TEST(merge, of_failures_in_a_nodes_files_the_last_in_time_wins_whatever_file_it_is_in) {
  const Scratch scratch;
  const auto folder = scratch / "x.journal";
  Finished hung = failed(sample_time(1)), later = failed(sample_time(1, "n1", "s2"));
  later.outcome.started_unix_ns = hung.outcome.started_unix_ns + 1;
  Journal(folder, "n1" + std::string(watchdog_suffix), sample_header("s1", 10)).append(hung);
  Journal(folder, "n1", sample_header("s2", 20)).append(later);
  const Results results = merge_journals(folder);
  ASSERT_EQ(results.outcomes.size(), 1U);
  EXPECT_EQ(results.outcomes[0], later.outcome);
}

TEST(append, rows_that_were_loaded_before_are_not_repeated) {
  const Scratch scratch;
  write_store(scratch / "x.h5", sample_results(3));
  Results results = load_store(scratch / "x.h5");
  append(results, sample_time(2, "n2"));
  EXPECT_EQ(results.cases.size(), 3U);
  EXPECT_EQ(results.model.size(), 6U);
  results.cases.clear();
  append(results, sample_time(2, "n2"));
  EXPECT_EQ(results.cases.size(), 1U);
}

#ifdef NDEBUG
constexpr int many_cases = 50'000;
#else
constexpr int many_cases = 800;  // unoptimized JSON takes minutes otherwise
#endif

/// Merges a journal of so many cases twice, and returns the fewer CPU seconds of this process.
double merge_seconds(const std::filesystem::path& folder, int cases) {
  std::filesystem::create_directory(folder);
  std::string bytes = frame(to_payload(sample_header()));
  for (int i = 0; i < cases; ++i) bytes += frame(to_payload(sample_time(i))) + frame(to_payload(sample_count(i)));
  spill(folder / "n1", bytes);
  double least = HUGE_VAL;
  for (int round = 0; round < 2; ++round) {
    const std::clock_t start = std::clock();
    const Results results = merge_journals(folder);
    least = std::min(least, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    EXPECT_EQ(results.outcomes.size(), 2U * static_cast<std::size_t>(cases));
    EXPECT_EQ(results.cases.size(), 1U * static_cast<std::size_t>(cases));
    EXPECT_EQ(results.times.size(), 5U * static_cast<std::size_t>(cases));
  }
  std::printf("merged %d records, %zu KB of journal, in %.2f s\n", 2 * cases, bytes.size() >> 10, least);
  return least;
}

TEST(merge, many_records_are_merged_in_linear_time) {
  const Scratch scratch;
  const double quarter = merge_seconds(scratch / "x.journal", many_cases / 4), whole = merge_seconds(scratch / "y.journal", many_cases);
  EXPECT_LT(whole, 8 * quarter) << "four times as much, where a quadratic merge takes sixteen";
}

}  // namespace
}  // namespace plumbline
