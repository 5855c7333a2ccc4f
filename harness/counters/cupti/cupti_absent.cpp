#include "counters/backend/absent.hpp"
#include "counters/cupti/cupti.hpp"

namespace plumbline {
namespace {

constexpr const char* why = "not compiled in (cmake says why): install the CUDA toolkit 13 or PyPI's nvidia-cuda-cupti, then build again";

}  // namespace

bool cupti_is_compiled_in() { return false; }

std::unique_ptr<Backend> cupti_backend(const EventNames&, const EventTables&) { return absent_backend("cupti", why); }
std::unique_ptr<Backend> cupti_backend_at(const CuptiPlace&, const EventNames&, const EventTables&) { return absent_backend("cupti", why); }

std::vector<EventDescription> cupti_events(const EventTables&) { return {}; }
std::string cupti_code(const std::string& event) { return event; }

CuptiTrial try_cupti(const CuptiPlace&) { return {{Status::unavailable, why}, ""}; }
CuptiTrial try_cupti() { return {{Status::unavailable, why}, ""}; }
std::string cupti_chip_here() { return ""; }

}  // namespace plumbline
