// A result file is HDF5, schema "plumbline/1" (schema.hpp). Plain h5py and pandas read it.
#pragma once
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "core/error.hpp"
#include "core/records.hpp"
#include "store/packed_tables.hpp"

namespace plumbline {

/// Writes NAME.partial, then renames it to NAME; a reader finds the old file or the new one, never half of one. Throws io_error.
void write_store(const std::filesystem::path& path, const Results& results, const Intensities* derived = nullptr);

/// Whether the file's first bytes are HDF5's; false where nothing can be read.
bool begins_as_store(const std::filesystem::path& path);

enum class StorePart { measured, derived };

/// Hands over what the file holds: all that was measured, or the derived table (nothing where there is none, as in older files).
/// `before(bytes)` is called when the file is in memory, and the HDF5 library has not looked at it yet: from then on anything may happen
/// that a crafted file can make the library do. Throws user_error where the file is missing, no result file, or from a newer plumbline;
/// Damage where it is cut short or damaged; and what `taker` throws.
void read_store(
    const std::filesystem::path& path, StorePart part, PackedTables& taker,
    const std::function<void(std::size_t)>& before = [](std::size_t) {});
/// Makes a user_error of a Damage's words.
Error damaged_store(const std::filesystem::path& path, const std::string& why);

/// Reads a file within this process, where a crafted file may crash it: for tests, which write their files themselves. The program asks
/// app/results/stored_results.hpp. Throws user_error where the file is missing, no result file, cut short, damaged, or from a newer
/// plumbline.
Results load_store(const std::filesystem::path& path);
std::optional<Intensities> load_intensities(const std::filesystem::path& path);

/// The version of the HDF5 library that this program runs with: "1.10.8".
std::string hdf5_version();

}  // namespace plumbline
