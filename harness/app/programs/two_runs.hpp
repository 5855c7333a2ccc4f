// A program is run twice, natively and under the emulator: both runs shall have the same input, and whether they did the same is judged.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "app/programs/emulated_counts.hpp"
#include "profile/native_run.hpp"
#include "profile/program_run.hpp"

namespace plumbline::app {

/// Standard input before the program reads it: the second run begins at the same place of the same file.
class RepeatedInput {
 public:
  RepeatedInput();
  /// Says what the second run reads; where it cannot be the same, `notes` say so.
  void give_again(StandardStreams& streams, std::vector<std::string>& notes) const;

 private:
  bool is_file_ = false, is_used_up_ = false;
  std::int64_t begin_ = 0;
};

/// Sets what makes libraries choose the same code in both runs, where that is wanted, and says so.
void choose_code(const ProfileOptions& options, std::vector<std::string>& notes);

/// Throws Error (user) where nothing of the timed run lies in the window that is wanted.
void require_window(const ProfileOptions& options, const NativeRun& native);

/// Tells how long counting will take after the timed run, where that is long.
void announce_counting(const ProfileOptions& options, const ProgramEnding& native);

/// Says why counts and times are not of the same work; empty where they are. `counted_errors`: what the counted run said on its standard
/// error.
std::string why_not_joined(const ProfileOptions& options, const ProgramEnding& native, const EmulatedEnding& counted,
                           const std::filesystem::path& counted_errors);

}  // namespace plumbline::app
