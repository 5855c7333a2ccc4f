"""Files that the user names, damaged: the program says in one line what is wrong, or reads them. No signal, no traceback, within bounded time."""
import json
import os
import pathlib
import random
import subprocess
import xml.etree.ElementTree

import pytest

PLUMBLINE = os.environ["PLUMBLINE"]
DATA = pathlib.Path(__file__).parents[1] / "imports/data"
CAMPAIGNS = pathlib.Path(__file__).parents[1] / "faults/campaigns"
SEED, MUTANTS = 19, 24
WHOLE = {
    "ncu": (DATA / "gpp_ncu_raw.csv").read_bytes(),
    "nvprof": (DATA / "gpp_nvprof_metrics.csv").read_bytes(),
    "likwid": (DATA / "likwid_flops_dp.csv").read_bytes(),
    "advisor": (DATA / "advisor_survey.csv").read_bytes(),
    "perf": (DATA / "perf_stat.csv").read_bytes(),
    "profile": json.dumps({"schema": "plumbline-profile/1", "rows": [
        {"kind": "kernel", "name": "axpy", "launches": 2, "counted_launches": 2, "seconds": 0.5, "metrics": {"dram__bytes.sum": 4096.0}}]}).encode(),
    "ceilings": (DATA / "v100.toml").read_bytes(),
    "campaign": (CAMPAIGNS / "small.toml").read_bytes(),
}
WORDS = [b"NaN", b"-inf", b"1e999", b"9" * 400, b"-1", b"null", b"{}", b"[]", b'""', b"\xff\xfe\x80", b"\x00", b"[" * 5000, b'{"a":' * 5000, b",", b"\n", b'"', b"'"]


def mutants(kind):
    """First what is damaged in the plainest ways, then words put in places drawn by chance."""
    whole, chance = WHOLE[kind], random.Random(f"{SEED} {kind}")
    yield from (b"", b"\x00" * 4096, b"\xff" * 64, b"[" * 100_000, b"{" * 100_000, b'"' + b"x" * 1_000_000, whole[:len(whole) // 2], whole + whole)
    for _ in range(MUTANTS):
        at, length = chance.randrange(len(whole)), chance.choice((0, 1, 4, 40))
        yield whole[:at] + chance.choice(WORDS) + whole[at + length:]


def command(kind, file, folder):
    if kind == "campaign":
        return ["run", file, "--dry-run", "-o", folder / "x.h5"]
    if kind == "ceilings":
        return ["import", "ncu", folder / "whole.csv", "--ceilings", file, "-o", folder / "x.h5", "--overwrite"]
    return ["import", kind, file, "-o", folder / "x.h5", "--overwrite"]


@pytest.mark.parametrize("kind", WHOLE)
def test_a_damaged_file_is_one_line_or_is_read(kind, tmp_path):
    (tmp_path / "whole.csv").write_bytes(WHOLE["ncu"])
    refused = 0
    for number, mutant in enumerate(mutants(kind)):
        file = tmp_path / f"mutant{number}"
        file.write_bytes(mutant)
        done = subprocess.run([PLUMBLINE, *map(str, command(kind, file, tmp_path))], capture_output=True, timeout=60)
        told = done.stderr.decode(errors="replace")
        assert done.returncode in (0, 2), (kind, number, mutant[:200], done.returncode, told[:2000])
        if done.returncode == 2:
            refused += 1
            assert told.startswith("plumbline: ") and told.count("\n") == 1 and len(told) < 20_000, (kind, number, told[:2000])
            assert file.name in told, (kind, number, told[:2000])
    assert refused >= 8, "what is damaged in the plainest ways is no file of its kind"


def test_a_damaged_description_of_the_machine_is_one_line_or_is_read(tmp_path):
    """hwloc reads what HWLOC_XMLFILE names instead of this machine."""
    whole = b'<?xml version="1.0"?><topology version="2.0"><object type="Machine" os_index="0"/></topology>'
    xml.etree.ElementTree.fromstring(whole)
    for number, mutant in enumerate((b"", b"\xff" * 64, b"<" * 10_000, whole, whole[:50], whole.replace(b'"0"', b'"99999999999999999999"'))):
        (tmp_path / "machine.xml").write_bytes(mutant)
        done = subprocess.run([PLUMBLINE, "doctor"], capture_output=True, timeout=60, env={**os.environ, "HWLOC_XMLFILE": str(tmp_path / "machine.xml")})
        assert done.returncode >= 0 and b"terminate called" not in done.stderr, (number, done.returncode, done.stderr[:2000])
