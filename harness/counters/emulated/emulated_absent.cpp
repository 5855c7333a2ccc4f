#include "counters/backend/absent.hpp"
#include "counters/emulated/emulated.hpp"

namespace plumbline {

std::unique_ptr<Backend> emulated_backend(const EventNames&) {
  return absent_backend("emulated", "not compiled in: install valgrind and its headers, then build again");
}

std::vector<EventDescription> emulated_events() { return {}; }

unsigned emulator_abi() { return 0; }

}  // namespace plumbline
