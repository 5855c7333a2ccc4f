// The names of samples of messages between two nodes: by what was measured and the node at the other end.
#pragma once
#include <string>
#include <string_view>

namespace plumbline {

/// The name of such samples: "MPI link latency to nodeB".
std::string link_name(std::string_view what, std::string_view peer);
/// The node at the other end, "nodeB" of that name; empty of another name.
std::string peer_of_link(std::string_view name);
/// The part that says what was measured, "MPI link latency" of that name; the whole of another name.
std::string kind_of_link(std::string_view name);

}  // namespace plumbline
