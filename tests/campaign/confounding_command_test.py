"""`run --dry-run` names what a campaign confounds; the campaigns that come along by which counters are graded confound nothing."""
import os
import subprocess

import pytest

CAMPAIGN = """
schema = "plumbline-campaign/1"
name = "mine"
passes = {passes}
[[cases]]
kernel = "validation/series"
flavor = ["gcc*-O0-*", "gcc*-O3-*"]
[[cases]]
kernel = "validation/triad"
flavor = ["gcc*-O3-*"]
"""


def dry_run(campaign):
    done = subprocess.run([os.environ["PLUMBLINE"], "run", str(campaign), "--dry-run"], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return [line for line in done.stdout.splitlines() if "occur only" in line or "occurs only" in line]


def mine(folder, passes):
    (folder / "mine.toml").write_text(CAMPAIGN.format(passes=passes))
    return folder / "mine.toml"


def test_a_level_of_one_kernel_alone_is_one_line_that_says_what_to_add(tmp_path):
    lines = dry_run(mine(tmp_path, '["count"]'))
    assert len(lines) == 1 and "level O0 occurs only with kernel validation/series" in lines[0] and "add level O0 to another kernel" in lines[0], lines


def test_where_nothing_is_counted_nothing_is_confounded(tmp_path):
    assert dry_run(mine(tmp_path, '["time"]')) == []


@pytest.mark.parametrize("campaign", ["quick", "counters"])
def test_those_that_come_along_confound_nothing(campaign):
    assert dry_run(campaign) == []
