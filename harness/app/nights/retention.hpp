// Some nights of a folder may go, and others stay for a reason.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "app/nights/accepted_levels.hpp"
#include "app/nights/history_index.hpp"

namespace plumbline::app {

struct RetentionWish {
  double keep_days = 0;       // before the last night of the same campaign on the same cluster
  bool keep_monthly = false;  // and the first night of each month (UTC)
};

struct NightFate {
  const Night* night = nullptr;  // borrowed
  std::string kept_for = {};     // in words; empty: it may go
  bool is_young = false;         // kept for its age alone
};

/// Decides which nights go; `nights` are in order of their start. What was accepted stays, and so does what `check` needs to tell what is
/// missing: the last night that measured a thing which no later one has, of what was spread over nodes also the last of those in which the
/// most had it. Nights of the future stay, and make no other old: a clock was wrong. So do nights in which nothing was timed, and those
/// whose campaign has no name: what came after them is not known. `below`: levels that were accepted in folders below, which keep their
/// nights and say nothing of others.
std::vector<NightFate> fates_of(std::span<const Night> nights, const std::vector<AcceptedLevel>& levels, const RetentionWish& wish,
                                std::int64_t now_unix_ns, const std::vector<AcceptedLevel>& below = {});

}  // namespace plumbline::app
