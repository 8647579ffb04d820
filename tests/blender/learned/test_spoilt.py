# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever a model's file or a folder of networks holds: what is played is a motion, or the file is named."""

from __future__ import annotations

import functools
import io
import json
import math
import re
import warnings
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inertia_addon.blender.evaluation.character import read_character
from inertia_addon.blender.learned import clips, engine_files, files, follow
from inertia_addon.blender.matching import followed
from inertia_addon.errors import InertiaError
from inertia_addon.motion.learned import checking, engine_model, model_file
from inertia_addon.motion.learned.material import Material
from inertia_addon.motion.learned.model import Model
from inertia_addon.motion.learned.training import Training
from inertia_addon.motion.steps import finish
from inertia_addon.settings.learned import LearnSettings
from tests.blender import wanderer

SMALL = LearnSettings(hidden=6, latent=2, windows=4, iterations=6, mirror=True)
EXTREMES = (0.0, 1.0, -1.0, 1e-45, 1e-6, 1e4, 1e6, -1e6, 1e20, 1e38, 1e300, math.inf, -math.inf, math.nan)
JUNK = (None, True, "", "\ud800", [], {}, -1, 0, 1, 2, 2**31, 2**63, 10**400, *EXTREMES)
NPY_HEADER = 128

MUTATED = settings(
    max_examples=max(1, settings.default.max_examples // 5),
    deadline=None,
    suppress_health_check=[*HealthCheck],
)


@functools.cache
def learned() -> tuple[bytes, bytes, Material]:
    """A small model of the walker's, the same when it was stopped on its way, and what it has learned."""
    armature = bpy.data.objects["Walker"]
    material, skeleton = finish(
        clips.read_material_steps(armature, SMALL, {name.name: 1.0 for name in armature.data.bones})
    )
    own = Training(material, SMALL, skeleton)
    stopped = b""
    for _ in own.steps():
        if own.stage == 2 and not stopped:
            stopped = model_file.to_bytes(own.model(), own.collect_state())
    return model_file.to_bytes(own.model()), stopped, material


@pytest.fixture
def walker() -> Any:
    armature = wanderer.with_clips()
    # long enough for the tallest that such bones could be of
    wanderer.draw_curve("Street", 10.0)
    return armature


def entries(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as whole:
        return {info.filename: whole.read(info) for info in whole.infolist()}


def packed(content: dict[str, bytes]) -> bytes:
    """A file whose checksums are right, whatever it holds."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as whole:
        for name, part in content.items():
            whole.writestr(name, part)
    return made.getvalue()


def with_about(content: bytes, change: Callable[[Any], None]) -> bytes:
    held = entries(content)
    about = json.loads(str(np.load(io.BytesIO(held["about.npy"]))))
    change(about)
    made = io.BytesIO()
    np.save(made, np.array(json.dumps(about)))
    return packed({**held, "about.npy": made.getvalue()})


def places(value: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """All places of a JSON value."""
    if way:
        yield way
    inner: Any = [*value.items()] if isinstance(value, dict) else []
    inner += [*enumerate(value[:3])] if isinstance(value, list) else []
    for key, part in inner:
        yield from places(part, (*way, key))


@st.composite
def of_bytes(draw: st.DrawFn, content: bytes) -> bytes:
    """Some bytes of a file are others, or it is cut off."""
    spoilt = bytearray(content)
    for _ in range(draw(st.integers(1, 4))):
        spoilt[draw(st.integers(0, len(spoilt) - 1))] = draw(st.integers(0, 255))
    return bytes(spoilt[: draw(st.none() | st.integers(0, len(spoilt)))])


@st.composite
def of_about(draw: st.DrawFn, content: bytes) -> bytes:
    """Some values of the header are others."""

    def change(about: Any) -> None:
        for _ in range(draw(st.integers(1, 2))):
            *way, last = draw(st.sampled_from([*places(about)]))
            inner = about
            try:
                for key in way:
                    inner = inner[key]
                inner[last] = draw(st.sampled_from(JUNK))
            except (KeyError, IndexError, TypeError):
                # it was in what another change has taken away
                continue

    return with_about(content, change)


@st.composite
def of_header(draw: st.DrawFn, content: bytes) -> bytes:
    """Some bytes of how an array is told are others."""
    held = entries(content)
    name = draw(st.sampled_from(sorted(held)))
    part = bytearray(held[name])
    for _ in range(draw(st.integers(1, 4))):
        some = st.sampled_from(b"([{'\"\\\n 0123456789xuOfV<>|,:}])TrueFals") | st.integers(0, 255)
        part[draw(st.integers(0, min(NPY_HEADER, len(part)) - 1))] = draw(some)
    return packed({**held, name: bytes(part)})


@st.composite
def of_numbers(draw: st.DrawFn, content: bytes) -> bytes:
    """Some numbers of an array are others, or all of them many times as large."""
    held = entries(content)
    name = draw(st.sampled_from(sorted(set(held) - {"about.npy"})))
    values = np.load(io.BytesIO(held[name])).copy()
    made = io.BytesIO()
    np.save(made, spoilt_numbers(draw, values))
    return packed({**held, name: made.getvalue()})


def spoilt_numbers(draw: st.DrawFn, values: Any) -> Any:
    with np.errstate(all="ignore"):
        if draw(st.booleans()):
            return (values * values.dtype.type(10.0) ** draw(st.integers(-30, 30))).astype(values.dtype)
        flat = values.reshape(-1)
        for _ in range(draw(st.integers(1, 3)) if flat.size else 0):
            flat[draw(st.integers(0, flat.size - 1))] = draw(st.sampled_from(EXTREMES))
        return values


def follows(path: Path, armature: Any, material: Material) -> Model | None:
    """Follow a curve with a model, and check it; None where it is refused by its name."""
    why, model, own = "", None, None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model = clips.model_of(path, read_character(armature))
            chosen = wanderer.settings(curve="Street", points="", speed="CONSTANT", constant_speed=10.0)
            own = finish(follow.follow_course_steps(model, chosen, followed.course(chosen), str(path))).played
            if model.compressor is not None:
                with files.name_file_in_errors(str(path)):
                    checking.check(model, material)
    except InertiaError as error:
        why = str(error)
    if why or own is None:
        assert f'"{path.name}"' in why
        return None
    for array in (own.positions, own.rotations, own.ground, own.heading):
        assert np.isfinite(array).all()
    # nobody of 1.6 m outruns a race car, and his bones are not in the next town
    assert np.abs(np.diff(own.ground, axis=0)).max() * 60.0 < 1000.0
    assert np.abs(own.positions).max() < 10_000.0
    return model


def test_a_model_that_is_not_spoilt_is_played(walker: Any, tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    path.write_bytes(learned()[0])
    model = follows(path, walker, learned()[2])
    assert model is not None
    engine_files.save_bin(tmp_path, model, learned()[2])
    assert follows(tmp_path, walker, learned()[2]) is not None


@pytest.mark.slow
@pytest.mark.variants(2)
@pytest.mark.parametrize("how", [of_bytes, of_about, of_header, of_numbers], ids=lambda how: how.__name__)
@MUTATED
@given(data=st.data())
def test_a_spoilt_model_plays_a_motion_or_is_named(
    walker: Any, tmp_path: Path, how: Callable[[bytes], Any], data: st.DataObject
) -> None:
    whole, _, material = learned()
    path = tmp_path / "model.npz"
    path.write_bytes(data.draw(how(whole), label="file"))
    follows(path, walker, material)


@pytest.mark.variants(1)
@pytest.mark.slow
@pytest.mark.parametrize("how", [of_about, of_numbers], ids=lambda how: how.__name__)
@MUTATED
@given(data=st.data())
def test_a_spoilt_training_goes_on_to_a_model_or_is_named(
    walker: Any, tmp_path: Path, how: Callable[[bytes], Any], data: st.DataObject
) -> None:
    whole, stopped, material = learned()
    path = tmp_path / "model.npz"
    path.write_bytes(data.draw(how(stopped), label="file"))
    why = ""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            content = files.load(path)
            own = Training(material, SMALL, model_file.read(io.BytesIO(whole), "").model.skeleton)
            if content.held is not None:
                own.resume(content.model, content.held)
            finish(files.train(own, path))
        except InertiaError as error:
            why = str(error)
    if why:
        assert '"model.npz"' in why or "other clips or settings" in why
    else:
        assert files.load(path).held is None


@pytest.mark.slow
@MUTATED
@given(data=st.data())
def test_spoilt_networks_of_a_game_play_a_motion_or_are_named(
    walker: Any, tmp_path: Path, data: st.DataObject
) -> None:
    whole = model_file.read(io.BytesIO(learned()[0]), "").model
    folder = tmp_path / "networks"
    folder.mkdir(exist_ok=True)
    engine_files.save_bin(folder, whole, learned()[2])
    name = data.draw(st.sampled_from([*engine_model.NEEDED, engine_model.FEATURES]))
    content = (folder / name).read_bytes()
    if data.draw(st.booleans()):
        values = np.frombuffer(content[: len(content) // 4 * 4], "<f4").copy()
        # the sizes that stand between are left to the other way
        kept = np.abs(values) > 1e-30
        values[kept] = spoilt_numbers(data.draw, values[kept])
        content = values.tobytes()
    else:
        content = data.draw(of_bytes(content))
    (folder / name).write_bytes(content)
    follows(folder, walker, learned()[2])


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"size": 1e-300}, "is not a model"),
        ({"size": 1e3, "pace": 1e3}, "plays motion that no"),
        ({"frames": 2**53}, "is not a model"),
    ],
)
def test_numbers_of_nobody_are_told(walker: Any, tmp_path: Path, changes: dict[str, Any], said: str) -> None:
    path = tmp_path / "model.npz"
    path.write_bytes(with_about(learned()[0], lambda about: about.update(changes)))
    with pytest.raises(InertiaError, match=re.escape('"model.npz"') + ".*" + said):
        clips.model_of(path, read_character(walker))


@pytest.mark.parametrize("change", ["renamed", "removed", "added"])
def test_a_skeleton_that_has_changed_since_is_told(walker: Any, tmp_path: Path, change: str) -> None:
    path = tmp_path / "model.npz"
    path.write_bytes(learned()[0])
    bpy.context.view_layer.objects.active = walker
    bpy.ops.object.mode_set(mode="EDIT")
    bones = walker.data.edit_bones
    if change == "renamed":
        bones["chest"].name = "trunk"
    elif change == "removed":
        bones.remove(bones["chest"])
    else:
        bone = bones.new("tail")
        bone.head, bone.tail = (0.0, 0.0, 1.0), (0.0, 0.3, 1.0)
    bpy.ops.object.mode_set(mode="OBJECT")
    said = r'^"model\.npz": The model was trained with another skeleton than that of "Walker"'
    with pytest.raises(InertiaError, match=said):
        clips.model_of(path, read_character(walker))
