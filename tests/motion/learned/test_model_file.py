# SPDX-License-Identifier: GPL-3.0-or-later
"""Models as files: what is read is what was written, and nothing else is taken for a model."""

from __future__ import annotations

import contextlib
import dataclasses
import io
import json
import pickle
import zipfile

import numpy as np
import pytest

from inertia_addon.errors import InertiaError
from inertia_addon.motion.learned import model_file
from inertia_addon.motion.learned.model import NETWORKS
from inertia_addon.motion.learned.usability import Usability
from inertia_addon.motion.steering.fitted import FittedGait
from tests.motion import made_up_moves


def stopped() -> bytes:
    """A model whose training was stopped at its Stepper."""
    own = made_up_moves.training(iterations=6, licence="CC0", source="a shed")
    for _ in own.steps():
        if own.stage == 1:
            break
    return model_file.to_bytes(own.model(), own.collect_state())


WHOLE = stopped()


def read(content: bytes) -> model_file.Content:
    return model_file.read(io.BytesIO(content), "some.npz")


def changed(**values: object) -> bytes:
    """The file with other values in its ``about``."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(WHOLE)) as old, zipfile.ZipFile(made, "w") as new:
        for info in old.infolist():
            content = old.read(info)
            if info.filename == "about.npy":
                about = json.loads(str(np.load(io.BytesIO(content))))
                replaced = io.BytesIO()
                np.save(replaced, np.array(json.dumps({**about, **values})))
                content = replaced.getvalue()
            new.writestr(info.filename, content)
    return made.getvalue()


def test_the_gait_of_a_model_is_read_and_may_be_missing() -> None:
    assert read(WHOLE).model.gait is None
    told = {"speed_seconds": 0.3, "turn_seconds": 0.25, "speeds": [[0.0, 1.5], [2.0, 3.0]]}
    assert read(changed(gait=told)).model.gait == FittedGait(0.3, 0.25, ((0.0, 1.5), (2.0, 3.0)))
    for wrong in (
        {**told, "speeds": []},
        {**told, "speeds": [[2.0, 1.0]]},
        {**told, "speeds": [[0.0, 1e9]]},
        {**told, "speeds": [[0.0, 1.0]] * 5000},
        {**told, "turn_seconds": 1e-9},
        {**told, "speed_seconds": "nan"},
        {"speeds": [[0.0, 1.0]]},
        "slow",
    ):
        with pytest.raises(InertiaError, match="is not a model"):
            read(changed(gait=wrong))


def test_the_usability_of_a_model_is_read_and_may_be_missing() -> None:
    assert read(WHOLE).model.usability is None
    told = {"drift_cm": 3.0, "random_cm": 12.0, "skate": 0.3, "own_skate": 0.2, "still": 0.05}
    seen = read(changed(usability=told)).model
    assert seen.usability == Usability(**told)
    assert read(model_file.to_bytes(seen)).model.usability == seen.usability
    for wrong in ({**told, "skate": -1.0}, {**told, "skate": "nan"}, {"skate": 0.3}, "good"):
        with pytest.raises(InertiaError, match="is not a model"):
            read(changed(usability=wrong))


def test_a_model_is_read_as_it_was_written() -> None:
    content = read(WHOLE)
    model = content.model
    assert model.skeleton == made_up_moves.SKELETON
    assert (model.settings.licence, model.settings.source) == ("CC0", "a shed")
    assert model.clips == ("walk", "left", "right")
    assert model.network("compressor").smooth
    assert not model.network("stepper").smooth
    assert content.held is not None
    assert content.held["stage"] == 1
    assert model.projector is None
    with pytest.raises(InertiaError, match="projector is not trained"):
        model.network("projector")
    assert model_file.to_bytes(model, content.held) == WHOLE
    # numpy alone reads it, without pickles
    with np.load(io.BytesIO(WHOLE), allow_pickle=False) as held:
        about = json.loads(str(held["about"]))
        assert about["networks"] == list(NETWORKS[:3])
        np.testing.assert_array_equal(held["stepper_weights0"], model.network("stepper").weights[0])


def test_a_model_that_is_cut_off_or_spoilt_is_one_sentence() -> None:
    random = np.random.default_rng(3)
    cuts = [WHOLE[: int(n)] for n in random.integers(0, len(WHOLE), 40)]
    spoilt = []
    for _ in range(120):
        content = bytearray(WHOLE)
        for at in random.integers(0, len(content), 1 + int(random.integers(4))):
            content[at] = int(random.integers(256))
        spoilt.append(bytes(content))
    refused = 0
    for content in (b"", b"no zip", *cuts, *spoilt):
        with contextlib.suppress(InertiaError):
            read(content)
            continue
        refused += 1
    assert refused > 40 + 60


@pytest.mark.parametrize(
    "values",
    [
        {"version": 2},
        {"features": 900_000},
        {"features": 28},
        {"noted": 10**9},
        {"parameters": 10**12},
        {"frames": "many"},
        {"size": 0.0},
        {"pace": float("inf")},
        {"size": 1e-300},
        {"size": 1e300},
        {"pace": 1e300},
        {"terms": {"joints": float("nan")}},
        {"held": {"stage": 3}},
        {"settings": {"hidden": 10**9}},
        {"settings": {"unknown": 1}},
        {"skeleton": {"names": ["a", "b"], "parents": [-1, 1], "feet": [], "root": ""}},
        {"skeleton": {"names": ["a"] * 20_000, "parents": [-1] * 20_000, "feet": [], "root": ""}},
        {"skeleton": {"names": [1], "parents": [-1], "feet": [], "root": ""}},
    ],
)
def test_a_model_that_does_not_fit_is_not_read(values: dict[str, object]) -> None:
    with pytest.raises(InertiaError, match="is not a model"):
        read(changed(**values))


def test_pickles_bombs_and_what_is_no_number_are_not_read() -> None:
    own = made_up_moves.training(iterations=6)
    next(own.steps())
    own.state.values[3] = np.nan
    with pytest.raises(InertiaError, match="is not a model"):
        read(model_file.to_bytes(own.model()))
    for name, content in (
        ("about.npy", pickle.dumps({"version": 1})),
        ("about.npy", b"\x93NUMPY\x01\x00v\x00{'descr': '|O', 'fortran_order': False, 'shape': (), }"),
        # numpy tries such headers once more, in another way
        ("about.npy", b"\x93NUMPY\x01\x00\x10\x00{'descr': \"|x, \n\0"),
        ("about.npy", b"\x93NUMPY\x01\x00\x10\x00{'descr': (|x, \n "),
        ("about.npy", b"\0" * (model_file.MOST_ABOUT + 1)),
        # a header of brackets that none closes
        ("about.npy", b"\x93NUMPY\x01\x00\x90\x01" + b"(" * 399 + b"\n"),
        ("about.npy", b"\x93NUMPY\x01\x00\x90\x01" + b"[" * 200 + b"]" * 199 + b"\n"),
    ):
        made = io.BytesIO()
        with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as whole:
            whole.writestr(name, content)
        with pytest.raises(InertiaError, match="is not a model"):
            read(made.getvalue())


def test_a_network_of_another_size_is_never_allocated(monkeypatch: pytest.MonkeyPatch) -> None:
    largest = 0
    real = np.frombuffer

    def seen(buffer: bytes, *rest: object, **more: object) -> object:
        nonlocal largest
        largest = max(largest, len(buffer))
        return real(buffer, *rest, **more)  # type: ignore[call-overload]

    monkeypatch.setattr(model_file.np, "frombuffer", seen)
    about = json.loads(str(np.load(io.BytesIO(WHOLE))["about"]))
    for values in ({"settings": {**about["settings"], "hidden": 4096}}, {"features": 900}):
        with pytest.raises(InertiaError, match="is not a model"):
            read(changed(**values))
    assert largest < 10 * len(WHOLE)


def test_weights_beyond_all_bounds_are_not_read() -> None:
    own = made_up_moves.training(iterations=6)
    next(own.steps())
    own.state.values[3] = 1e30
    with pytest.raises(InertiaError, match="is not a model"):
        read(model_file.to_bytes(own.model()))


def test_a_training_of_millions_of_steps_is_read() -> None:
    content = read(WHOLE)
    assert content.held is not None
    model = dataclasses.replace(
        content.model, history=np.array([[0.0, 5e7, 0.9, 3.0], [1.0, 100.0, 0.1, 2.0]])
    )
    held = {**content.held, "steps": 50_000_000, "square": np.full_like(content.held["square"], 1e9)}
    again = read(model_file.to_bytes(model, held))
    np.testing.assert_array_equal(again.model.history, model.history)
    assert again.held is not None
    assert again.held["square"].max() == 1e9


@pytest.mark.parametrize(
    "moment", [[3.0, 1.0, 0.5, 1.0], [0.0, -1.0, 0.5, 1.0], [0.0, 1.0, 1.5, 1.0], [0.0, 1.0, 0.5, np.inf]]
)
def test_moments_that_never_were_are_not_read(moment: list[float]) -> None:
    model = dataclasses.replace(read(WHOLE).model, history=np.array([moment]))
    with pytest.raises(InertiaError, match="is not a model"):
        read(model_file.to_bytes(model))


@pytest.mark.parametrize("packing", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_a_model_is_unpacked_only_as_numpy_packs(packing: int) -> None:
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(WHOLE)) as old, zipfile.ZipFile(made, "w", packing) as new:
        for info in old.infolist():
            new.writestr(info.filename, old.read(info))
    with pytest.raises(InertiaError, match="is not a model"):
        read(made.getvalue())
