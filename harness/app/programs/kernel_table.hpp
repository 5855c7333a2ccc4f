// A program's GPU kernels are printed for people and for programs.
#pragma once
#include <string>
#include <vector>

#include "app/programs/kernel_profile.hpp"
#include "app/terminal/table.hpp"
#include "profile/launch_meeting.hpp"

namespace plumbline::app {

/// The things that are shown of a program's kernels.
struct KernelResult {
  std::vector<std::string> command;
  std::vector<RankReport> reports;
  KernelProfile profile;
  std::vector<RankEnding> endings;  // by rank
  int launched = 1;                 // ranks
  std::size_t kernels = 10;         // most of them in the table
  std::vector<std::string> notes;
};

std::string kernels_text(const KernelResult& result);
/// The document plumbline-profile/1, with rows of kind total, kernel and process. `file`: where it goes; empty: nowhere.
std::string kernels_json(const KernelResult& result, const std::string& file);
/// The JSON Schemas of its kinds of rows.
Json kernel_row_schemas();

}  // namespace plumbline::app
