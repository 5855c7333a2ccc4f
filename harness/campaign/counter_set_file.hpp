// A counter set lies in a file: `plumbline score --choose` writes it and a campaign's `counters = "SET.toml"` takes it.
#pragma once
#include <string>

#include "core/counter_set.hpp"

namespace plumbline {

/// The counter set as TOML, schema "plumbline-counters/1".
std::string counter_set_toml(const CounterSet& set);

/// Reads a counter set. Throws Error (user) with place and remedy where the text is none: unknown keys, a counter whose events are in no
/// group.
CounterSet parse_counter_set(const std::string& text, const std::string& path);
CounterSet read_counter_set(const std::string& path);

/// Throws Error (user) where there is a file that is no counter set: a result, a campaign. A missing or empty file, a device and a pipe
/// pass.
void require_set_or_nothing(const std::string& path);

}  // namespace plumbline
