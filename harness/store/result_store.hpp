// The result file: HDF5, schema "plumbline/1" (schema.hpp). Plain h5py and pandas read it.
#pragma once
#include <filesystem>
#include <optional>

#include "core/intensity_row.hpp"
#include "core/records.hpp"

namespace plumbline {

/// Writes NAME.partial, then renames it to NAME; a reader finds the old file or the new one, never half of one.
/// Throws io_error.
void write_store(const std::filesystem::path& path, const Results& results, const Intensities* derived = nullptr);

/// By its first bytes: HDF5. False where nothing can be read.
bool begins_as_store(const std::filesystem::path& path);

/// Throws user_error where the file is missing, no result file, cut short, damaged, or from a newer plumbline.
Results load_store(const std::filesystem::path& path);

/// The derived table as it lies in the file; nullopt where there is none, as in older files. Throws user_error as load_store does.
std::optional<Intensities> load_intensities(const std::filesystem::path& path);

/// Version of the HDF5 library that this program runs with: "1.10.8".
std::string hdf5_version();

}  // namespace plumbline
