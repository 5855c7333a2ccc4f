"""Training steps of a network with one hidden layer in JAX. It prints the FLOPs that XLA's own analysis gives for a compiled step."""
import sys

import jax
import jax.numpy as jnp

rows, features, hidden, steps = map(int, sys.argv[1:])
keys = jax.random.split(jax.random.PRNGKey(1), 4)
given, wanted = jax.random.uniform(keys[0], (rows, features)), jax.random.uniform(keys[1], (rows, 1))
weights = (jax.random.uniform(keys[2], (features, hidden)) - 0.5, jax.random.uniform(keys[3], (hidden, 1)) - 0.5)


def loss(both):
    return jnp.mean((jnp.tanh(given @ both[0]) @ both[1] - wanted) ** 2)


def step(both):
    return jax.tree_util.tree_map(lambda weight, slope: weight - 1e-3 * slope, both, jax.grad(loss)(both))


compiled = jax.jit(step).lower(weights).compile()
for _ in range(steps):
    weights = compiled(weights)
jax.block_until_ready(weights)
cost = compiled.cost_analysis()
print(round(steps * (cost[0] if isinstance(cost, list) else cost)["flops"]))
