// A profile is printed for people and for programs.
#pragma once
#include <string>
#include <vector>

#include "app/programs/profile_columns.hpp"
#include "app/terminal/table.hpp"
#include "profile/launch_meeting.hpp"
#include "profile/native_run.hpp"
#include "profile/profile.hpp"

namespace plumbline::app {

/// The things that are shown of a profile.
struct ProfileResult {
  std::vector<std::string> command;
  std::string caches;  // in words; empty: not simulated
  std::vector<ProcessCounts> processes;
  Profile profile;
  std::vector<RankEnding> endings;     // by rank
  std::vector<NativeRank> timed = {};  // by rank; empty where none was timed
  int launched = 1;
  std::size_t functions = 10;  // most of them by FLOPs, and as many by bytes
  std::vector<std::string> notes;
};

/// The ranks with what each told of itself, by rank.
std::vector<EndedRank> ended_ranks(const ProfileResult& result);

std::string profile_text(const ProfileResult& result);
/// The document plumbline-profile/1. `file`: where it goes; empty: nowhere.
std::string profile_json(const ProfileResult& result, const std::string& file);
/// Adds the rows of that document of ranks, processes and threads.
void add_other_rows(const ProfileResult& result, Json& rows);
/// The JSON Schemas of its kinds of rows.
Json profile_row_schemas();

}  // namespace plumbline::app
