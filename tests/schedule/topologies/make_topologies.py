#!/usr/bin/env python3
"""Makes the stored topologies of this folder: hwloc's synthetic machines, numbered as Linux numbers CPUs (all first siblings, then
all second ones), with GPUs put beside their NUMA domains. Run it where lstopo 2.x is: python3 make_topologies.py"""

import pathlib
import re
import subprocess

FOLDER = pathlib.Path(__file__).parent


def linux_order(cores, siblings):
    return ",".join(str(core + cores * sibling) for core in range(cores) for sibling in range(siblings))


def synthetic(description):
    return subprocess.run(["lstopo-no-graphics", "--input", description, "--of", "xml"], check=True, capture_output=True, text=True).stdout


def gpu(index, bus, gp_index):
    return (
        f'<object type="Bridge" gp_index="{gp_index}" bridge_type="0-1" depth="0" bridge_pci="0000:[{bus:02x}-{bus:02x}]">'
        f'<object type="PCIDev" gp_index="{gp_index + 1}" pci_busid="0000:{bus:02x}:00.0" pci_type="0302 [10de:2330] [10de:16c1] a1" '
        f'pci_link_speed="63.015385"><info name="PCIVendor" value="NVIDIA Corporation"/><info name="PCIDevice" value="GPU {index}"/>'
        f"</object></object>\n"
    )


def with_gpus(xml, owner, buses_of_owner):
    """Appends GPUs as the last children of the owner-th <object type=...>: owners counted in document order."""
    lines, stack, seen, gp, number = [], [], -1, 100000, 0
    for line in xml.splitlines(keepends=True):
        if re.match(r"\s*<object ", line) and not line.rstrip().endswith("/>"):
            is_owner = f'type="{owner}"' in line
            seen += is_owner
            stack.append(seen if is_owner else None)
        elif re.match(r"\s*</object>", line):
            for bus in buses_of_owner.get(stack.pop(), []):
                lines.append(gpu(number, bus, gp))
                gp, number = gp + 2, number + 1
        lines.append(line)
    return "".join(lines)


def write(name, xml):
    (FOLDER / name).write_text(re.sub(r"^\s+", "", xml, flags=re.MULTILINE))


# Two sockets in sub-NUMA clustering by four: eight domains of four cores.
write(
    "two_sockets_snc4.xml",
    synthetic(
        "pack:2 l3:1(size=33554432) group:4 [numa(memory=68719476736)] l2:4(size=2097152) l1d:1(size=49152) core:1 "
        f"pu:2(indexes={linux_order(32, 2)})"
    ),
)
# One socket, four domains; a GPU at each, but numbered in the opposite order, as on real nodes with EPYC CPUs.
write(
    "four_gpus.xml",
    with_gpus(
        synthetic(f"pack:1 group:4 [numa(memory=137438953472)] l3:2(size=33554432) l2:4(size=524288) l1d:1(size=32768) core:1 pu:1(indexes={linux_order(32, 1)})"),
        "Group",
        {0: [0xC1], 1: [0x81], 2: [0x41], 3: [0x01]},
    ),
)
# Two sockets with one domain each, four GPUs at each socket.
write(
    "eight_gpus.xml",
    with_gpus(
        synthetic(f"pack:2 [numa(memory=549755813888)] l3:1(size=110100480) l2:8(size=2097152) l1d:1(size=49152) core:1 pu:2(indexes={linux_order(16, 2)})"),
        "Package",
        {0: [0x18, 0x2A, 0x3A, 0x5D], 1: [0x9A, 0xAB, 0xBA, 0xDB]},
    ),
)
