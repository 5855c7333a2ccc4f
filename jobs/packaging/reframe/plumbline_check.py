# SPDX-License-Identifier: BSD-3-Clause
"""A Plumbline campaign as a ReFrame check: its figures of merit are ReFrame's performance variables, its exit codes ReFrame's verdict.

    reframe -c plumbline_check.py -S campaign=quick -S thresholds=thresholds.json -r

Needs `plumbline` on PATH (on ReFrame's systems: modules = ['plumbline'], -S modules=plumbline). ReFrame judges one run against the numbers
in `thresholds`; with `baseline` set, `plumbline check` also holds it against earlier nights, and its finding fails the check.
"""

import json
import os
import shlex

import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.exceptions import ReframeError

MEANINGS = {
    "1": "a case failed, or an I/O error",
    "2": "the campaign, a flag or a file is wrong",
    "3": "a regression",
    "4": "a wrong result",
    "75": "stopped early; resumable",
}


def ceiling_name(row):
    words = [row["name"], row["level"], row["pattern"], row["precision"], f"r{row['ranks']}t{row['threads']}", row["node"]]
    return "/".join(word for word in words if word)


def is_limit(value):
    """Whether it is [reference, lower, upper]: a number, and fractions or null."""
    numbers = (int, float)
    if not isinstance(value, list) or len(value) != 3 or any(isinstance(one, bool) for one in value):
        return False
    return isinstance(value[0], numbers) and all(one is None or isinstance(one, numbers) for one in value[1:])


def read_limits(path):
    """The thresholds, or one line that says what is wrong with them."""
    try:
        with open(path, encoding="utf-8") as file:
            limits = json.load(file)
    except (OSError, ValueError) as wrong:
        raise ReframeError(f"the thresholds in {path} cannot be read: {wrong}") from None
    if not isinstance(limits, dict):
        raise ReframeError(f'the thresholds in {path} are no object {{"NAME": [reference, lower, upper], ...}}')
    for name, value in limits.items():
        if not is_limit(value):
            raise ReframeError(f"the threshold of '{name}' in {path} is {json.dumps(value)}: write [reference, lower, upper], each a number, the last two perhaps null")
    return limits


@rfm.simple_test
class PlumblineCheck(rfm.RunOnlyRegressionTest):
    campaign = variable(str, value="quick")  # a file, or the name of one of `plumbline list campaigns`
    ranks = variable(int, value=1)
    thresholds = variable(str, value="")  # JSON: {"NAME": [reference, lower, upper], ...}, lower and upper as fractions or null
    baseline = variable(str, value="")  # as plumbline check's: rolling:14d (with `nights`) or a folder, of three nights or more: fewer fail nothing
    nights = variable(str, value="")  # the folder of earlier result files

    descr = "Plumbline: rates of kernels and ceilings of this node"
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    sourcesdir = None
    executable = "plumbline"
    maintainers = ["plumbline"]

    @run_before("run")
    def prepare(self):
        self.num_tasks = self.ranks
        if self.thresholds:  # ReFrame changes folders
            self.thresholds = os.path.abspath(self.thresholds)
            read_limits(self.thresholds)  # before hours are spent on a run
        campaign = os.path.abspath(self.campaign) if os.path.exists(self.campaign) else self.campaign
        self.executable_opts = ["run", shlex.quote(campaign), "-o", "out.h5"]
        self.postrun_cmds = [
            "echo plumbline run ended with $?",
            "plumbline show out.h5 --json > show.json",
            "plumbline ceilings out.h5 --json > ceilings.json",
            "plumbline show out.h5 --machine --json > machine.json",
        ]
        if self.baseline:
            history = f"--history {shlex.quote(os.path.abspath(self.nights))}" if self.nights else ""
            baseline = os.path.abspath(self.baseline) if os.path.exists(self.baseline) else self.baseline
            self.postrun_cmds += [f"plumbline check out.h5 --baseline {shlex.quote(baseline)} {history}", "echo plumbline check ended with $?"]

    @sanity_function
    def plumbline_is_content(self):
        commands = ["run", "check"] if self.baseline else ["run"]
        return sn.all([*(self.ended_well(command) for command in commands), self.ran_all_ranks(), self.has_all_with_thresholds()])

    @deferrable
    def ended_well(self, command):
        code = sn.extractsingle(rf"plumbline {command} ended with (\d+)", self.stdout, 1).evaluate()
        meaning = MEANINGS.get(code, "see its words in the output")
        return sn.assert_eq(code, "0", msg=f"plumbline {command} ended with {code}: {meaning}").evaluate()

    @deferrable
    def ran_all_ranks(self):
        """A launcher of another MPI may start fewer ranks than it was asked for, or each alone."""
        ran = sum(len(node["rank_cpus"]) for node in self.document("machine.json"))
        return sn.assert_eq(ran, self.ranks, msg=f"{self.ranks} ranks were asked for, {ran} ran").evaluate()

    @deferrable
    def has_all_with_thresholds(self):
        """ReFrame only warns of a performance variable that cannot be had: what has a threshold and was not measured is to fail."""
        missing = sorted(set(self.limits()) - {name for name, _, _ in self.figures()})
        return sn.assert_false(missing, msg=f"a threshold, but no measurement: {', '.join(missing)}").evaluate()

    def limits(self):
        return read_limits(self.thresholds) if self.thresholds else {}

    def document(self, name):
        with open(os.path.join(self.stagedir, name), encoding="utf-8") as file:
            return json.load(file)["rows"]

    def figures(self):
        """Figures (name, value, unit) of all that was measured: an absent number is left out, never 0."""
        for row in self.document("show.json"):
            if row["gflops"] is not None:
                yield f"{row['case']}/{row['node']}", row["gflops"], "Gflop/s"
            elif row["seconds"] is not None:
                yield f"{row['case']}/{row['node']}", 1 / row["seconds"], "1/s"
        for row in self.document("ceilings.json"):
            if row["status"] == "ok":
                yield ceiling_name(row), row["value"], row["unit"]

    @run_before("performance")
    def take_figures(self):
        limits = self.limits()
        of_this = {}
        for name, value, unit in self.figures():
            self.perf_variables[name] = sn.make_performance_function(sn.defer(value), unit)
            if name in limits:
                of_this[name] = (*limits[name], unit)
        self.reference = {"*": of_this}
