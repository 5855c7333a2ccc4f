#include "model/projecting/work_part.hpp"

namespace plumbline {

WorkPart times(WorkPart part, double factor) {
  for (auto& [precision, share] : part.mix) share.flops *= factor;
  for (auto& [level, bytes] : part.bytes) bytes *= factor;
  if (part.reuse) {
    scale(part.reuse->distances, factor);
    part.reuse->past_bytes *= factor;
  }
  for (double* amount :
       {&part.instructions, &part.core_cycles, &part.working_set_bytes, &part.launches, &part.messages, &part.message_bytes})
    *amount *= factor;
  return part;
}

}  // namespace plumbline
