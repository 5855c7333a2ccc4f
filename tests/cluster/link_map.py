#!/usr/bin/python3
"""link_map.py DOCUMENT --nodes N [--link NODE NODE] [--node NODE]: every pair of N nodes has its bandwidth, and the map of bandwidths names
this link worst and neither of its nodes; or this node worst, and no link that does not lead to it as badly. The hosts share one machine's
cores, so what else it names is not asserted, nor any latency; and where their noise hides what is slow the exit code is 77."""

import argparse
import json
import sys


def problems(document, options):
    maps = {one["name"]: one for one in document["links"]}
    if set(maps) != {"MPI link latency", "MPI link bandwidth"}:
        yield f"the maps are {sorted(maps)}"
    for one in maps.values():
        pairs = {frozenset((link["node"], link["peer"])) for link in one["links"]}
        if len(one["nodes"]) != options.nodes or len(pairs) != options.nodes * (options.nodes - 1) // 2 or len(one["links"]) != len(pairs):
            yield f"{one['name']}: {len(one['links'])} links of {len(one['nodes'])} nodes"
        for link in one["links"]:
            if link["status"] != "ok" or not link["value"] > 0 or link["n"] < 1:
                yield f"{one['name']}: {link}"


def hidden(document, options):
    rates = next(one for one in document["links"] if one["name"] == "MPI link bandwidth")
    if not rates["judged"]:
        yield rates["unjudged_reason"]
    blamed = {one["node"] for one in rates["worse_nodes"]}
    if options.link:
        if blamed & set(options.link):
            yield f"one slow cable, but nodes {sorted(blamed)} are blamed"
        if not rates["worse_links"] or {rates["worse_links"][0][end] for end in ("node", "peer")} != set(options.link):
            yield f"the worst link is not {options.link}, but of {rates['worse_links']}"
    if options.node:
        if not rates["worse_nodes"] or rates["worse_nodes"][0]["node"] != options.node:
            yield f"the worst node is not {options.node}, but of {rates['worse_nodes']}"
        elif rates["worse_nodes"][0]["links_worse"] != options.nodes - 1:
            yield f"not all links of {options.node} are worse: {rates['worse_nodes'][0]}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("document")
    parser.add_argument("--nodes", type=int, required=True)
    parser.add_argument("--link", nargs=2)
    parser.add_argument("--node")
    options = parser.parse_args()
    with open(options.document) as file:
        document = json.load(file)
    found = list(problems(document, options))
    for line in found:
        print("PROBLEM:", line)
    if found:
        return 1
    missed = list(hidden(document, options))
    for line in missed:
        print("hidden by noise:", line)
    if not missed:
        print("the map names", options.link or options.node)
    return 77 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
