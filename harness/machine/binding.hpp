// A thread is bound to one CPU, and the binding is verified.
#pragma once
#include <string>

namespace plumbline {

/// Binds the calling thread to logical CPU `cpu` (the system's number) and reads the binding back. Gives an empty text when it holds, else
/// why it does not.
std::string bind_this_thread(int cpu);

}  // namespace plumbline
