# SPDX-License-Identifier: GPL-3.0-or-later
"""Training: the Compressor and the Decompressor together, then the Stepper, then the Projector.

As in D. Holden and others, "Learned Motion Matching" (2020), section 4. Every step draws by a generator of
its own, made of the seed, the stage and the step, so that a training that is resumed goes on as if it had
never stopped.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ...errors import InertiaError
from ...records import record
from ...settings.learned import LearnSettings
from ..arrays import Integers
from ..matching.engine import FPS, LATER
from ..steps import Steps
from . import losses, networks
from .losses import Reconstruction, Terms
from .material import Material
from .model import STAGES, TRAJECTORY, Model, ModelSkeleton, both, sizes
from .networks import Network, Norms, Numbers, Optimiser

SHARES = (0.4, 0.1, 0.5)
"""Which part of the time each stage has, ..."""
STEPS = (1.0, 0.6, 1.2)
"""... or how many steps for one of the first, ..."""
WINDOWS = (2, 1, 1)
"""... of how many times the windows that settings say, as much of the first one's work is the same for few
and for many, ..."""
RATES = (1.8, 2.0, 1.0)
"""... and how much farther they go: as far as it bears, tried on real motion."""
WINDOW, LONG = 2, 20
"""Frames of a window that is reconstructed, and of one that is stepped through."""
QUERIES = 3
"""So many queries stand for a window."""
QUIET, SOFT = 0.1, 2.0
"""What hardly varies counts in the Compressor as if it did by so much of what all numbers of its kind do; and
all of its inputs, which are many and alike, count so many times less, so that it bears longer steps."""
SMALL = 0.25
"""The deviation of latents, about: the loss keeps them so small."""
NOTED = 50
"""The loss is noted every so many steps."""
CHUNK = 4096
"""So many frames are compressed, or compared with queries, at once."""
NOISE, JITTER = 1.0, 0.1
"""Queries differ from frames by normal noise: of up to their own deviation and this, and always by this."""
WILD, ARCS = 0.1, 0.35
"""So many of them differ in all features, which no search asks for; and so many ask for an arc."""
TURN, ASKEW = 1.0, 0.2
"""How fast arcs turn, radians a second, and how far they begin from straight ahead, radians; deviations."""
BESIDE = 1.0
"""Who is of a person's size is up to so many metres, as a normal deviation, beside where he should be."""


