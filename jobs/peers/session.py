"""The interleaved session: every round measures every line by everybody, neighbours in time, in random order."""

import random
from dataclasses import dataclass, field

import goals
from carm import CarmPeer
from likwid import LikwidPeer
from loops import LoopPeer
from ours import fractions_of, levels_of, quick_values, row_of

KIB, MIB = 1024, 1024 * 1024


@dataclass
class Comparison:
    """A line on a team, and what was measured of it."""

    line: goals.Line
    threads: int
    all_cores: bool
    peers: list
    ours: list = field(default_factory=list)  # by round; None where there is no such ceiling
    fractions: list = field(default_factory=list)
    theirs: dict = field(default_factory=dict)  # peer's name -> by round
    form: str = None  # of our loops, in the last round; and what it was chosen among
    runners_up: list = field(default_factory=list)

    def by_kind(self):
        kinds = {}
        for peer in self.peers:
            kinds[peer.kind] = self.theirs.get(peer.name, [])
        return kinds


def sizes(level, machine, threads):
    """Bytes of all threads together at which a peer might do best at a level. STREAM's rule for memory: four times the last cache."""
    l1, l2 = machine.caches.get("L1", 32 * KIB), machine.caches.get("L2", MIB)
    l3 = machine.caches.get("L3", 8 * l2 * threads)
    if level == "compute":
        return [l1 / 2 * threads]
    if level == "L1":
        return [l1 * part * threads for part in (0.5, 0.75)]
    if level == "L2":
        return [l2 * part * threads for part in (0.4, 0.75)]
    if level == "L3":
        return [min(l2 * times * threads, l3 / 2) for times in (3, 6)]
    return [min(max(4.0 * l3, 256.0 * MIB), machine.memory_bytes / 4)]


def comparisons(lines, machine, likwid, loop_program, carm=None):
    made = []
    for line in lines:
        for threads in line.teams(machine.cores):
            peers = []
            at = sizes(line.level, machine, threads)
            if tests := likwid.tests_for(line.likwid):
                peers.append(LikwidPeer(likwid, tests, line.unit, at, threads))
            if line.loop:
                peers.append(LoopPeer(loop_program, line.loop, at, threads))
            if line.libc:
                peers.append(LoopPeer(loop_program, line.libc, at, threads, "libc"))
            if line.carm and carm and carm.program and threads == 1:
                peers.append(CarmPeer(carm, line, threads))
            made.append(Comparison(line, threads, threads == machine.cores, peers))
    return made


def blocks(compared):
    """Blocks of what one run of plumbline measures, with the peers beside it."""
    by_ceiling = {}
    for one in compared:
        by_ceiling.setdefault(one.line.ceiling, []).append(one)
    return list(by_ceiling.items())


class Session:
    def __init__(self, ours, compared, seed, say):
        self.ours, self.compared, self.say = ours, compared, say
        self.random = random.Random(seed)
        self.highest = {}  # of each ceiling's part of its limit, over everything that was run

    def calibrate(self):
        peers = [peer for one in self.compared for peer in one.peers]
        for i, peer in enumerate(peers):
            self.say(f"choosing sizes: peer {i + 1} of {len(peers)}: {peer.name}")
            peer.calibrate()

    def measure(self, rounds):
        for done in range(rounds):
            order = blocks(self.compared)
            self.random.shuffle(order)
            for i, (ceiling, members) in enumerate(order):
                self.say(f"round {done + 1} of {rounds}, {i + 1} of {len(order)}: {ceiling}")
                self.measure_block(ceiling, members)

    def measure_block(self, ceiling, members):
        actions = [lambda: self.measure_ours(ceiling, members)]
        actions += [lambda one=one, peer=peer: one.theirs.setdefault(peer.name, []).append(peer.measure()) for one in members for peer in one.peers]
        self.random.shuffle(actions)
        for act in actions:
            act()

    def measure_ours(self, ceiling, members):
        rows = self.rows("full", [ceiling], 1)[0]
        for one in members:
            row = row_of(rows, one.line, one.threads)
            one.ours.append(row and row["value"])
            one.fractions.append(row and row.get("fraction_of_limit"))
            if row:
                one.form, one.runners_up = row.get("form"), row.get("runners_up", [])

    def rows(self, mode, only=(), rounds=None):
        rows, seconds = self.ours.ceilings(mode, only, rounds)
        for name, part in fractions_of(rows).items():
            self.highest[name] = max(part, self.highest.get(name, 0))
        return rows, seconds

    def spread(self):
        return {f"{one.line.name}, {one.threads}": (one.line.level, goals.cv(one.ours)) for one in self.compared}

    def levels(self, runs, expected_bytes):
        """Runs of their own: what the sweep and the chase find, in fewer rounds than a user's run has."""
        found = []
        for run in range(runs):
            self.say(f"levels: run {run + 1} of {runs}")
            found.append(levels_of(self.rows("full", ["load", "chase"], 3)[0]))
        verdicts = goals.judge_levels(found, expected_bytes, runs)
        verdicts[0]["found_bytes"] = found
        return verdicts

    def whole_sets(self):
        """The time of all ceilings, and quick against full: quick before and after it."""
        values, seconds = {"quick": [], "full": []}, {"quick": [], "full": []}
        for mode in ("quick", "full", "quick"):
            self.say(f"the whole set, {mode}")
            rows, took = self.rows(mode)
            values[mode].append(quick_values(rows))
            seconds[mode].append(took)
        verdicts = [goals.judge_time("every ceiling, full", max(seconds["full"]), 60), goals.judge_time("every ceiling, quick", max(seconds["quick"]), 10)]
        return [*verdicts, goals.judge_quick(*({name: goals.median([run.get(name) for run in values[mode]]) for name in values[mode][0]}
                                               for mode in ("full", "quick")))]
