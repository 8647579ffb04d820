# SPDX-License-Identifier: GPL-3.0-or-later
"""Gradients are those of finite differences: of every layer, and of every term of every loss."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from inertia_addon.motion.learned import losses, networks, training, tree
from inertia_addon.motion.learned.losses import Reconstruction
from inertia_addon.motion.learned.material import RowLayout
from inertia_addon.motion.learned.networks import Network

Array = NDArray[np.float64]

PARENTS = (-1, 0, 1, 0, 3, -1, 1)
ROWS, TREE = RowLayout(len(PARENTS), 2), tree.tree(PARENTS)
WINDOWS, LENGTH, LATENTS = 2, 3, 3
STEP = 1e-6
WITHIN = 1e-6


def slopes(value: Callable[[], float], places: Array) -> Array:
    """The gradient of a value by the numbers in an array, by central differences."""
    found = np.empty_like(places)
    for at in np.ndindex(places.shape):
        kept = places[at]
        ends = []
        for places[at] in (kept + STEP, kept - STEP):
            ends.append(value())
        found[at], places[at] = (ends[0] - ends[1]) / (2.0 * STEP), kept
    return found


def assert_same(found: Array, wanted: Array) -> None:
    assert np.abs(found - wanted).max() < WITHIN * max(1.0, np.abs(wanted).max())


def network(
    random: np.random.Generator, sizes: tuple[int, ...], *, smooth: bool = False
) -> tuple[Network, Array]:
    norms = [
        change(random.normal(size=size))
        for size in (sizes[0], sizes[-1])
        for change in (lambda x: x, lambda x: np.abs(x) + 0.5)
    ]
    flat = networks.begun(sizes, random, float)
    return networks.placed(flat, sizes, norms, smooth=smooth), flat


@pytest.mark.parametrize("smooth", [True, False])
def test_layers_have_the_slope_of_their_output(*, smooth: bool) -> None:
    random = np.random.default_rng(1)
    own, flat = network(random, (5, 6, 4, 3), smooth=smooth)
    inputs, weights = random.normal(size=(4, 5)), random.normal(size=(4, 3))

    def value() -> float:
        return float(np.sum(own(inputs) * weights))

    _, tape = own.forward(inputs)
    deltas = own.back(tape, weights)
    found = np.empty_like(flat)
    networks.gradients(tape, deltas, networks.placed(found, own.sizes, [flat] * 4))
    assert_same(found, slopes(value, flat))
    assert_same(own.by_inputs(deltas), slopes(value, inputs))


@pytest.mark.parametrize("smooth", [True, False])
def test_layers_are_played_as_they_are_learned(*, smooth: bool) -> None:
    random = np.random.default_rng(2)
    own, _ = network(random, (5, 6, 4, 3), smooth=smooth)
    inputs = random.normal(size=(7, 5))
    np.testing.assert_allclose(own.infer(inputs), own(inputs), rtol=1e-12, atol=1e-12)


def torque(turns: Array, by_turns: Array) -> Array:
    """The gradient (3, bones, poses) by a small rotation of rotations (3, 3, bones, poses)."""
    return tree.cross(turns, by_turns).sum(axis=1)


def test_rotations_of_two_columns() -> None:
    random = np.random.default_rng(2)
    columns, weights = random.normal(size=(3, 2, 4, 2)), random.normal(size=(3, 3, 4, 2))
    turned, kept = tree.turned(columns)
    np.testing.assert_allclose(
        np.einsum("ikbn,jkbn->ijbn", turned, turned),
        np.broadcast_to(np.eye(3)[:, :, None, None], turned.shape),
        atol=1e-12,
    )
    np.testing.assert_allclose(np.linalg.det(turned.transpose(2, 3, 0, 1)), 1.0)
    wanted = slopes(lambda: float(np.sum(tree.turned(columns)[0] * weights)), columns)
    assert_same(tree.back_to_columns(kept, torque(turned, weights)), wanted)


def test_forward_kinematics_has_the_slope_of_its_output() -> None:
    random = np.random.default_rng(3)
    columns, moving = random.normal(size=(2, 3, 3, len(PARENTS), 2))
    weights = random.normal(size=(3, 6, len(PARENTS), 2))
    columns = np.ascontiguousarray(columns[:, :2])

    def followed() -> Array:
        return TREE.follow(np.concatenate([tree.turned(columns)[0], moving], axis=1))

    def value() -> float:
        return float(np.sum(followed()[0] * weights))

    _, kept = tree.turned(columns)
    by_local = TREE.back(followed()[1], weights)
    assert_same(tree.back_to_columns(kept, by_local[:, 0]), slopes(value, columns))
    assert_same(by_local[:, 1:], slopes(value, moving))


def test_bones_follow_their_parents() -> None:
    random = np.random.default_rng(9)
    local = np.concatenate(
        [
            tree.turned(random.normal(size=(3, 2, len(PARENTS), 1)))[0],
            random.normal(size=(3, 3, len(PARENTS), 1)),
        ],
        axis=1,
    )
    place = {bone: i for i, bone in enumerate(TREE.order.tolist())}
    assert sorted(place) == list(range(len(PARENTS)))
    found = TREE.follow(local)[0][..., 0]
    for bone, parent in enumerate(PARENTS):
        own, seen = local[:, :, place[bone], 0], found[:, :, place[bone]]
        if parent < 0:
            np.testing.assert_allclose(seen, own)
            continue
        above = found[:, :, place[parent]]
        turn, spin, way = above[:, :3], above[:, tree.SPIN], seen[:, tree.POSITION] - above[:, tree.POSITION]
        np.testing.assert_allclose(seen[:, :3], turn @ own[:, :3])
        np.testing.assert_allclose(way, turn @ own[:, tree.POSITION])
        np.testing.assert_allclose(seen[:, tree.SPIN], spin + turn @ own[:, tree.SPIN])
        np.testing.assert_allclose(
            seen[:, tree.VELOCITY],
            above[:, tree.VELOCITY] + np.cross(spin, way) + turn @ own[:, tree.VELOCITY],
        )


TERMS = [
    (table, name)
    for table in (losses.LOCAL, losses.ROOT, losses.CHARACTER, losses.RATES, losses.LATENT)
    for name in table
]


@pytest.mark.parametrize("name", [name for _, name in TERMS])
def test_terms_of_reconstruction_have_their_slope(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for table, each in TERMS:
        if each != name:
            monkeypatch.setitem(table, each, 0.0)
    random = np.random.default_rng(4)
    loss = Reconstruction(ROWS, TREE, 0.5)
    given = random.normal(size=(WINDOWS * LENGTH, ROWS.size))
    known = random.normal(size=(len(given), ROWS.inputs))
    latent = random.normal(size=(len(given), LATENTS))

    def value() -> float:
        return sum(loss(given, known, latent, WINDOWS)[0].values())

    terms, by_given, by_latent = loss(given, known, latent, WINDOWS)
    assert terms[name] > 0.0
    assert sum(terms.values()) == terms[name]
    if name in losses.LATENT:
        assert_same(by_latent, slopes(value, latent))
    else:
        # along some directions: what is wrong in one place is wrong in them
        for way in random.normal(size=(4, *given.shape)):
            along = np.zeros(1)
            wanted = slopes(
                lambda way=way, along=along: _moved(loss, given + along[0] * way, known, latent), along
            )
            assert_same(np.array([np.sum(by_given * way)]), wanted)


def _moved(loss: Reconstruction, given: Array, *rest: Any) -> float:
    return sum(loss(given, *rest, WINDOWS)[0].values())


def test_steps_through_windows() -> None:
    random = np.random.default_rng(5)
    own, flat = network(random, (5, 6, 5))
    truth = random.normal(size=(4, 3, 5))
    found = np.empty_like(flat)
    places = networks.placed(found, own.sizes, [flat] * 4)
    terms = training.through(own, places, truth, 2)
    assert min(terms.values()) > 0.0
    kept = found.copy()
    wanted = slopes(lambda: sum(training.through(own, places, truth, 2).values()), flat)
    assert_same(kept, wanted)


@pytest.mark.parametrize("name", losses.STEPPER)
def test_terms_of_steps_have_their_slope(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for other in set(losses.STEPPER) - {name}:
        monkeypatch.setitem(losses.STEPPER, other, 0.0)
    given, known = np.random.default_rng(6).normal(size=(2, 3, 2, 4))
    terms, slope = losses.stepped(given, known, 2, 0.5)
    assert terms[name] > 0.0
    assert_same(slope, slopes(lambda: sum(losses.stepped(given, known, 2, 0.5)[0].values()), given))


@pytest.mark.parametrize("name", losses.PROJECTOR)
def test_terms_of_projections_have_their_slope(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for other in set(losses.PROJECTOR) - {name}:
        monkeypatch.setitem(losses.PROJECTOR, other, 0.0)
    given, known = np.random.default_rng(7).normal(size=(2, 3, 5))
    asked = np.random.default_rng(8).normal(size=(3, 2))
    terms, slope = losses.projected(given, known, asked)
    assert terms[name] > 0.0
    assert_same(slope, slopes(lambda: sum(losses.projected(given, known, asked)[0].values()), given))
