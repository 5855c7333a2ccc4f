// The program reads result files in a process of its own, for anybody may have made one, and the HDF5 library crashes on some. That process
// looks at the file ('plumbline tables', hidden), may do nothing but that (confinement.hpp), and sends what it found.
#pragma once
#include <filesystem>
#include <optional>

#include "core/records.hpp"

namespace plumbline::app {

/// Loads a file. Throws Error (user) where the file is missing, no result file, cut short, damaged, or from a newer plumbline, and where it
/// crashes its reader or takes more time or memory than its size allows; (I/O) where no process can be started.
Results load_results(const std::filesystem::path& file);

/// Loads a file for whoever judges: the phases of applications are cases among the others.
Results load_cases(const std::filesystem::path& file);

/// The derived table as it lies in the file; nullopt where there is none, as in older files. Throws as load_results does.
std::optional<Intensities> load_derived(const std::filesystem::path& file);

}  // namespace plumbline::app
