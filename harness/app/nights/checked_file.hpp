// A night is held against the nights before it, against a folder of them, or against one file: this is what `plumbline check` finds.
#pragma once
#include <optional>
#include <string>

#include "app/nights/check_report.hpp"
#include "core/error.hpp"

namespace plumbline::app {

struct CheckWish {
  std::string file, baseline, history;   // baseline: rolling:DAYSd, a folder or a file; history empty: the file's folder
  std::optional<double> threshold = {};  // a part; nullopt: by class
  double false_alarms = 0.05;            // expected in a night in which nothing changed
  bool allow_missing = false;
};

/// Checks a file. Throws Error (user) where a file is missing, foreign or cut short, and where a named file is of another cluster or has
/// nothing in common.
CheckReport check_file(const CheckWish& wish);

/// Makes sure that there is a baseline, before hours or a minute are spent on what is to be held against it. Throws Error (user) where
/// there is none.
void require_baseline(const CheckWish& wish);

/// The exit code of a report: 4: a wrong result, 3: something is slower, 1: something is missing, or nothing was measured; else 0.
Exit exit_of(const CheckReport& report);

}  // namespace plumbline::app
