"""The interleaved session: in each round everything once, the tools of a loop next to each other in time, in random order."""

import random

import slowdowns
from tools import TOOLS

MODES = ("counts", "caches")


class Session:
    def __init__(self, bench, lines, seed, say):
        self.bench, self.lines, self.say = bench, lines, say
        self.random = random.Random(seed)
        self.seconds = {line.title: {tool: [] for tool in TOOLS} for line in lines}
        self.start_up = {tool: [] for tool in ("none", "cachegrind", *MODES)}
        self.costs = {(loop, mode): [] for loop in ("pieces", "pieces_read", "pieces_marked", "team_of_1", "team_of_32") for mode in MODES}

    def shuffled(self, things):
        things = list(things)
        self.random.shuffle(things)
        return things

    def measure(self, rounds):
        for done in range(rounds):
            for i, line in enumerate(self.shuffled(self.lines)):
                self.say(f"round {done + 1} of {rounds}, {i + 1} of {len(self.lines)}: {line.title}")
                for tool in self.shuffled(TOOLS):
                    self.seconds[line.title][tool].append(self.bench.measure(tool, line.flavor, line.loop))
            self.say(f"round {done + 1} of {rounds}: start-up, regions, threads")
            self.measure_costs()

    def measure_costs(self):
        for tool in self.shuffled(self.start_up):
            self.start_up[tool].append(self.bench.start_up(tool, slowdowns.VECTOR))
        for loop, mode in self.shuffled(self.costs):
            self.costs[loop, mode].append(self.bench.measure(mode, slowdowns.VECTOR, loop))

    def judged_lines(self):
        return [slowdowns.judge_line(line, self.seconds[line.title]) for line in self.lines]

    def judged_costs(self):
        judged = [slowdowns.judge_cost(slowdowns.START_UP, mode, [cpu for cpu, _ in self.start_up[mode]]) for mode in MODES]
        for cost, loop in ((slowdowns.READ, "pieces_read"), (slowdowns.MARK, "pieces_marked")):
            judged += [slowdowns.judge_cost(cost, mode, slowdowns.beyond(self.costs[loop, mode], self.costs["pieces", mode])) for mode in MODES]
        judged += [slowdowns.judge_cost(slowdowns.THREADS, mode, slowdowns.by_round(self.costs["team_of_32", mode], self.costs["team_of_1", mode])) for mode in MODES]
        return judged

    def start_ups(self):
        """Medians of (CPU, wall) seconds by tool."""
        return {tool: {"cpu_seconds": slowdowns.median([cpu for cpu, _ in values]), "wall_seconds": slowdowns.median([wall for _, wall in values])}
                for tool, values in self.start_up.items()}
