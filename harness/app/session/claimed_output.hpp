// The output of a run, claimed: what may not be overwritten is refused, and nobody else writes it from then on.
#pragma once
#include <filesystem>
#include <memory>

#include "app/session/run_options.hpp"
#include "campaign/campaign.hpp"
#include "store/run_files.hpp"
#include "store/session_hold.hpp"

namespace plumbline::app {

/// The result file: as named, or plumbline-out/NAME.h5.
std::filesystem::path output_of(const RunOptions& options, const Campaign& campaign);

struct ClaimedOutput {
  RunFiles files;
  std::unique_ptr<SessionHold> hold;  // null under --dry-run, which writes nothing
};

/// Claims the output, on rank 0. Under --overwrite what lay there is removed. Throws Error (or fs::filesystem_error) where that is not
/// allowed, is not asked for, or another run has the output.
ClaimedOutput claim_output(const RunOptions& options, const Campaign& campaign, const std::filesystem::path& store);

}  // namespace plumbline::app