@record(eq=False)
class Training:
    """A training, from its beginning or from where another one was stopped. seconds: how long the stage has
    taken until now, by the clock. ended: the networks of the stages before. noted: rows of the model's
    history. sums: of the terms since they were noted last. said: the last loss by term."""

    material: Material
    settings: LearnSettings
    skeleton: ModelSkeleton
    stage: int = 0
    seconds: float = 0.0
    ended: dict[str, Network] = dataclasses.field(default_factory=dict)
    noted: list[tuple[float, ...]] = dataclasses.field(default_factory=list)
    sums: Terms = dataclasses.field(default_factory=dict)
    said: Terms = dataclasses.field(default_factory=dict)
    clock: Callable[[], float] = time.monotonic

    def __post_init__(self) -> None:
        self._sizes = sizes(self.material.rows, self.material.features.shape[1], self.settings)
        self._norms: dict[str, Norms] = {}
        self._begin()

    @property
    def kind(self) -> Any:
        """The precision of all numbers."""
        return self.material.values.dtype.type

    @property
    def done(self) -> float:
        """Which part of all is done, 0 to 1."""
        if self.stage == len(STAGES):
            return 1.0
        return sum(SHARES[: self.stage]) + SHARES[self.stage] * self.stage_done

    @property
    def stage_done(self) -> float:
        """Which part of the stage is done, 0 to 1."""
        if self.settings.iterations:
            return min(1.0, self.state.steps / max(1, round(self.settings.iterations * STEPS[self.stage])))
        return min(1.0, self.seconds / (self.settings.seconds * SHARES[self.stage]))

    @property
    def windows(self) -> int:
        """Of how many windows a step of this stage is."""
        return WINDOWS[self.stage] * self.settings.windows

    def steps(self) -> Steps[Model]:
        """Train to the end, in place; yield the part that is done, 0 to 1, behind each step, and return the
        model.

        A training that has ended, or one that was resumed, goes on from its present stage. It may be left at
        any step: :meth:`model` is what has been learned by then, and :meth:`collect_state` what it takes to
        go on.
        """
        while self.stage < len(STAGES):
            learn = (self._reconstruct, self._step, self._project)[self.stage]()
            while self.stage_done < 1.0:
                began = self.clock()
                rate = networks.rate_at(RATES[self.stage] * self.settings.rate, self.stage_done)
                terms = learn(np.random.default_rng((self.settings.seed, self.stage, self.state.steps)))
                self.state.step(self._slope, rate)
                self._note(terms)
                self.seconds += self.clock() - began
                yield self.done
            self.ended |= self._placed(self.state.values)
            self.stage, self.seconds, self.sums = self.stage + 1, 0.0, {}
            self._begin()
        return self.model()

    def model(self) -> Model:
        """Return what has been learned until now."""
        material, learned = self.material, self.ended | self._placed(self.state.values)
        return Model(
            self.skeleton,
            self.settings,
            material.offsets,
            material.scales,
            material.names,
            material.frames,
            material.pace,
            material.size,
            material.gait,
            compressor=learned.get("compressor"),
            decompressor=learned.get("decompressor"),
            stepper=learned.get("stepper"),
            projector=learned.get("projector"),
            history=np.array(self.noted).reshape(-1, 4),
            terms=dict(self.said),
        )

    # --- to go on later

    def collect_state(self) -> dict[str, Any]:
        """Return what it takes to go on, beside the model: stage, steps, seconds, sums (a dict), and the
        optimiser's arrays values, mean and square.
        """
        return {
            "stage": self.stage,
            "steps": self.state.steps,
            "seconds": self.seconds,
            "sums": dict(self.sums),
            "values": self.state.values,
            "mean": self.state.mean,
            "square": self.state.square,
        }

    def resume(self, model: Model, contents: Mapping[str, Any]) -> None:
        """Go on from where a training of the same clips was stopped; changes this training in place.

        model: what had been learned. contents: the state, as :meth:`collect_state` returned it then; it is
        copied. Stage, seconds, sums and the optimiser come from it. Networks of stages that have ended, their
        terms and the history come from the model, and of the present stage's networks only what they
        normalise by; their parameters are in the state.

        Raise InertiaError, with nothing changed, if the settings, the skeleton, the clips' names or the
        number of frames differ; of the settings only minutes and iterations may, and those of this training
        hold. A network that the model should have and does not raises ModelError, when some has been changed
        already.
        """
        minutes, iterations = self.settings.minutes, self.settings.iterations
        trained = (
            dataclasses.replace(model.settings, minutes=minutes, iterations=iterations),
            *(model.skeleton, model.clips, model.frames),
        )
        if trained != (self.settings, self.skeleton, self.material.names, self.material.frames):
            raise InertiaError(
                "The stopped training used other clips or settings; use those again, or start again."
            )
        self.stage, self.seconds = int(contents["stage"]), float(contents["seconds"])
        self.noted = [tuple(row) for row in model.history.tolist()]
        self.said, self.sums = dict(model.terms), dict(contents["sums"])
        ended = itertools.chain(*tuple(STAGES.values())[: self.stage])
        self.ended = {name: model.network(name) for name in ended}
        self._begin()
        for name in self._names:
            # as it has been trained until now, whatever a later version would begin with
            network = model.network(name)
            self._norms[name] = network.mean_in, network.std_in, network.mean_out, network.std_out
        values, mean, square = (np.array(contents[name], self.kind) for name in ("values", "mean", "square"))
        self.state = Optimiser(values, mean, square, int(contents["steps"]))

    # --- stages

    def _begin(self) -> None:
        """Prepare the present stage: draw its networks' initial parameters by the seed and set the optimiser
        and norms; in place.

        Behind the last stage there are no parameters.
        """
        random = np.random.default_rng((self.settings.seed, self.stage))
        parts = [networks.begun(self._sizes[name], random, self.kind) for name in self._names]
        self.state = Optimiser.begin(np.concatenate([np.zeros(0, self.kind), *parts]))
        self._slope = np.zeros_like(self.state.values)
        self._norms = {name: self._norms_of(name) for name in self._names}

    @property
    def _names(self) -> tuple[str, ...]:
        """The networks of this stage."""
        return (*STAGES.values(), ())[self.stage]

    def _placed(self, flat: Numbers) -> dict[str, Network]:
        """Return the present stage's networks by name, whose parameters are views of `flat`.

        flat: the stage's parameters, or the gradient by these, (parameters,).
        """
        placed, start = {}, 0
        for name in self._names:
            layers = self._sizes[name]
            stop = start + networks.count(layers)
            is_smooth = name == "compressor"
            placed[name] = networks.placed(flat[start:stop], layers, self._norms[name], smooth=is_smooth)
            start = stop
        return placed

    def _norms_of(self, name: str) -> Norms:
        kind, material = self.kind, self.material
        if name == "compressor":
            mean = material.inputs.mean(axis=0, dtype=float)
            plain = np.zeros(self.settings.latent), np.full(self.settings.latent, SMALL)
            deviation = material.inputs.std(axis=0, dtype=float)
            least = QUIET * _by_kind(material.inputs, material.rows.bones)
            norms = (mean, SOFT * np.maximum(deviation, least), *plain)
        elif name == "decompressor":
            columns, values = material.features.shape[1], material.values
            scales = np.repeat([1.0, SMALL], [columns, self.settings.latent])
            norms = (np.zeros(len(scales)), scales, values.mean(0, dtype=float), values.std(0, dtype=float))
        else:
            features, latents = material.features, self.latents
            states = both(features, latents)
            mean, deviation = states.mean(0, dtype=float), states.std(0, dtype=float)
            whole = [np.full(a.shape[1], max(float(a.std()), 1e-6)) for a in (features, latents)]
            if name == "stepper":
                first = material.windows(2)
                rates = (states[first + 1] - states[first]) * FPS
                norms = (mean, np.concatenate(whole), rates.mean(0, dtype=float), rates.std(0, dtype=float))
            else:
                norms = (mean[: len(whole[0])], whole[0], mean, deviation)
        mean_in, std_in, mean_out, std_out = (array.astype(kind) for array in norms)
        return mean_in, std_in, mean_out, std_out

    @functools.cached_property
    def latents(self) -> Numbers:
        """What the Compressor makes of all frames (frames, latents)."""
        return compressed(self.material, self.ended["compressor"])

    def _note(self, terms: Terms) -> None:
        for name, value in terms.items():
            self.sums[name] = self.sums.get(name, 0.0) + value
        if self.state.steps % NOTED == 0:
            stage = tuple(STAGES)[self.stage]
            means = {name: value / NOTED for name, value in self.sums.items()}
            self.noted.append((self.stage, self.state.steps, self.stage_done, sum(means.values())))
            self.said |= {f"{stage}.{name}": value for name, value in means.items()}
            self.sums = {}

    # --- what a step of each stage does: draws, and leaves the gradient in its place

    def _reconstruct(self) -> Callable[[np.random.Generator], Terms]:
        parts, slopes, material = self._placed(self.state.values), self._placed(self._slope), self.material
        compressor, decompressor = parts["compressor"], parts["decompressor"]
        loss = Reconstruction(material.rows, material.tree, 1.0 / FPS)
        firsts, columns = material.windows(WINDOW), material.features.shape[1]

        def learn(random: np.random.Generator) -> Terms:
            begin = firsts[random.integers(0, len(firsts), self.windows)]
            frames = np.concatenate([begin + i for i in range(WINDOW)])
            inputs = material.inputs[frames]
            latents, tape = compressor.forward(inputs)
            values, second = decompressor.forward(both(material.features[frames], latents))
            terms, by_values, by_latents = loss(values, inputs, latents, len(begin))
            deltas = decompressor.back(second, by_values)
            networks.gradients(second, deltas, slopes["decompressor"])
            by_latents += decompressor.by_inputs(deltas)[:, columns:]
            networks.gradients(tape, compressor.back(tape, by_latents), slopes["compressor"])
            return terms

        return learn

    def _step(self) -> Callable[[np.random.Generator], Terms]:
        stepper, slope = (self._placed(flat)["stepper"] for flat in (self.state.values, self._slope))
        columns = self.material.features.shape[1]
        states = both(self.material.features, self.latents)
        long = min(LONG, int((self.material.stops - self.material.starts).max()))
        firsts = self.material.windows(long)

        def learn(random: np.random.Generator) -> Terms:
            begin = firsts[random.integers(0, len(firsts), self.windows)]
            return through(stepper, slope, states[begin + np.arange(long)[:, None]], columns)

        return learn

    def _project(self) -> Callable[[np.random.Generator], Terms]:
        projector, slope = (self._placed(flat)["projector"] for flat in (self.state.values, self._slope))
        features, latents = self.material.features, self.latents
        nearest = Nearest(features)
        deviation = features.std(axis=0) + self.kind(NOISE)

        def learn(random: np.random.Generator) -> Terms:
            asked = queries(self.material, deviation, QUERIES * self.windows, random)
            frames = nearest(asked)
            states, tape = projector.forward(asked)
            terms, by_states = losses.projected(states, both(features[frames], latents[frames]), asked)
            networks.gradients(tape, projector.back(tape, by_states), slope)
            return terms

        return learn


