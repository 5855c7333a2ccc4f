// An earlier profile of the same program, without the part of interest or with fewer rounds of it, is taken away from a profile: what is
// left is the part's (Yang, Kurth, Williams 2019, section III.D: a calibrating run without the kernels of interest).
#pragma once
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "app/programs/placed_table.hpp"
#include "app/programs/profile_ways.hpp"
#include "core/records.hpp"

namespace plumbline::app {

/// The earlier profile.
struct Subtrahend {
  std::string file = {};  // as it is published
  ProfileWords words = {};
  std::vector<ProfileRow> rows = {};
  std::vector<CountRow> counts = {};
};

/// Reads the profile that --subtract names; nullopt where it names none. Throws Error (user) where the file has no profile, or one of
/// something else than this command line does.
std::optional<Subtrahend> read_subtrahend(const ProfileOptions& options, const std::string& program);

/// The parts by which times and counts of runs of the same differ.
inline constexpr double much_time = 0.05, much_of_counts = 0.01;

/// An amount less the earlier one; nothing where that one is more. One that is not known takes nothing away.
inline double less(double now, double before) { return std::max(0.0, now - (std::isfinite(before) ? before : 0)); }

/// Says that an amount is more in the earlier run than in this one, beyond what runs of the same differ by: "FILE has more ...".
std::string too_much(const Subtrahend& earlier, const std::string& what, const std::string& of, const std::string& before,
                     const std::string& now);

/// Takes the earlier profile away from a program's. Gives why it cannot be, and then leaves the program as it is; empty: it was done, and
/// `notes` say so.
std::string subtract(const Subtrahend& earlier, PlacedProgram& placed, std::vector<std::string>& notes);

/// The name of the earlier run in a case's id.
std::string name_in_cases(const Subtrahend& earlier);

}  // namespace plumbline::app
