"""The cost of a run's own work over the number of nodes: right results, time that does not grow with their square, bounded memory.

The golden curve (tests/golden/scale_cost_curve.json) goes to 10 000 nodes; here machines are small and the margins wide."""

import json
import os
import subprocess
from pathlib import Path

import pytest

SIMULATE = os.environ["SIMULATE"]
GOLDEN = Path(__file__).parents[1] / "golden" / "scale_cost_curve.json"
SMALL, LARGE = 500, 2000
MOST = (LARGE / SMALL) ** 1.75  # 11.3 times; n log n is 4.9, a square 16


def simulate(folder, nodes, *options):
    document = folder / "curve.json"
    command = [SIMULATE, "--nodes", ",".join(map(str, nodes)), "--json", document, *options]
    ended = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=250)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return json.loads(document.read_text())


def stages(row):
    return {stage["stage"]: stage for stage in row["stages"]}


def test_what_hundreds_of_nodes_measured_comes_together_without_being_held(tmp_path):
    row = simulate(tmp_path, [500], "--repetitions", 40)["rows"][0]
    peak = stages(row)["journals to result file"]["peak_bytes"]
    if peak is None:
        pytest.skip("this system does not tell a process's peak of memory")
    assert row["rows_bytes"] > 40e6
    assert peak < 0.75 * row["rows_bytes"]  # with their texts they would take more than twice that


def test_no_stage_grows_with_the_square_of_the_nodes(tmp_path):
    """Each size twice, in turns, the least CPU time of each; what seems too slow is tried again, since this machine may be busy."""
    best = {SMALL: {}, LARGE: {}}
    for _ in range(4):
        for _ in range(2):
            for row in simulate(tmp_path, [SMALL, LARGE], "--cases", 4, "--repetitions", 3)["rows"]:
                for name, stage in stages(row).items():
                    best[row["nodes"]][name] = min(stage["cpu_seconds"], best[row["nodes"]].get(name, 1e9))
        growth = {name: best[LARGE][name] / best[SMALL][name] for name in best[SMALL] if best[LARGE][name] > 0.0002}
        if all(times < MOST for times in growth.values()):
            break
    assert "journals to result file" in growth
    assert {name: times for name, times in growth.items() if times >= MOST} == {}


def test_the_stored_curve_reaches_ten_thousand_nodes_without_a_square():
    curve = json.loads(GOLDEN.read_text())
    assert max(row["nodes"] for row in curve["rows"]) == 10000
    assert all(row["wrong"] == "" for row in curve["rows"])
    assert max(exponent for exponent in curve["exponents_from_300_nodes"].values() if exponent is not None) < 1.3
