// The code that each event had for the machine when it was counted is kept with the counts, and held against today's event tables when they
// are judged.
#pragma once
#include <string>
#include <vector>

#include "app/here/counting_plan.hpp"
#include "app/terminal/table.hpp"
#include "core/records.hpp"
#include "counters/registry.hpp"
#include "counters/tables/event_table.hpp"

namespace plumbline::app {

/// The code of each event, [{backend, event, code}], with {table: "amd-zen4.toml:12", table_hash} where a table names the event.
Json event_codes(const CountingPlan& plan, const std::vector<TableCounter>& table, const BackendFacts& facts);

/// Says what has changed in the tables since the results were counted: an event that has another code now or that no table names any more,
/// and tables whose text differs. Empty where nothing has, or the file keeps no codes.
std::vector<std::string> table_changes(const Results& results, const std::vector<TableCounter>& today);

}  // namespace plumbline::app
