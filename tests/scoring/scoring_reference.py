"""The functions behind a score, held against SciPy's on the same random problems."""
import json
import os
import subprocess

import numpy
import pytest

optimize = pytest.importorskip("scipy.optimize", reason="SciPy (python3-scipy) is not installed")
stats = pytest.importorskip("scipy.stats")

FUNCTIONS = os.environ["SCORING_FUNCTIONS"]
SEEDS = range(20)


def ours(problems):
    done = subprocess.run([FUNCTIONS], input=json.dumps(problems), capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def near(value, rel=1e-9, absolute=1e-12):
    return pytest.approx(value, rel=rel, abs=absolute)


def noisy_line(seed, n):
    random = numpy.random.default_rng(seed)
    x = random.uniform(1, 100, n)
    y = 3 + 2 * x + random.normal(0, 5, n)
    y[: n // 10] *= random.uniform(2, 30, n // 10)  # outliers
    return x, y


def test_theil_sen_slope_intercept_and_interval():
    lines = [noisy_line(seed, 20 + 7 * seed) for seed in SEEDS]
    for (x, y), found in zip(lines, ours([{"function": "theil_sen", "x": list(x), "y": list(y)} for x, y in lines])):
        slope, intercept, lo, hi = stats.theilslopes(y, x)
        assert (found["slope"], found["intercept"], found["lo"], found["hi"]) == near((slope, intercept, lo, hi))


def test_a_line_is_fitted_by_relative_errors():
    """y = a + s x as y/x = s + a (1/x), and the slope of the logarithms."""
    for seed in SEEDS:
        random = numpy.random.default_rng(100 + seed)
        x = 10 ** random.uniform(3, 9, 80)
        y = (5000 + 1.5 * x) * numpy.exp(random.normal(0, 0.01, 80))
        (found,) = ours([{"function": "line", "x": list(x), "y": list(y)}])
        offset, slope, _, _ = stats.theilslopes(y / x, 1 / x)
        assert (found["intercept"], found["slope"]) == near((offset, slope), rel=1e-7)
        assert found["log_log_slope"] == near(stats.theilslopes(numpy.log(y), numpy.log(x))[0])


@pytest.mark.parametrize("columns", [1, 2, 4, 6])
def test_non_negative_least_squares(columns):
    problems = []
    for seed in SEEDS:
        random = numpy.random.default_rng(seed)
        rows = random.uniform(0, 1, (60, columns))
        weights = random.normal(0.5, 1, columns)  # some are negative and must be held at nothing
        problems.append((rows, rows @ weights + random.normal(0, 0.05, 60)))
    answers = ours([{"function": "nnls", "rows": rows.tolist(), "values": values.tolist()} for rows, values in problems])
    for (rows, values), found in zip(problems, answers):
        weights, residual = optimize.nnls(rows, values)
        assert found["weights"] == near(list(weights), rel=1e-7, absolute=1e-9)
        assert found["residual"] == near(residual / numpy.sqrt(len(values)), rel=1e-6, absolute=1e-9)


def test_columns_that_depend_on_each_other_are_fitted_as_well_as_scipy_does():
    random = numpy.random.default_rng(7)
    rows = random.uniform(0, 1, (50, 2))
    rows = numpy.column_stack([rows, rows[:, 0]])  # the third is the first again
    values = rows @ [1.0, 0.5, 0.7]
    (found,) = ours([{"function": "nnls", "rows": rows.tolist(), "values": values.tolist()}])
    assert min(found["weights"]) >= 0 and found["residual"] == near(0, absolute=1e-6)
    assert found["weights"][0] + found["weights"][2] == near(1.7, rel=1e-6)


def test_bootstrap_interval_of_a_clustered_geometric_mean():
    """Resampling noise remains between two bootstraps: both ends agree to a tenth of the width."""
    for seed in range(5):
        random = numpy.random.default_rng(seed)
        sizes = random.integers(1, 40, 30).astype(float)
        logs = sizes * random.normal(0.1, 0.2, 30)
        problem = {"function": "bootstrap", "clusters": list(zip(logs, sizes)), "seed": seed, "resamples": 9999}
        (found,) = ours([problem])
        assert ours([problem]) == [found]  # the same seed, the same interval
        theirs = stats.bootstrap((logs, sizes), lambda a, b: numpy.exp(a.sum() / b.sum()), paired=True, vectorized=False, method="percentile",
                                 n_resamples=9999, random_state=random).confidence_interval
        width = theirs.high - theirs.low
        assert found == near([theirs.low, theirs.high], rel=0, absolute=0.1 * width)


def test_quantile_scatter_and_variation():
    for seed in SEEDS:
        random = numpy.random.default_rng(seed)
        samples = random.lognormal(0, 1, 3 + seed)
        part = random.uniform()
        (found,) = ours([{"function": "spread", "samples": list(samples), "part": part}])
        assert found["quantile"] == near(numpy.quantile(samples, part))
        assert found["scatter"] == near(1.4826 * stats.median_abs_deviation(samples))
        assert found["cv"] == near(stats.variation(samples, ddof=1))
        assert (found["mean"], found["deviation"]) == near((numpy.mean(samples), numpy.std(samples, ddof=1)))
        assert found["about_middle"] == near(numpy.sqrt(numpy.sum((samples - numpy.median(samples)) ** 2) / (len(samples) - 1)))


def test_a_cluster_interval_holds_the_truth_about_as_often_as_it_says():
    """95 % in theory; with 30 clusters a percentile interval holds a little less often."""
    random = numpy.random.default_rng(5)
    problems = []
    for seed in range(400):
        logs = random.normal(0, 0.1, 30)
        problems.append({"function": "bootstrap", "clusters": [[x, 1.0] for x in logs], "seed": seed, "resamples": 500})
    held = sum(lo <= 1 <= hi for lo, hi in ours(problems)) / len(problems)
    assert 0.89 <= held <= 0.985
