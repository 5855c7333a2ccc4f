// Packed tables go from one process to another in frames of a letter that says what it is, eight bytes of length (little-endian), and so
// many bytes. The Python package reads the same (analysis/plumbline_analysis/load.py).
//   t NAME\nVALUE    an attribute
//   h {"table":"times","columns":[{"name":"case","type":"S60","units":"",...},...]}    what the rows that follow are
//   r ...    whole rows, packed
//   . (empty)    the end: all was sent. In its place: d WHY (the file is damaged), e CODE MESSAGE (an Error)
#pragma once
#include <cstdint>
#include <string_view>

#include "core/error.hpp"
#include "store/packed_tables.hpp"

namespace plumbline {

/// Sends packed tables. Throws Error (I/O) where nobody reads any more.
class TableSender final : public PackedTables {
 public:
  explicit TableSender(int descriptor) : descriptor_(descriptor) {}
  void text(std::string_view name, std::string_view value) override;
  void table(std::string_view name, const std::vector<PackedColumn>& columns) override;
  void rows(std::string_view packed) override;

  void end();
  void end(const Damage& damage);
  void end(const Error& error);

 private:
  void frame(char what, std::string_view bytes);
  int descriptor_;
};

/// Hands over what is sent, to its end; false where the stream ends before. The sender may have been taken over by a crafted file: it is
/// believed nothing, and no more than `most_bytes` are taken. Throws the Damage or Error that was sent, and Damage where what comes is no
/// such stream.
bool receive_tables(int descriptor, PackedTables& taker, std::uint64_t most_bytes);

}  // namespace plumbline
