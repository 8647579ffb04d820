# SPDX-License-Identifier: GPL-3.0-or-later
"""Feed-forward networks with their exact gradients and their optimiser, in numpy alone.

All numbers are of one kind: float32 to train and to play, float64 where gradients are checked. Rows are
examples. Hidden layers go through ELU (D.-A. Clevert and others, 2016) or, as those that games read, ReLU.
The optimiser is RAdam: L. Liu and others, "On the Variance of the Adaptive Learning Rate and Beyond" (2020),
algorithm 2: Adam, whose step waits until enough gradients were seen to know how much they vary.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...records import record

Numbers = NDArray[Any]
"""Floating point numbers of either precision."""
Norms = tuple[Numbers, Numbers, Numbers, Numbers]
"""The mean and the deviation of inputs, and of outputs."""

MOST = 1e6
"""No weight of a network that was trained is further from 0, nor a mean or a deviation in metres."""
FIRST, SECOND = 0.9, 0.999
"""How much of the means of gradients, and of their squares, is kept from step to step."""
TINY = 1e-8
CHUNK = 65536
"""So many parameters are worked on at once, so that what is needed meanwhile stays in the cache."""
LAST = 0.003
"""The last step's rate, as a part of the first one's."""


@record(frozen=True, eq=False)
class Network:
    """Layers, and what their inputs and outputs are normalised by. weights: by layer, (inputs, outputs);
    biases: (outputs,). smooth: whether hidden layers go through ELU, else ReLU. Inputs are ``(x - mean_in) /
    std_in``, and outputs ``y * std_out + mean_out``."""

    weights: tuple[Numbers, ...]
    biases: tuple[Numbers, ...]
    mean_in: Numbers
    std_in: Numbers
    mean_out: Numbers
    std_out: Numbers
    smooth: bool = False

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many numbers go in, how many each hidden layer has, and how many come out."""
        return (*(len(weight) for weight in self.weights), self.weights[-1].shape[1])

    def __call__(self, inputs: Numbers) -> Numbers:
        """Return outputs (n, outputs) of inputs (n, inputs)."""
        return self.forward(inputs)[0]

    def take_outputs(self, outputs: slice) -> Network:
        """Return a network that gives some of the outputs alone."""
        return dataclasses.replace(
            self,
            weights=(*self.weights[:-1], self.weights[-1][:, outputs]),
            biases=(*self.biases[:-1], self.biases[-1][outputs]),
            mean_out=self.mean_out[outputs],
            std_out=self.std_out[outputs],
        )

    def infer(self, inputs: Numbers) -> Numbers:
        """Return outputs (n, outputs) of inputs (n, inputs), as a call does, equal but for rounding.

        It is for a network that learns no more: what it takes of the weights is kept from the first time on.
        The normalisation of inputs and outputs is part of the first and the last layer: of few rows it takes
        as long as the layers.
        """
        weights, biases = self._normalised
        values = inputs
        for weight, bias in zip(weights[:-1], biases[:-1], strict=True):
            hidden = values @ weight
            hidden += bias
            values = self._activated(hidden)
        outputs: Numbers = values @ weights[-1]
        outputs += biases[-1]
        return outputs

    @functools.cached_property
    def _normalised(self) -> tuple[list[Numbers], list[Numbers]]:
        """Lists of weights and biases, by layer, that take inputs and give outputs without normalising them
        separately; cached.
        """
        weights, biases = [*self.weights], [*self.biases]
        weights[0] = weights[0] / self.std_in[:, None]
        biases[0] = biases[0] - self.mean_in @ weights[0]
        weights[-1] = weights[-1] * self.std_out
        biases[-1] = biases[-1] * self.std_out + self.mean_out
        return weights, biases

    def forward(self, inputs: Numbers) -> tuple[Numbers, list[Numbers]]:
        """Return the outputs (n, outputs) of inputs (n, inputs), and the list of what goes into each layer,
        for :meth:`back`.

        The first element of that list is the normalised inputs.
        """
        tape = [inputs - self.mean_in]
        tape[0] *= 1 / self.std_in
        for weight, bias in zip(self.weights[:-1], self.biases[:-1], strict=True):
            hidden = tape[-1] @ weight
            hidden += bias
            tape.append(self._activated(hidden))
        outputs = tape[-1] @ self.weights[-1]
        outputs += self.biases[-1]
        outputs *= self.std_out
        outputs += self.mean_out
        return outputs, tape

    def _activated(self, hidden: Numbers) -> Numbers:
        # numpy compares with a row three times as quickly as with a number
        zeros = np.zeros(hidden.shape[-1], hidden.dtype)
        if not self.smooth:
            return np.maximum(hidden, zeros, out=hidden)
        # near zero expm1 would be more exact, but it takes ten times as long
        below = np.minimum(hidden, zeros)
        np.exp(below, out=below)
        below -= 1
        return np.maximum(hidden, below, out=hidden)

    def back(self, tape: Sequence[Numbers], slope: Numbers) -> list[Numbers]:
        """Return the gradients by each layer's outputs before its activation, first layer first: a list of
        arrays (n, outputs).

        tape: what :meth:`forward` returned. slope: (n, outputs), the gradient by the network's outputs.
        """
        deltas = [slope * self.std_out]
        for weight, activations in zip(self.weights[:0:-1], tape[:0:-1], strict=True):
            above = deltas[-1] @ weight.T
            # of ELU what comes out tells the slope: 1 above zero, e^x, which is the output and 1, below
            if self.smooth:
                rate = activations + 1
                above *= np.minimum(rate, np.ones(rate.shape[-1], rate.dtype), out=rate)
            else:
                above *= activations > 0
            deltas.append(above)
        return deltas[::-1]

    def by_inputs(self, deltas: Sequence[Numbers]) -> Numbers:
        """Return the gradient by the inputs (n, inputs), of what :meth:`back` gives."""
        return deltas[0] @ self.weights[0].T / self.std_in


