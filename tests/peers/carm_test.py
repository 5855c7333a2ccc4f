"""CARM as a peer: what it is asked for, what is read from its answers (real ones), and that it ends in time with a reason."""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "jobs" / "peers"))
import carm  # noqa: E402

ANSWER = json.loads("""{"bandwidth_gbps": 148.24334812749987, "cache_level": "L1", "cycles": 438555764, "data_type": "f64", "isa": "x86_avx512",
                        "load_store_ratio": "1:0", "num_threads": 1, "size_per_thread_bytes": 36864, "time_seconds": 0.217085114, "type": "memory"}""")
ARITHMETIC = json.loads("""{"cycles": 168767205, "data_type": "f64", "isa": "x86_avx512", "name": "x86_avx512_arith_fma_f64_t1", "num_threads": 1,
                            "operation": "fma", "performance_gops": 116.59716752028127, "time_seconds": 0.10227293, "type": "arithmetic"}""")
FLAGS = frozenset({"sse2", "avx2", "avx512f"})


def fake(folder, script, **options):
    program = folder / "carm"
    program.write_text("#!/bin/sh\n" + script)
    program.chmod(0o755)
    return carm.Carm(FLAGS, find=lambda left: str(program), **options)


def test_the_best_of_its_answers_is_the_rate():
    assert carm.rate_in([ANSWER, dict(ANSWER, bandwidth_gbps=150.0)]) == 150.0
    assert carm.rate_in([ARITHMETIC]) == ARITHMETIC["performance_gops"]
    assert carm.rate_in([{"type": "machine"}]) is None and carm.rate_in([]) is None


def test_it_is_asked_for_the_widest_instructions_the_level_and_the_precision(tmp_path):
    asked = [str(word) for word in fake(tmp_path, "").command("loads2store1", "L1", "-", 1, ".")]
    assert "x86_avx512" in asked and "2:1" in asked and "f64" in asked and "L1" in asked
    asked = [str(word) for word in fake(tmp_path, "").command("fma", "compute", "fp32", 2, ".")]
    assert "fma" in asked and "f32" in asked and asked[asked.index("--threads") + 1] == "2"


def test_its_version_is_that_of_the_package_beside_it(tmp_path):
    (tmp_path / "bin").mkdir()
    assert fake(tmp_path / "bin", "").version() == "carm-roofline"
    (tmp_path / "lib/python3.11/site-packages/carm_roofline-1.5.1.dist-info").mkdir(parents=True)
    assert fake(tmp_path / "bin", "").version() == "carm-roofline 1.5.1"


def test_what_it_leaves_in_its_folder_is_read(tmp_path):
    script = f"""while [ "$1" != --output-dir ]; do shift; done\nmkdir -p $2/machine\ncat > $2/machine/benchmarks.jsonl <<END\n{json.dumps(ANSWER)}\nEND\n"""
    found = fake(tmp_path, script)
    assert found.measure("load", "L1", "-", 1) == ANSWER["bandwidth_gbps"] and found.reason is None


def test_one_that_takes_too_long_is_ended_and_says_so(tmp_path):
    slow = fake(tmp_path, "exec sleep 60", seconds=0)
    assert slow.measure("load", "L1", "-", 1) is None
    assert "no more after" in slow.reason
    assert slow.measure("load", "L2", "-", 1) is None


def test_one_that_cannot_be_installed_says_why():
    def failing(left):
        raise OSError("no network")
    assert "no network" in carm.Carm(FLAGS, find=failing).reason
    assert carm.Carm(frozenset({"asimd"})).reason == "CARM: no vector instructions that it knows"
