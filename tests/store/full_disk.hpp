// Some things must hold when the disk is full while a journal or a result file is written.
#pragma once
#include <string>

#include "faults.hpp"
#include "samples.hpp"
#include "store/journal.hpp"
#include "store/result_store.hpp"

namespace plumbline {
inline void expect_full_disk_keeps_earlier_records(const std::filesystem::path& folder, const std::string& errno_text) {
  Journal journal(folder, "n1", sample_header());
  int durable = 0;
  ThrownError refusal;
  while (refusal.code == 0 && durable < 10000) {
    refusal = refusal_of([&] { journal.append(sample_time(durable)); });
    if (refusal.code == 0) ++durable;
  }
  EXPECT_EQ(refusal.code, 1);
  EXPECT_NE(refusal.text.find(journal.path().string()), std::string::npos) << refusal.text;
  EXPECT_NE(refusal.text.find(errno_text), std::string::npos) << refusal.text;
  EXPECT_GT(durable, 0);
  const JournalContents contents = read_journal(journal.path());
  EXPECT_EQ(static_cast<int>(contents.records.size()), durable);
  EXPECT_EQ(contents.torn_bytes, 0U);
}

inline void expect_full_disk_keeps_the_old_file(const std::filesystem::path& folder, const std::string& errno_text) {
  const ThrownError refusal = refusal_of([&] { write_store(folder / "x.h5", sample_results(5000)); });
  EXPECT_EQ(refusal.code, 1);
  EXPECT_NE(refusal.text.find(errno_text), std::string::npos) << refusal.text;
  EXPECT_FALSE(std::filesystem::exists(folder / "x.h5.partial"));
  expect_same(load_store(folder / "x.h5"), sample_results(2));
}

}  // namespace plumbline
