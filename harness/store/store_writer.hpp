// A result file is written part by part: in memory are the file as it will be (packed and compressed) and a block of rows a table.
#pragma once
#include <array>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/records.hpp"

namespace plumbline {

/// The facts that HDF5 must know of each table before its first row: how many rows there will be, and how wide its texts are.
class StoreShape {
 public:
  void add(const Results& part);

  struct OfTable {
    std::size_t rows = 0;
    std::vector<std::size_t> widths;  // of each column; 0 for numbers
  };
  /// The shape of a table, by its number in the order of for_each_table (schema.hpp).
  const OfTable& table(std::size_t number) const { return tables_[number]; }

 private:
  std::array<OfTable, 9> tables_;
};

class StoreWriter {
 public:
  /// Opens a file for exactly the rows that `shape` was told of. Every call throws io_error.
  StoreWriter(std::filesystem::path path, const StoreShape& shape);
  ~StoreWriter();
  StoreWriter(const StoreWriter&) = delete;
  StoreWriter& operator=(const StoreWriter&) = delete;

  /// Appends rows of any tables, behind those that are there.
  void append(const Results& part);
  /// Adds the derived table, whole; at most once.
  void add(const Intensities& derived);
  /// Writes NAME.partial, then renames it to NAME; a reader finds the old file or the new one, never half of one. It is the last call.
  void finish(const std::string& provenance, const std::string& campaign);

 private:
  struct Image;
  std::filesystem::path path_;
  std::unique_ptr<Image> image_;
};

}  // namespace plumbline
