"""Training steps of a network with one hidden layer in NumPy. It prints the FLOPs of its products of matrices, two for each fused one."""
import sys

import numpy

rows, features, hidden, steps = map(int, sys.argv[1:])
chance = numpy.random.default_rng(1)
given, wanted = chance.random((rows, features)), chance.random((rows, 1))
first, second = chance.random((features, hidden)) - 0.5, chance.random((hidden, 1)) - 0.5
for _ in range(steps):
    inner = numpy.tanh(given @ first)
    error = inner @ second - wanted
    back = (error @ second.T) * (1 - inner * inner)
    second -= 1e-3 * (inner.T @ error)
    first -= 1e-3 * (given.T @ back)
print(steps * 2 * rows * hidden * (2 * features + 3))
