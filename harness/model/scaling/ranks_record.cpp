#include "model/scaling/ranks_record.hpp"

#include <algorithm>
#include <cmath>

namespace plumbline {
namespace {

std::string kind_of(const RanksPair& pair) { return std::string(ranks_family) + ", " + std::string(to_string(pair.scaling)); }

std::string class_name(const RanksPair& pair, const ScaledTime& told) { return kind_of(pair) + ", " + std::string(to_string(told.bound)); }

/// The factor by which nine in ten of such projections are right, and where it is from; absent where too few are known.
double factor_of(ScaledTime& told, const RanksPair& pair, std::span<const RecordRow> record) {
  const RecordClass learned =
      class_of(record, kind_of(pair), class_name(pair, told), [&](const RecordRow& row) { return row.kernel != pair.kernel; });
  const double factor = std::exp(plain_error_quantile(learned, Method::overlap));
  if (!std::isfinite(factor)) return absent;
  told.learned_from = learned.name;
  told.learned_pairs = learned.rows.size();
  return factor;
}

}  // namespace

RecordRow row_of(const RanksPair& pair, const ScaledTime& told, double true_seconds) {
  RecordRow row{.part = pair.to,
                .kernel = pair.kernel,
                .from = pair.from,
                .to = pair.to,
                .from_machine = pair.from_machine,
                .to_machine = pair.to_machine,
                .kind = kind_of(pair),
                .bound_class = class_name(pair, told)};
  row.log_error[index_of(Method::overlap)] = std::log(told.seconds / true_seconds);
  return row;
}

void take_interval(ScaledTime& told, const RanksPair& pair, std::span<const RecordRow> record) {
  const double factor = factor_of(told, pair, record);
  if (!std::isfinite(factor)) return;
  told.lo = told.seconds / factor;
  told.hi = told.seconds * factor;
}

void open_interval(ScaledTime& told, const RanksPair& pair, std::span<const RecordRow> record) {
  const double factor = factor_of(told, pair, record);
  if (!std::isfinite(factor)) return;
  told.lo = std::min(told.lo, told.seconds / factor);
  told.hi = std::max(told.hi, told.seconds * factor);
}

}  // namespace plumbline
