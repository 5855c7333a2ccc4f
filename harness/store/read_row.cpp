#include "store/read_row.hpp"

#include <string_view>

#include "core/gpu_device.hpp"
#include "core/link_name.hpp"
#include "core/status.hpp"

namespace plumbline {
namespace {

/// Splits "gcc12-O3-v3: wrong result: ..." into its two columns.
void split_reason(CeilingRow& row) {
  constexpr std::string_view between = ": ";
  const std::size_t words = row.method.find(wrong_result_words);
  if (words == std::string::npos || words < between.size() || row.method.compare(words - between.size(), between.size(), between) != 0)
    return;
  row.reason = row.method.substr(words);
  row.method.resize(words - between.size());
}

/// The node at the other end of messages: "n1" of "n0 rank 0 (CPU 0) with n1 rank 4 (CPU 2), stream, ..."
std::string other_end_of_messages(const std::string& method) {
  constexpr std::string_view with = " with ", rank = " rank ";
  const auto from = method.find(with);
  if (from == std::string::npos) return {};
  const auto to = method.find(rank, from);
  return to == std::string::npos ? std::string() : method.substr(from + with.size(), to - from - with.size());
}

}  // namespace

void understand(OutcomeRow& row) { row.status = status_with(row.status, row.reason); }
void understand(IntensityRow& row) { row.status = status_with(row.status, row.reason); }

void understand(CeilingRow& row) {
  if (row.status != Status::ok && row.reason.empty()) split_reason(row);
  row.status = status_with(row.status, row.reason);
  if (row.scope == gpu_scope && row.device == 0) row.device = gpu_of_name(row.name);
  if (!row.peer.empty()) return;
  if (row.level == CeilingKind::link) row.peer = peer_of_link(row.name);
  if (row.level == CeilingKind::mpi) row.peer = other_end_of_messages(row.method);
}

}  // namespace plumbline
