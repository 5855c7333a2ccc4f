"""jobs/valgrind.sh for real: a Valgrind is built, the emulator is linked with it, and this build's program counts by it."""

import json
import os
import pathlib
import subprocess

import pytest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PLUMBLINE = pathlib.Path(os.environ["PLUMBLINE_BUILD"]) / "bin" / "plumbline"


def run(*words, **environment):
    return subprocess.run([str(word) for word in words], env=dict(os.environ, **environment), capture_output=True, text=True, timeout=3500)


def test_a_program_is_counted_by_the_valgrind_built_here(tmp_path):
    if not os.environ.get("PLUMBLINE_EMULATOR"):
        pytest.skip("this build has no emulator whose counts could be compared")
    build = tmp_path / "build"
    done = run("bash", SOURCE / "jobs/valgrind.sh", build / "valgrind")
    if "could not be had" in done.stderr:
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0, done.stdout + done.stderr
    again = run("bash", SOURCE / "jobs/valgrind.sh", build / "valgrind")
    assert again.returncode == 0 and "valgrind 3.24.0 is in " in again.stdout and "downloading" not in again.stdout, "a second call finds it"
    configured = run("cmake", "-S", SOURCE, "-B", build, "-DPLUMBLINE_TESTS=OFF", "-DCMAKE_BUILD_TYPE=Release")
    assert f"Emulated counters: on, with {build}/valgrind/bin/valgrind" in configured.stdout, configured.stdout + configured.stderr
    built = run("cmake", "--build", build, "--target", "plumbline_emulator")
    assert built.returncode == 0, built.stdout + built.stderr

    folder = str(build / "lib/plumbline/valgrind")
    counts = {}
    for name, environment in {"ours": {"PLUMBLINE_EMULATOR_DIR": folder}, "system's": {}}.items():
        (row,) = [row for row in json.loads(run(PLUMBLINE, "doctor", "--json", **environment).stdout)["rows"] if row["what"] == "emulated counters"]
        assert row["status"] == "ok" and (folder in row["found"]) == (name == "ours"), row
        profiled = run(PLUMBLINE, "profile", "--count-only", "--caches=no", "--json", "--", "awk", "BEGIN { for (i = 0; i < 1000; i++) s += i * 1.5 }", **environment)
        assert profiled.returncode == 0, profiled.stderr
        (total,) = [row for row in json.loads(profiled.stderr)["rows"] if row["kind"] == "total"]
        counts[name] = {quantity: value for quantity, value in total.items() if "flops" in quantity}
    assert counts["ours"] == counts["system's"] and counts["ours"], counts
