// The keys of campaigns, of machine files for batch scripts and of counter sets.
#pragma once
#include "core/text/written_keys.hpp"

namespace plumbline {

extern const WrittenKeys campaign_keys, timing_keys, counting_keys, deadline_keys, journal_keys, nodes_keys, ceilings_keys, emulated_keys,
    team_keys, case_keys, range_keys;
extern const WrittenKeys machine_keys;
extern const WrittenKeys set_keys, set_counter_keys, set_term_keys, set_group_keys, set_uncovered_keys;

WrittenFile campaign_file();
WrittenFile machine_file();
WrittenFile counter_set_file();

}  // namespace plumbline