def compressed(material: Material, compressor: Network) -> Numbers:
    """Compute the latents (frames, latents) of a material."""
    starts = range(0, material.frames, CHUNK)
    return np.concatenate([compressor(material.inputs[start : start + CHUNK]) for start in starts])


def through(stepper: Network, slope: Network, truth: Numbers, features: int) -> Terms:
    """Return the loss of stepping through windows by term, and write its gradient into `slope`.

    Parameters
    ----------
    stepper
        The network; it is not changed.
    slope
        A network of the same layers, whose weights and biases are overwritten by the
        gradient.
    truth : (frames, n, features + latents)
        What the clips have, 1/60 s apart, at least two frames; the first is where it starts.
    features
        How many of the columns are features.

    Returns
    -------
    Terms
        "xval" and "xvel" of features, "zval" and "zvel" of latents: weighted mean absolute
        differences of values, and of rates per second.
    """
    tick = truth.dtype.type(1.0 / FPS)
    states, tapes = np.empty_like(truth), []
    states[0] = truth[0]
    for i in range(1, len(truth)):
        rate, tape = stepper.forward(states[i - 1])
        states[i] = states[i - 1] + tick * rate
        tapes.append(tape)
    terms, by_states = losses.stepped(states, truth, features, 1.0 / FPS)
    deltas: list[list[Numbers]] = []
    by_later = np.zeros_like(states[0])
    for i in range(len(truth) - 1, 0, -1):
        by_later = by_later + by_states[i]
        deltas.append(stepper.back(tapes[i - 1], tick * by_later))
        by_later = by_later + stepper.by_inputs(deltas[-1])
    inputs, by_outputs = ([*map(np.concatenate, zip(*each, strict=True))] for each in (tapes, deltas[::-1]))
    networks.gradients(inputs, by_outputs, slope)
    return terms


