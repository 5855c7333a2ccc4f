// A quantity is made of parts, so that several counters may see a part of it each and one counter may see more than it.
#pragma once
#include <set>
#include <span>
#include <string>
#include <vector>

namespace plumbline {

/// The area of a quantity: the quantities that one counter may see together, all FLOPs ("flops") or a boundary's bytes ("bytes.L1-L2").
std::string area_of(const std::string& quantity);

/// The parts without which a quantity is not seen: a precision's FLOPs are one; of a boundary's bytes non-temporal stores and prefetches
/// may be left unseen where the counters' scores bear that.
std::vector<std::string> needed_parts(const std::string& quantity);

/// The parts of its area that a list of claims covers; empty where one lies outside of it, or is no part but a piece of one.
std::set<std::string> parts_seen(std::span<const std::string> claims, const std::string& area);

/// Whether the quantity is a total as "flops.fp64", "flops.tensor.tf32"; the kinds of arithmetic in them have one word more.
bool is_flops_total(const std::string& quantity);

/// The precision in a quantity's name: "fp64" in "flops.fp64" and "flops.fp64.add", "tensor.tf32" in "flops.tensor.tf32".
std::string flops_precision(const std::string& quantity);

}  // namespace plumbline
