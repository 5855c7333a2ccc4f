#include "core/twin.hpp"

#include <algorithm>

namespace plumbline {
namespace {

std::vector<Twin>& all_twins() {
  static std::vector<Twin> all;
  return all;
}

}  // namespace

RegisterTwins::RegisterTwins(std::span<const Twin> twins) { all_twins().insert(all_twins().end(), twins.begin(), twins.end()); }

const Twin* find_twin(Sweep timed) {
  const auto& all = all_twins();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Twin& twin) { return twin.timed == timed; });
  return found == all.end() ? nullptr : &*found;
}

Counts executed_counts(const References& references) {
  const std::string bytes = std::string(executed_prefix) + "bytes.reg-L1";
  return {{bytes, references.load + references.store + references.nt_store},
          {bytes + ".load", references.load},
          {bytes + ".store", references.store},
          {bytes + ".nt_store", references.nt_store}};
}

void forget_executions(const BlockTable& table) { std::fill_n(table.executions, table.blocks, 0); }

std::optional<References> executed_references(const BlockTable& table, std::string& why) {
  References sum;
  for (std::uint64_t at = 0; at < table.blocks; ++at) {
    const std::uint64_t times = table.executions[at];
    const Block& block = table.block[at];
    if (times == 0) continue;
    if (block.unknown != nullptr) {
      why = std::string("the code does not tell how many bytes '") + block.unknown + "' moves";
      return std::nullopt;
    }
    sum.load += times * block.load_bytes;
    sum.store += times * block.store_bytes;
    sum.nt_store += times * block.nt_store_bytes;
  }
  return sum;
}

}  // namespace plumbline