def gradients(tape: Sequence[Numbers], deltas: Sequence[Numbers], into: Network) -> None:
    """Write the gradient by weights and biases into a network's places for them, in place.

    Parameters
    ----------
    tape
        What goes into each layer (n, inputs), as :meth:`Network.forward` returns it.
    deltas
        The gradients (n, outputs) by each layer's outputs, as :meth:`Network.back` returns
        them.
    into
        A network of the same layers, whose weights and biases are overwritten.
    """
    for inputs, delta, weight, bias in zip(tape, deltas, into.weights, into.biases, strict=True):
        np.matmul(inputs.T, delta, out=weight)
        np.sum(delta, axis=0, out=bias)


def count(sizes: Sequence[int]) -> int:
    """Return how many weights and biases a network of such layers has."""
    return sum((rows + 1) * columns for rows, columns in itertools.pairwise(sizes))


def placed(flat: Numbers, sizes: Sequence[int], norms: Norms, *, smooth: bool = False) -> Network:
    """Return a network whose weights and biases are views into a flat vector.

    Changing one changes the other.

    Parameters
    ----------
    flat
        Layer by layer, weights before biases; what is longer than needed is ignored.
    sizes
        Of the layers, inputs first.
    norms
        Mean and deviation of inputs, then of outputs.
    smooth
        ELU in place of ReLU.

    Returns
    -------
    Network
        It also holds the norms themselves, not copies.
    """
    weights, biases, start = [], [], 0
    for rows, columns in itertools.pairwise(sizes):
        weights.append(flat[start : start + rows * columns].reshape(rows, columns))
        start += rows * columns
        biases.append(flat[start : start + columns])
        start += columns
    return Network(tuple(weights), tuple(biases), *norms, smooth=smooth)


def begun(sizes: Sequence[int], random: np.random.Generator, kind: Any = np.float32) -> Numbers:
    """Return the weights and biases that training starts from, within 1 / sqrt(inputs) of zero.

    Parameters
    ----------
    sizes
        Of the layers, inputs first.
    random
        Draws them.
    kind
        Their precision.

    Returns
    -------
    Numbers (n,)
        Flat, layer by layer, as :func:`placed` takes them.
    """
    parts = [
        random.uniform(-1.0, 1.0, (rows + 1) * columns) / np.sqrt(rows)
        for rows, columns in itertools.pairwise(sizes)
    ]
    return np.concatenate(parts, dtype=kind)


@record(eq=False)
class Optimiser:
    """Parameters (n,), decayed sums of their gradients and of the squares, and how many steps were done."""

    values: Numbers
    mean: Numbers
    square: Numbers
    steps: int = 0

    @classmethod
    def begin(cls, values: Numbers) -> Optimiser:
        """Return the optimiser before the first step, with all means 0. values: the parameters, which are
        kept, not copied.
        """
        return cls(values, np.zeros_like(values), np.zeros_like(values))

    def step(self, slope: Numbers, rate: float) -> None:
        """Change the parameters, self.values, by one step of RAdam against a gradient, in place.

        slope: the gradient (n,), which is overwritten. rate: the learning rate.

        The decayed sums become mean = 0.9 mean + gradient and square = 0.999 square + gradient^2, and `steps`
        is counted up by one; sums are corrected for how few gradients they hold when they are used, not as
        they are kept. In the first 5 steps, in which too little is known of how much gradients vary, the step
        is the rate times the corrected mean alone; from then on it is also divided by the root of the
        corrected square plus 1e-8, and rectified.
        """
        self.steps += 1
        n = self.steps
        kept = SECOND**n
        longest = 2.0 / (1.0 - SECOND) - 1.0
        length = longest - 2.0 * n * kept / (1.0 - kept)
        # the means are the sums times what follows
        rate *= (1.0 - FIRST) / (1.0 - FIRST**n)
        root = math.sqrt((1.0 - SECOND) / (1.0 - kept))
        if length > 5.0:
            variance = (length - 4.0) * (length - 2.0) * longest
            rate *= math.sqrt(variance / ((longest - 4.0) * (longest - 2.0) * length)) / root
        for first in range(0, len(slope), CHUNK):
            part = slice(first, first + CHUNK)
            mean, square, step = self.mean[part], self.square[part], slope[part]
            mean *= FIRST
            mean += step
            square *= SECOND
            step *= step
            square += step
            if length > 5.0:
                np.sqrt(square, out=step)
                step += TINY / root
                np.divide(mean, step, out=step)
                step *= rate
            else:
                np.multiply(mean, rate, out=step)
            self.values[part] -= step


def rate_at(first: float, progress: float) -> float:
    """Return the rate of a step when a part of all is done, 0 to 1: evenly down to LAST of the first."""
    return first * (1.0 - (1.0 - LAST) * min(progress, 1.0))
