// How samples of messages between two nodes are named: by what was measured and the node at the other end.
#pragma once
#include <string>
#include <string_view>

namespace plumbline {

/// "MPI link latency to nodeB".
std::string link_name(std::string_view what, std::string_view peer);
/// "nodeB" of that; empty of another name.
std::string peer_of_link(std::string_view name);
/// "MPI link latency" of that; the whole of another name.
std::string kind_of_link(std::string_view name);

}  // namespace plumbline
