// A thread can be bound to the memory that its new pages come from.
#pragma once
#include <string>

namespace plumbline {

/// Makes pages that this thread touches first come from the memory of that NUMA node (the system's number) alone. Returns why not, or "".
std::string bind_new_pages(int numa_memory);
/// Lets new pages come from the memory nearest to the thread again.
void unbind_new_pages();
/// The NUMA node whose memory holds the page at `address`; -1 where the system does not say.
int memory_of_page(const void* address);

}  // namespace plumbline
