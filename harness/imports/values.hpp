// Nsight Compute, nvprof, likwid, Advisor and perf print numbers and units in these forms.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace plumbline {

/// Reads a number as printed: "1,234,567.89", "4692.2", "1.2e+09". nullopt where it is none: groups of a thousands separator have three
/// digits, so that another locale's decimal comma ("9,00") is no number.
std::optional<double> printed_number(std::string_view text);

/// The number of base units (byte, second, 1/s, instruction, sector, ...) in one `unit`: 1000 for "Kbyte", 1e-9 for "nsecond" and "ns", 1e9
/// for "cycle/nsecond" and "Ghz". 1 for no unit. nullopt where the unit is not known.
std::optional<double> base_units(std::string_view unit);

}  // namespace plumbline
