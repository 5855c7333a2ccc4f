// The names of units of work as one text, and which of two records of a unit counts.
#pragma once
#include <string>

#include "core/records.hpp"

namespace plumbline {

/// Joins fields that name something by a byte that no name holds.
template <class... Parts>
std::string joined(const Parts&... parts) {
  std::string key;
  ((key += parts, key += '\x1f'), ...);
  return key;
}

inline std::string work_key(const OutcomeRow& outcome) { return joined(outcome.case_id, outcome.node, outcome.pass); }

/// Whether two rows are the same sample of the same session, read twice.
inline bool same_sample(const CeilingRow& a, const CeilingRow& b) {
  return a.session == b.session && a.node == b.node && a.round == b.round && a.name == b.name && a.method == b.method &&
         a.reason == b.reason && a.ranks == b.ranks && a.threads == b.threads && a.precision == b.precision && a.pattern == b.pattern;
}

/// Whether `later` takes the place of `earlier`.
inline bool supersedes(const OutcomeRow& later, const OutcomeRow& earlier) {
  return later.status == Status::ok || earlier.status != Status::ok;
}

}  // namespace plumbline
