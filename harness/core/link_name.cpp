#include "core/link_name.hpp"

namespace plumbline {
namespace {

constexpr std::string_view to_peer = " to ";

}  // namespace

std::string link_name(std::string_view what, std::string_view peer) { return std::string(what).append(to_peer).append(peer); }

std::string peer_of_link(std::string_view name) {
  const std::size_t at = name.find(to_peer);
  return at == std::string_view::npos ? std::string() : std::string(name.substr(at + to_peer.size()));
}

std::string kind_of_link(std::string_view name) { return std::string(name.substr(0, name.find(to_peer))); }

}  // namespace plumbline
