// The map of links between nodes is printed as tables for people and as a part of a JSON document.
#pragma once
#include <span>
#include <string>

#include "app/terminal/columns.hpp"
#include "model/ceilings/node_links.hpp"

namespace plumbline::app {

/// The tables, one for each kind of message: what is usual, which links are worse, and which nodes are because all of their links are. Up
/// to 16 nodes the whole map. Empty when there is no map.
std::string node_links_text(std::span<const LinkMap> maps);

/// The columns of maps, for programs: nodes, links (indices of nodes), worse links and worse nodes.
Columns<LinkMap> link_map_columns();

}  // namespace plumbline::app
