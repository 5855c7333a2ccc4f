// A counter set as a file: what `plumbline score --choose` writes and a campaign's `counters = "SET.toml"` takes.
#pragma once
#include <string>

#include "core/counter_set.hpp"

namespace plumbline {

/// TOML, schema "plumbline-counters/1".
std::string counter_set_toml(const CounterSet& set);

/// Throws Error (user) with place and remedy where the text is no counter set: unknown keys, a counter whose events are in no group.
CounterSet parse_counter_set(const std::string& text, const std::string& path);
CounterSet read_counter_set(const std::string& path);

/// Throws Error (user) where there is a file that is no counter set: a result, a campaign. None, an empty one, a device or a pipe pass.
void require_set_or_nothing(const std::string& path);

}  // namespace plumbline
