// The tables of a result file pass between HDF5 and rows packed as they lie in memory, a block at a time. Who takes them knows no HDF5.
#pragma once
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/records.hpp"

namespace plumbline {

/// An error in what a file holds. Whoever knows the file makes an Error of it (damaged_store).
struct Damage : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A column of a packed table.
struct PackedColumn {
  std::string name;
  std::string type;  // as numpy calls it: "S60" (text, padded with nulls), "i4", "i8", "u8", "f8"
  std::string_view units = {}, long_name = {}, better = {};
};

/// Takes what a reader finds in a file.
class PackedTables {
 public:
  virtual ~PackedTables() = default;
  /// Takes an attribute: "provenance", "campaign"; for the derived table "derived_by", "reason".
  virtual void text(std::string_view name, std::string_view value) = 0;
  /// Takes the description of a table, to which the rows that follow belong. Columns lie one after the other, without gaps.
  virtual void table(std::string_view name, const std::vector<PackedColumn>& columns) = 0;
  /// Takes rows, whole ones.
  virtual void rows(std::string_view packed) = 0;
};

/// Makes rows of packed tables. Its calls throw Damage where a table is not as the schema has it, where rows would take more memory than
/// they may, and where JSON goes deeper than those who read it can follow; whatever else is wrong with the bytes, a row has what they say.
class Unpacker final : public PackedTables {
 public:
  explicit Unpacker(std::uint64_t most_bytes = std::numeric_limits<std::uint64_t>::max()) : left_(most_bytes) {}
  Unpacker(Unpacker&&) = delete;

  void text(std::string_view name, std::string_view value) override;
  void table(std::string_view name, const std::vector<PackedColumn>& columns) override;
  void rows(std::string_view packed) override;

  Results results = {};
  std::optional<Intensities> derived = {};

 private:
  std::function<void(std::string_view)> take_;
  std::uint64_t left_;  // bytes that rows may still take
};

}  // namespace plumbline
