// The options say what the user asked `plumbline run` for.
#pragma once
#include <filesystem>
#include <string>

namespace plumbline::app {

struct RunOptions {
  std::string campaign;
  std::string counters;          // empty: the campaign's
  int count_repetitions = 0;     // 0: the campaign's
  std::filesystem::path output;  // empty: plumbline-out/NAME.h5
  bool dry_run = false, resume = false, overwrite = false;
  bool accept_changed_campaign = false, accept_changed_program = false;  // by a resumed run
};

}  // namespace plumbline::app
