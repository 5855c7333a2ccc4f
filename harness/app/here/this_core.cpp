#include "app/here/this_core.hpp"

#include "machine/cpu.hpp"

namespace plumbline::app {

CoreIdentity this_core() {
  const Cpu& cpu = this_cpu();
  return {cpu.vendor, cpu.family, cpu.model, cpu.name, cpu.stepping};
}

}  // namespace plumbline::app
