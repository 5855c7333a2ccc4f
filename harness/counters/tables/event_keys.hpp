// The keys of event tables: of CPUs and, where CUPTI counts, of GPUs.
#pragma once
#include "core/text/written_keys.hpp"

namespace plumbline {

/// The file, a counter, a term, and what the table is for, in this order.
WrittenFile event_table_file(bool of_gpu);

}  // namespace plumbline
