#include "counters/backend/absent.hpp"
#include "counters/papi/papi.hpp"

namespace plumbline {

std::unique_ptr<Backend> papi_backend(const EventNames&) {
  return absent_backend("papi", "not compiled in: install libpapi-dev, then build again");
}

std::vector<EventDescription> papi_events() { return {}; }

std::vector<EventDescription> papi_components() { return {}; }

EventNames papi_emulated_events() { return {}; }

std::string papi_code(const std::string& event) { return event; }

}  // namespace plumbline