class Nearest:
    """Which of some rows is nearest to others, by brute force: a matrix product, and the most alike of it.
    Rows are taken some at a time, so that what they give stays small."""

    def __init__(self, rows: Numbers) -> None:
        half = 0.5 * np.einsum("ij,ij->i", rows, rows)
        self._parts = [
            np.ascontiguousarray(np.column_stack([rows, -half])[start : start + CHUNK].T)
            for start in range(0, len(rows), CHUNK)
        ]

    def __call__(self, asked: Numbers) -> Integers:
        """Return the index of the row that is nearest to each of some rows (n, columns): (n,); in a tie the
        first.
        """
        asked = np.column_stack([asked, np.ones(len(asked), asked.dtype)])
        each = np.arange(len(asked))
        nearest, most = np.zeros(len(asked), np.int64), np.full(len(asked), -np.inf)
        for i, part in enumerate(self._parts):
            alike = asked @ part
            place = np.argmax(alike, axis=1)
            better = alike[each, place] > most
            np.copyto(most, alike[each, place], where=better)
            np.copyto(nearest, place + i * CHUNK, where=better)
        return nearest


def queries(
    material: Material, deviation: Numbers, count: int, random: np.random.Generator, wild: float = WILD
) -> Numbers:
    """Return queries as training of the Projector draws them.

    Parameters
    ----------
    material
        The clips.
    deviation : (columns,)
        Of the noise.
    count
        How many.
    random
        Draws all.
    wild
        The share of queries, drawn for each by itself, that are frames with noise in all
        features, up to `deviation` strong, as in the paper; 0 for none. The others are made as a
        search makes them: the pose of one frame with little noise, with the trajectory partly or
        wholly of another frame, or, for 0.35 of all, along an arc, and shifted aside.

    Returns
    -------
    Numbers (count, columns)
        Normalised as the material's features, and of their type; wild ones and others are mixed.
    """
    features = material.features
    kind = features.dtype.type
    now, goal = features[random.integers(0, len(features), (2, count))]
    noise = random.standard_normal(now.shape, kind) * deviation
    part, which = random.random((2, count, 1), kind)
    is_wild, is_arc = which < wild, which > 1.0 - ARCS
    asked = now + np.where(is_wild, part, kind(JITTER)) * noise
    ways = slice(-TRAJECTORY, None)
    turning = np.where(is_arc, _arcs(material, goal, random), goal[:, ways]) - now[:, ways]
    turning *= np.where(is_wild, 0.0, np.where(is_arc, 1.0, part))
    places = slice(None, TRAJECTORY // 2)
    beside = random.standard_normal((count, 2)) * random.random((count, 1)) * (BESIDE * material.size)
    turning[:, places] += np.tile(np.where(is_wild, 0.0, beside), 3) / material.scales[ways][places]
    asked[:, ways] += turning.astype(kind)
    return asked


def _arcs(material: Material, frames: Numbers, random: np.random.Generator) -> Numbers:
    """Return trajectories (n, TRAJECTORY = 12), normalised as features are, along random arcs.

    frames: features (n, columns); each arc's speed is uniform from 0 to that of its frame's trajectory, its
    distance in 60 frames. The first direction is normal, of 0.2 radians, about straight ahead, and the turn
    normal, of 1 radian a second. A trajectory is three places x and z, in 20, 40 and 60 frames, then the
    three directions in which the character faces then, x and z, along the tangent. random: draws the speeds,
    then the first directions, then the turns.
    """
    ways, seconds = slice(-TRAJECTORY, None), np.array(LATER) / FPS
    last = (frames[:, ways] * material.scales[ways] + material.offsets[ways])[:, TRAJECTORY // 2 - 2 :][:, :2]
    speed = np.linalg.norm(last, axis=1) / seconds[-1] * random.random(len(frames))
    begin, turn = (np.array([[ASKEW], [TURN]]) * random.standard_normal((2, len(frames))))[..., None]
    # a chord points to where half of the arc is turned
    chord = speed[:, None] * seconds * np.sinc(turn * seconds / (2.0 * np.pi))
    half, whole = begin + 0.5 * turn * seconds, begin + turn * seconds
    places = chord[..., None] * np.stack([np.sin(half), np.cos(half)], axis=-1)
    facing = np.stack([np.sin(whole), np.cos(whole)], axis=-1)
    arcs = np.concatenate([places, facing], axis=1).reshape(len(frames), -1)
    return (arcs - material.offsets[ways]) / material.scales[ways]


def _by_kind(inputs: Numbers, bones: int) -> Numbers:
    """Return a deviation for each of the Compressor's inputs (columns,), float64, the same for all numbers of
    one kind: the standard deviation of all of them together, about their common mean.

    inputs: (frames, columns), as in :class:`Material`. bones: how many. Kinds are positions, rotations,
    velocities, angular velocities, the root's velocity, its angular velocity, contacts, and then, in
    character space, rotations, positions, velocities and angular velocities. None is below 1e-6.
    """
    local = [3 * bones, 6 * bones, 3 * bones, 3 * bones, 3, 3]
    feet = inputs.shape[1] - sum(local) - 15 * bones
    deviations = np.empty(inputs.shape[1])
    start = 0
    for size in (*local, feet):
        part = slice(start, start + size)
        deviations[part] = inputs[:, part].std(dtype=float) if size else 1.0
        start += size
    seen = inputs[:, start:].reshape(len(inputs), bones, 3, 5)
    kinds = np.array([seen[..., columns].std(dtype=float) for columns in ((0, 1), 2, 3, 4)])
    deviations[start:] = np.tile(kinds[[0, 0, 1, 2, 3]], 3 * bones)
    return np.maximum(deviations, 1e-6)
