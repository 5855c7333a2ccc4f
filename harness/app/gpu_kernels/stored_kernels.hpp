// The kernels that a result file holds, as they were shown when the program had run.
#pragma once
#include <optional>
#include <span>

#include "app/gpu_kernels/kernel_table.hpp"
#include "core/records.hpp"

namespace plumbline::app {

/// The kernels of a profile in a result file; nullopt where it is of a program on CPUs.
std::optional<ShownKernels> stored_kernels(const ProfileWords& words, std::span<const ProfileRow> rows);

}  // namespace plumbline::app
