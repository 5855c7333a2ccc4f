"""The statistics behind compare, check and history, held against SciPy's on the same random problems."""
import json
import os
import subprocess

import numpy
import pytest

stats = pytest.importorskip("scipy.stats", reason="SciPy (python3-scipy) is not installed")

FUNCTIONS = os.environ["HISTORY_FUNCTIONS"]


def ours(problems):
    done = subprocess.run([FUNCTIONS], input=json.dumps(problems), capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


FREEDOMS = [1, 2, 3, 4, 5, 8, 13, 30, 101, 1000]


def test_students_tail_and_quantile():
    tails = [{"function": "tail", "t": t, "freedom": f} for f in FREEDOMS for t in (-3, 0, 0.5, 2, 5)]
    assert ours(tails) == pytest.approx([stats.t.sf(p["t"], p["freedom"]) for p in tails], rel=1e-6, abs=1e-13)
    quantiles = [{"function": "quantile", "tail": a, "freedom": f} for f in FREEDOMS for a in (0.9, 0.5, 0.1, 0.025, 1e-3, 1e-5)]
    assert ours(quantiles) == pytest.approx([stats.t.isf(p["tail"], p["freedom"]) for p in quantiles], rel=1e-5, abs=1e-9)


def test_beyond_a_thousand_degrees_of_freedom_the_normal_distribution_stands_in():
    assert ours([{"function": "quantile", "tail": 0.001, "freedom": 5000}]) == pytest.approx([stats.norm.isf(0.001)], rel=1e-9)


def ratio(before, after, **more):
    return {"function": "ratio", "before": before, "after": after, "confidence": 0.95, "seed": 1, "resamples": 1000, **more}


def test_the_ratio_of_medians_has_scipys_bootstrap_interval():
    """Resampling noise remains between two bootstraps: both ends agree to a tenth of the width."""
    for seed in range(6):
        random = numpy.random.default_rng(seed)
        a, b = random.lognormal(0, 0.1, 41 + seed), random.lognormal(0.05, 0.2, 60)
        problem = ratio([a.tolist()], [b.tolist()], resamples=9999)
        (found,) = ours([problem])
        assert ours([problem]) == [found]  # the same seed, the same interval
        theirs = stats.bootstrap((a, b), lambda x, y, axis: numpy.median(y, axis=axis) / numpy.median(x, axis=axis), method="percentile",
                                 n_resamples=9999, random_state=random).confidence_interval
        width = theirs.high - theirs.low
        assert found[0] == pytest.approx(numpy.median(b) / numpy.median(a))
        assert found[1:] == pytest.approx([theirs.low, theirs.high], rel=0, abs=0.1 * width)


def test_few_samples_have_welchs_interval_of_the_logarithms():
    random = numpy.random.default_rng(3)
    for n, m in ((2, 2), (3, 5), (7, 4), (5, 40)):
        a, b = random.lognormal(0, 0.05, n), random.lognormal(0, 0.2, m)
        (found,) = ours([ratio([a.tolist()], [b.tolist()])])

        def middle(x):
            logs = numpy.log(x)
            robust = (1.4826 * stats.median_abs_deviation(logs)) ** 2
            squares = ((logs - numpy.median(logs)) ** 2).sum() / (len(x) - 1)
            return numpy.median(logs), numpy.pi / 2 * max(robust, squares) / len(x), len(x) - 1

        (x, u, f), (y, v, g) = middle(a), middle(b)
        freedom = max(1, int((u + v) ** 2 / (u**2 / f + v**2 / g)))
        half = stats.t.isf(0.025, freedom) * numpy.sqrt(u + v)
        assert found[1:] == pytest.approx(list(numpy.exp([y - x - half, y - x + half])), rel=1e-6)


@pytest.mark.parametrize("n", [3, 5, 12, 40])
@pytest.mark.parametrize("heavy", [False, True])
def test_the_interval_holds_the_truth_about_as_often_as_it_says(n, heavy):
    random = numpy.random.default_rng(n)
    draw = (lambda: random.standard_t(3, n)) if heavy else (lambda: random.normal(0, 1, n))
    problems = [ratio([numpy.exp(0.02 * draw()).tolist()], [numpy.exp(0.02 * draw()).tolist()], seed=i, resamples=400) for i in range(600)]
    held = sum(lo <= 1 <= hi for _, lo, hi in ours(problems)) / len(problems)
    assert held >= 0.91


def test_sessions_that_differ_widen_the_interval():
    """Samples of a session agree, sessions do not: an interval by samples would be far too narrow."""
    random = numpy.random.default_rng(11)

    def file():
        return [numpy.exp(random.normal(0, 0.05) + random.normal(0, 0.002, 10)).tolist() for _ in range(10)]

    files = [(file(), file()) for _ in range(200)]
    by_session = ours([ratio(a, b, seed=i, resamples=300) for i, (a, b) in enumerate(files)])
    held = sum(lo <= 1 <= hi for _, lo, hi in by_session) / len(files)
    flat = ours([ratio([sum(a, [])], [sum(b, [])], seed=i, resamples=300) for i, (a, b) in enumerate(files)])
    assert held >= 0.88 and held > sum(lo <= 1 <= hi for _, lo, hi in flat) / len(files) + 0.1


def test_one_sample_has_no_interval():
    assert ours([ratio([[1.0]], [[2.0, 2.0]])]) == [[2.0, None, None]]


def test_the_strongest_split_is_the_greatest_mann_whitney_statistic():
    for seed in range(20):
        random = numpy.random.default_rng(seed)
        n = 12 + 4 * seed
        nights = numpy.round(random.normal(0, 1, n) + (numpy.arange(n) >= n // 3) * random.choice([0, 2]), 1)  # rounded: ties
        (found,) = ours([{"function": "split", "nights": nights.tolist(), "least": 3}])

        def z(t):
            u = stats.mannwhitneyu(nights[t:], nights[:t], use_continuity=False, method="asymptotic")
            return stats.norm.isf(u.pvalue / 2) * numpy.sign(u.statistic - t * (n - t) / 2)

        all_z = {t: z(t) for t in range(3, n - 2)}
        best = max(all_z, key=lambda t: abs(all_z[t]))
        assert abs(found["z"]) == pytest.approx(abs(all_z[best]), rel=1e-6)
        assert found["z"] == pytest.approx(all_z[found["first"]], rel=1e-6)


@pytest.mark.parametrize("n", [14, 60, 365])
def test_one_level_seems_to_change_no_more_often_than_stated(n):
    """Any distribution will do, since ranks count; and runs of equal values."""
    random = numpy.random.default_rng(n)
    problems = [{"function": "changes", "nights": random.standard_cauchy(n).tolist(), "probability": 0.05} for _ in range(500)]
    problems += [{"function": "changes", "nights": random.integers(0, 4, n).tolist(), "probability": 0.05} for _ in range(500)]
    assert sum(bool(found) for found in ours(problems)) <= 0.05 * len(problems) + 3 * (0.05 * 0.95 * len(problems)) ** 0.5


def test_changes_are_found_where_they_are():
    random = numpy.random.default_rng(2)
    hits = 0
    for _ in range(50):
        nights = 0.01 * random.standard_t(3, 120)
        nights[40:70] += 0.10
        nights[70:] += 0.04
        nights[[10, 55, 100]] += 0.5  # a bad night is no change
        (found,) = ours([{"function": "changes", "nights": nights.tolist(), "probability": 1e-4}])
        hits += len(found) == 2 and abs(found[0] - 40) <= 1 and abs(found[1] - 70) <= 2
    assert hits >= 45


def test_too_few_nights_have_no_change():
    assert ours([{"function": "changes", "nights": [1, 1, 1, 9, 9], "probability": 0.5}, {"function": "changes", "nights": [], "probability": 0.5}]) == [[], []]


def test_the_extreme_quantile_of_heavy_tails():
    random = numpy.random.default_rng(8)
    for freedom in (2, 4):
        found = ours([{"function": "extreme", "sizes": numpy.abs(random.standard_t(freedom, 3000)).tolist(), "tail": 1e-4} for _ in range(30)])
        assert 0.6 < numpy.median(found) / stats.t.isf(0.5e-4, freedom) < 1.7
    assert ours([{"function": "extreme", "sizes": [1.0] * 50, "tail": 1e-3}]) == [None]
