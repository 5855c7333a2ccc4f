"""Facts about the machine, asked from the system: not from plumbline, whose findings are held against them."""

import datetime
import json
import os
import pathlib
import subprocess
from dataclasses import dataclass, field

ROOT = pathlib.Path(__file__).resolve().parents[2]


@dataclass
class Machine:
    cpu: str
    flags: frozenset
    cores: int  # that this process may use
    threads_per_core: int
    caches: dict = field(default_factory=dict)  # bytes of one instance of each level's data cache: {"L1": 32768, ...}
    memory_bytes: int = 0
    hypervisor: str = ""

    def facts(self):
        """Facts for the JSON: what a reader needs to place the numbers."""
        return {
            "cpu": self.cpu,
            "cores": self.cores,
            "threads_per_core": self.threads_per_core,
            "cache_bytes": self.caches,
            "memory_bytes": self.memory_bytes,
            "hypervisor": self.hypervisor or None,
            "node": os.uname().nodename,
            "kernel": os.uname().release,
            "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
            "commit": commit(),
        }


def this_machine():
    said = {row["field"].rstrip(":"): row["data"] for row in flat(asked("lscpu", "-J").get("lscpu", []))}
    threads_per_core = int(said.get("Thread(s) per core", "1")) if said.get("Thread(s) per core", "1").isdigit() else 1
    return Machine(
        cpu=said.get("Model name", "unknown"),
        flags=frozenset(said.get("Flags", "").split()),
        cores=max(1, len(os.sched_getaffinity(0)) // threads_per_core),
        threads_per_core=threads_per_core,
        caches=data_caches(asked("lscpu", "-C", "-B", "-J")),
        memory_bytes=os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        hypervisor=said.get("Hypervisor vendor", ""),
    )


def flat(rows):
    """lscpu nests its fields since util-linux 2.37."""
    for row in rows:
        yield row
        yield from flat(row.get("children", []))


def data_caches(said):
    return {f"L{row['level']}": int(row["one-size"]) for row in said.get("caches", []) if row["type"] in ("Data", "Unified")}


def asked(*command):
    try:
        return json.loads(subprocess.run(command, capture_output=True, text=True, check=True, timeout=30).stdout)
    except (OSError, subprocess.SubprocessError, ValueError):
        return {}


def commit():
    try:
        said = subprocess.run(["git", "-C", str(ROOT), "describe", "--always", "--dirty", "--exclude=*"], capture_output=True, text=True, check=True)
        return said.stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return None
