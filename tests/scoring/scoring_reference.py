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


def test_interval_of_a_mean_is_students_with_hall_s_sides():
    samples = [numpy.random.default_rng(seed).lognormal(0, 1, 2 + seed) for seed in SEEDS]
    for values, (lo, hi) in zip(samples, ours([{"function": "mean_interval", "values": list(values)} for values in samples])):
        n, skewness, sides = len(values), stats.skew(values), stats.t.ppf([0.984, 0.016], len(values) - 1) / numpy.sqrt(len(values))
        if n > 2:  # of two there is no skewness
            sides = 3 / skewness * (numpy.cbrt(1 + skewness * (sides - skewness / (6 * n))) - 1)
        assert (lo, hi) == near(tuple(numpy.mean(values) - numpy.std(values, ddof=1) * sides), rel=1e-7)


def test_interval_of_values_that_are_all_equal_is_that_value():
    assert ours([{"function": "mean_interval", "values": [0.25] * 5}]) == [[0.25, 0.25]]


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
