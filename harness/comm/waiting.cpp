#include "comm/waiting.hpp"

#include <atomic>

namespace plumbline {
namespace {

std::atomic<bool> waits{false};

}  // namespace

Waiting::Waiting() { waits.store(true, std::memory_order_relaxed); }
Waiting::~Waiting() { waits.store(false, std::memory_order_relaxed); }

bool waits_for_others() { return waits.load(std::memory_order_relaxed); }

}  // namespace plumbline
