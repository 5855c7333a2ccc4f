#!/usr/bin/python3
"""link_map.py DOCUMENT --nodes N [--link NODE NODE] [--node NODE]: every pair of N nodes has its bandwidth, and the map of bandwidths names
just this link and no node, or just this node and no link, or, without these options, nobody. Latency on hosts that share one
machine's cores is the scheduler's: what it names is not asserted."""

import argparse
import json
import sys


def incomplete(document, nodes):
    maps = {one["name"]: one for one in document["links"]}
    if set(maps) != {"MPI link latency", "MPI link bandwidth"}:
        yield f"the maps are {sorted(maps)}"
    for one in maps.values():
        pairs = {frozenset((link["node"], link["peer"])) for link in one["links"]}
        if len(one["nodes"]) != nodes or len(pairs) != nodes * (nodes - 1) // 2 or len(one["links"]) != len(pairs):
            yield f"{one['name']}: {len(one['links'])} links of {len(one['nodes'])} nodes"
        for link in one["links"]:
            if link["status"] != "ok" or not link["value"] > 0 or link["n"] < 1:
                yield f"{one['name']}: {link}"


def named_wrongly(document, options):
    rates = next(one for one in document["links"] if one["name"] == "MPI link bandwidth")
    if not rates["judged"]:
        yield rates["unjudged_reason"]
    links = [{link["node"], link["peer"]} for link in rates["worse_links"]]
    if links != ([set(options.link)] if options.link else []):
        yield f"named links {rates['worse_links']}"
    if [one["node"] for one in rates["worse_nodes"]] != ([options.node] if options.node else []):
        yield f"named nodes {rates['worse_nodes']}"
    for one in rates["worse_nodes"]:
        if one["links_worse"] != options.nodes - 1:
            yield f"not all links of {one['node']} are worse: {one}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("document")
    parser.add_argument("--nodes", type=int, required=True)
    parser.add_argument("--link", nargs=2)
    parser.add_argument("--node")
    options = parser.parse_args()
    with open(options.document) as file:
        document = json.load(file)
    found = list(incomplete(document, options.nodes)) or list(named_wrongly(document, options))
    for line in found:
        print("PROBLEM:", line)
    if not found:
        print("the map names", options.link or options.node or "nobody")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
