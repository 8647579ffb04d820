# SPDX-License-Identifier: GPL-3.0-or-later
"""The half-life of a spring below strides, which make the hips go faster and slower with each step.

Strides are waves with the frequency of the steps, half of it (left and right differ), and twice of it. They
grow with the speed, and steps come quicker with it. The parts of these waves are fitted along with the spring
(see ``beside`` of :func:`half_life.fit`); their frequency, and how it depends on the speed, are searched for.
What is uncertain about these two, linearized, is fitted along at the end, so that the interval knows of it.
"""

from __future__ import annotations

import dataclasses
import itertools
import math

import numpy as np

from ...records import record
from ..arrays import Array
from . import filters, half_life
from .half_life import Samples, SpringFit

OVERTONES = (0.5, 1.0, 2.0)
"""The frequencies of strides over that of the steps."""
SLOWEST, QUICKEST = 0.8, 4.5
"""Steps a second."""
CYCLES = 2.0
"""Samples with fewer steps than this say nothing of strides."""
SAMPLES_A_STEP = 10.0 / 3.0
"""Steps that have fewer samples are not looked for."""
FREQUENCIES, QUICKER = 40, (0.0, 0.25)
"""So many frequencies are tried first, and how much quicker steps are at the highest speed than at none."""
PLACES = (20, 16)
"""So many begins, and half-lives, are tried with each."""
SPEED_SECONDS = 0.6
"""The speed that strides grow with is smoothed over so long, until a spring is fitted."""
BY_STRIDES = 0.4
"""Strides are there if a spring with them leaves no more than this part of what one alone leaves, squared."""
LEAST, LARGEST = 0.02, 0.35
"""Strides are between these parts of what the spring changes by, root mean square: smaller ones are no
matter, and below larger ones one sees no ramp."""
FOLLOWS = 0.05
"""Without strides, smoothed, samples are no further from the spring than this part of its change, root mean
square: what else they do, such as to slow down from the beginning on, is no stride."""
BEYOND = 1.25
"""A spring changes by no more than so many times what its samples range over."""
ROUNDS, NARROWER = 8, 0.7
"""The frequency is bettered in so many rounds, each over this part of what the one before tried."""
SURE = 1e-3
"""A half-life that changes by no more than this part is found."""
NUDGE = 1e-3


@record(frozen=True)
class Cadence:
    """How quickly steps follow each other. frequency: a second, at the highest speed. quicker: by which part
    they come slower when the character hardly moves."""

    frequency: float
    quicker: float

    def vary(self, times: float, quicker: float) -> Cadence:
        """Return a cadence with so many times the frequency, which depends on the speed by so much more."""
        return Cadence(self.frequency * times, self.quicker + quicker)


def fit_with_strides(seconds: Array, values: Array, mean_over: float, alone: SpringFit) -> SpringFit | None:
    """Return the spring that fits samples best together with strides; None if there are no strides.

    Parameters
    ----------
    seconds : (n,)
        Times, rising evenly.
    values : (n,)
        The samples.
    mean_over
        Over how many seconds each sample is a mean.
    alone
        The best spring without strides.

    Returns
    -------
    SpringFit | None
        With its interval, and the root mean square of the strides as `strides`. None if `alone`
        leaves less than 2 % of its change, root mean square; if no cadence leaves at most 0.4 of
        the squares that `alone` does, see :meth:`_Strided.find_cadence`; if the strides are
        larger than 35 % of the spring's change, or that is more than 1.25 times what the samples
        range over; and if what the spring leaves, smoothed over 0.6 s or half of the samples'
        length, whichever is less, is more than 5 % of that change, root mean square.
    """
    if alone.residual < LEAST * abs(alone.after - alone.before):
        return None
    ramp = _Strided(seconds, values, mean_over)
    first = ramp.find_cadence(alone.residual**2 * len(values))
    found = None if first is None else ramp.fitted(first)
    if found is None:
        return None
    change = abs(found.after - found.before)
    is_ramp = found.strides <= LARGEST * change and change <= BEYOND * float(np.ptp(values))
    left = ramp.smoothed(values - found.at(seconds, mean_over))
    follows = float(np.sqrt(np.mean(left**2))) <= FOLLOWS * change
    return found if is_ramp and follows else None


