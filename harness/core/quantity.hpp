// The names of what is counted (flops.fp64, bytes.L1-L2.rfo, ...), and which of them one counter can claim together.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace plumbline {

/// A text for error messages that lists the quantity names.
extern const char* const quantity_names;

/// Whether the name is a quantity's: flops.PRECISION, flops.PRECISION.KIND (flops.int8: integer operations of int8 vectors),
/// flops.tensor.TYPE, bytes.BOUNDARY, bytes.BOUNDARY.FLOW, {,fp_,int_}instructions, cycles, seconds, hertz (a clock's rate); occupancy:
/// resident warps of a GPU as a fraction of those that it has room for.
bool is_quantity(const std::string& name);

/// The unit of a quantity: "bytes", "cycles", "seconds", "hertz", "fraction" (occupancy), else "operations".
std::string_view unit_of(std::string_view quantity);

/// Whether one quantity is the other or a part of it, as bytes.L1-L2 and bytes.L1-L2.rfo.
bool share_a_part(std::string_view one, std::string_view other);

/// Says why no counter can claim the sum of these quantities: an unknown name, another unit, or the same twice. nullopt where one can.
std::optional<std::string> wrong_claim(std::span<const std::string> quantities);

}  // namespace plumbline