class _Strided:
    """Samples of a ramp with strides on top."""

    def __init__(self, t: Array, z: Array, mean_over: float) -> None:
        self.t, self.z, self.mean_over = t, z, mean_over
        self.step, self.length = float(t[-1] - t[0]) / (len(t) - 1), float(t[-1] - t[0])
        self.speed = np.abs(self.smoothed(z))

    def smoothed(self, values: Array) -> Array:
        """Return values (n,) without strides, about."""
        window = filters.window_samples(min(SPEED_SECONDS, 0.5 * self.length), 1.0 / self.step)
        return filters.smoothed(values, window, 0)

    def waves(self, cadence: Cadence) -> Array:
        """Return the waves (n, 8) whose sum strides are.

        They are cosine and sine of half the steps' frequency, of that frequency and of twice that, in this
        order, which grow with self.speed; then cosine and sine of the steps' frequency once more, which do
        not grow. cadence: the steps' frequency at the highest speed, and by which part they come slower at
        none.
        """
        part = self.speed / max(float(self.speed.max()), 1e-300)
        seconds = np.cumsum(1.0 + cadence.quicker * (part - 1.0)) * self.step
        phase = 2.0 * math.pi * cadence.frequency * seconds
        waves = [wave(times * phase) for times in OVERTONES for wave in (np.cos, np.sin)]
        steady = waves[2:4]
        return np.column_stack([*(part * wave for wave in waves), *steady])

    def find_cadence(self, left_alone: float) -> Cadence | None:
        """Return the cadence of strides with which a spring leaves least; None if strides do not help.

        Tried are 40 frequencies, evenly by ratio, each with 0 and 0.25 as the dependence on the speed: from
        0.8 steps a second, or two steps in the samples' length if that is more, to 4.5, or one step in 10 / 3
        samples if that is less. None if the first is not below the second. Sums are those of
        :meth:`left_coarsely`, and the best must leave at most 0.4 of left_alone.

        left_alone: the sum of squares that a spring alone leaves.
        """
        slowest = max(SLOWEST, CYCLES / self.length)
        quickest = min(QUICKEST, 1.0 / (SAMPLES_A_STEP * self.step))
        if slowest >= quickest:
            return None
        tried = [
            Cadence(float(frequency), quicker)
            for frequency in np.geomspace(slowest, quickest, FREQUENCIES)
            for quicker in QUICKER
        ]
        left = [self.left_coarsely(cadence) for cadence in tried]
        best = int(np.argmin(left))
        return tried[best] if left[best] <= BY_STRIDES * left_alone else None

    def left_coarsely(self, cadence: Cadence) -> float:
        """Return roughly what springs leave at best, as a sum of squared residuals, together with strides of
        a cadence.

        Begins are tried at 20 times over the first 0.7 of the samples' length, half-lives at 16, evenly by
        ratio, from 2 samples to 0.6 of the length. Of 120 samples or more only every so many-th is used,
        which leaves 60 to 119, and the sum is multiplied by that number.
        """
        every = max(len(self.t) // 60, 1)
        samples = Samples(self.t[::every], self.z[::every], self.mean_over, self.waves(cadence)[::every])
        begins = np.linspace(self.t[0], self.t[0] + 0.7 * self.length, PLACES[0])
        logs = np.linspace(math.log(2.0 * self.step), math.log(0.6 * self.length), PLACES[1])
        begins, logs = (axis.ravel() for axis in np.meshgrid(begins, logs))
        return float(samples.lefts(begins, logs).min()) * every

    def fitted(self, cadence: Cadence) -> SpringFit | None:
        """Return the best spring with strides of about a cadence, with its interval; None if no spring can be
        fitted.

        In up to 8 rounds self.speed becomes the spring's, without sign, the cadence is improved by
        :meth:`bettered`, over a narrower range each time, and the spring is fitted anew. From the fourth
        round on it ends when the half-life changes by no more than 0.001 of itself. The last fit also has the
        signals of :meth:`unsure_waves` beside it, so that the interval knows how uncertain the cadence is;
        the spring's `strides` include them. self.speed stays as it is then.
        """
        found = half_life.find_best(self.t, self.z, self.mean_over, self.waves(cadence))
        wide = (QUICKEST / SLOWEST) ** (0.5 / FREQUENCIES)
        more = 0.5 * (QUICKER[1] - QUICKER[0])
        for turn in range(ROUNDS):
            if found is None:
                return None
            self.speed = np.abs(self.sample_spring(found))
            cadence = self.bettered(cadence, found, wide, more)
            wide, more, before = wide**NARROWER, more * NARROWER, found.half_life
            found = half_life.find_best(self.t, self.z, self.mean_over, self.waves(cadence))
            if found is not None and turn > 2 and abs(found.half_life / before - 1.0) < SURE:
                break
        if found is None:
            return None
        unsure = self.unsure_waves(cadence, found)
        return half_life.fit(self.t, self.z, self.mean_over, np.column_stack([self.waves(cadence), unsure]))

    def bettered(self, cadence: Cadence, fit: SpringFit, wide: float, more: float) -> Cadence:
        """Return the best of nine cadences, the given one among them, for a spring that has been found.

        wide: the factor, and its inverse, that are tried on the frequency. more: what is added to, and taken
        from, the dependence on the speed.
        """
        place = np.array([fit.begin, math.log(fit.half_life)])
        around = itertools.product((1.0, 1.0 / wide, wide), (0.0, -more, more))
        tried = [cadence.vary(times, quicker) for times, quicker in around]
        samples = [Samples(self.t, self.z, self.mean_over, self.waves(each)) for each in tried]
        return tried[int(np.argmin([float(np.sum(each.residuals(place) ** 2)) for each in samples]))]

    def unsure_waves(self, cadence: Cadence, fit: SpringFit) -> Array:
        """Return four signals (n, 4): how the fitted strides change with each of four uncertain numbers.

        They are the steps' frequency (relative), its dependence on the speed, and the spring's begin (in
        parts of the samples' length) and half-life (relative). self.speed is left as the spring has it.
        """
        columns = np.column_stack([np.ones(len(self.t)), self.sample_spring(fit), self.waves(cadence)])
        parts = np.linalg.lstsq(columns, self.z, rcond=None)[0][2:]
        changes = []
        for times, quicker, later, slower in NUDGE * np.eye(4):
            both = []
            for sign in (1.0, -1.0):
                moved = dataclasses.replace(
                    fit,
                    begin=fit.begin + sign * later * self.length,
                    half_life=fit.half_life * (1.0 + sign * slower),
                )
                self.speed = np.abs(self.sample_spring(moved))
                both.append(self.waves(cadence.vary(1.0 + sign * times, sign * quicker)) @ parts)
            changes.append((both[0] - both[1]) / (2.0 * NUDGE))
        self.speed = np.abs(self.sample_spring(fit))
        return np.column_stack(changes)

    def sample_spring(self, fit: SpringFit) -> Array:
        """Return a spring at the samples (n,)."""
        return fit.at(self.t, self.mean_over)
