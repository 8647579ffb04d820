# SPDX-License-Identifier: GPL-3.0-or-later
"""Animation files in: .blend opened; .bvh, .glb, .gltf, .fbx and .usd imported into an empty file."""

from __future__ import annotations

import contextlib
import itertools
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from ...errors import InertiaError
from ...settings.reading import Reading
from ...storage import safe_write
from ...storage.file_kinds import SCALED, USD
from ..data import actions, compat, played_size, recipe, retiming, rig, unkeyed
from ..evaluation import playback
from . import bvh_text, bvh_up, carrying, framerate, gltf_text, joining, usd

GIANT = 10.0
"""No person is as large as this, in metres: a capture in centimetres is more than ten times as large."""

PERSON = (1.2, 1.7, 2.4)
"""How large a skeleton of a person is, in metres, from its joints: at least, as a rule, and at most."""

UNITS = (0.01, 0.0254, 0.1, 0.001)
"""What captures are measured in, in metres: they are tried in this order."""


_HEAD = re.compile(rb"BLENDER(?:[-_][vV](\d{3})|\d\d-\d\dv(\d{4}))")
"""How a .blend file begins, with its version: up to Blender 4.5, and from 5.0 on."""
_HEAD_BYTES = 17


def call(operator: Any, path: Path, verb: str, **options: Any) -> None:
    """Call one of Blender's file operators; its failure becomes an InertiaError of one sentence.

    verb: what was to be done, as a participle, such as ``read``. options: of the operator. Errors other than
    RuntimeError get through.
    """
    try:
        result = operator(filepath=str(path), **options)
    except RuntimeError as error:
        raise InertiaError(
            '"{file}" could not be {verb}: {reason}.', file=path.name, verb=verb, reason=reason(str(error))
        ) from error
    if "FINISHED" not in result:
        raise InertiaError('"{file}" could not be {verb}: Blender gave no reason.', file=path.name, verb=verb)


def reason(report: str) -> str:
    """Return why an operator failed, from its report, as the end of a sentence without full stop.

    Of a traceback it is the last error alone: the system's own words for an OSError with a number but no
    file, as when a disk is full, else "Blender's add-on failed with ...". Any other report is its lines,
    joined by blanks, without "Error: " or "Warning: " at the beginning of each. Lines that begin with
    "Location:" are left out. "Blender gave no reason" for an empty report.
    """
    lines = [line.strip() for line in report.splitlines() if line.strip()]
    lines = [line for line in lines if not line.startswith("Location:")]
    if any("Traceback (most recent call last)" in line for line in lines):
        errors = [line for line in lines if re.match(r"[A-Za-z_.]*(Error|Exception|Warning)?: \S", line)]
        errors = [line for line in errors if "Traceback" not in line]
        last = (errors or lines)[-1].rstrip(".")  # an exception may say nothing but its name
        # a disk is full: no fault of the add-on
        of_system = re.fullmatch(r"OSError: \[Errno \d+\] ([^:]+)", last)
        return of_system.group(1) if of_system else f"Blender's add-on failed with {last}"
    text = " ".join(re.sub(r"^(Error|Warning): ", "", line) for line in lines)
    return text.rstrip(".") or "Blender gave no reason"


def open_blend(path: Path) -> None:
    """Open a .blend file in place of what is open, without its windows, and note how its armatures stand, see
    :func:`unkeyed.note_stored`.

    Raise InertiaError where Blender can't open it, which says so if a later Blender has saved it.
    """
    try:
        call(bpy.ops.wm.open_mainfile, path, "opened", load_ui=False)
    except InertiaError as error:
        later = of_later_blender(path)
        if later is None:
            raise
        raise later from error
    for armature in rig.armatures():
        unkeyed.note_stored(armature)


def of_later_blender(path: Path) -> InertiaError | None:
    """Return an InertiaError, which is not raised, for a .blend file that a later Blender than this one has
    saved, by major and minor version; else None.

    None, too, for a file that is no .blend, and for a compressed one, of which the version can't be told.
    OSError where it can't be read.
    """
    with path.open("rb") as file:
        head = _HEAD.match(file.read(_HEAD_BYTES))
    if head is None:
        return None
    digits = int(head[1] or head[2])
    saved, own = divmod(digits, 100), compat.release()
    if saved <= own:
        return None
    return InertiaError(
        '"{file}" was saved by Blender {saved}, which is later than this one, {own}; use that Blender, or '
        "save the file for this one there.",
        file=path.name,
        saved=".".join(map(str, saved)),
        own=".".join(map(str, own)),
    )


def new_file() -> Any:
    """Begin an empty file with Blender's own settings, add-ons as they are; return its scene."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True, load_ui=False)
    return bpy.context.scene


def import_bvh(paths: Sequence[Path], scale: float, up: str | None = None) -> tuple[str, ...]:
    """Import BVH files into an empty file, as the actions of one armature, each named after its file.

    They play at the first one's frame rate, as fast as alone. scale: factor on lengths. up: see
    :func:`files.load`; the armature keeps an axis that is not Y, in which a .bvh of it is written again.
    Return sentences: first on files that have no rate, then what :func:`joining.read` says. Raise
    InertiaError for files that can't be read, and for skeletons that differ.
    """
    asked = Reading(up=bvh_up.AUTO if up is None else up.upper())
    axis = bvh_up.find_up(paths) if asked.up == bvh_up.AUTO else asked.up
    rates = {path: bvh_text.frame_rate(path) for path in paths}
    framerate.set_scene(new_file(), rates[paths[0]])

    def import_one(path: Path) -> None:
        carrying.retime(_import_one_bvh(path, scale, axis), rates[path], rates[paths[0]])

    notes = joining.read(paths, import_one)
    for armature in rig.armatures() if axis != bvh_up.Y else ():
        armature[bvh_up.KEPT] = axis
    keep_all()
    return (*filter(None, map(bvh_text.explain_no_rate, paths)), *notes)


def keep_all() -> None:
    """Give all actions of the file, but linked ones, a fake user, write notes of how the armatures stand, and
    set the current scene's range to cover the curves of all actions, linked ones too.

    See :func:`unkeyed.keep` and :func:`cover`. An action without curves counts as at frame 0; own frame
    ranges don't count. Without actions the scene's range stays as it is.
    """
    for action in bpy.data.actions:
        recipe.keep(action)
    for armature in rig.armatures():
        unkeyed.keep(armature)
    if bpy.data.actions:
        firsts, lasts = zip(*(action.curve_frame_range for action in bpy.data.actions), strict=True)
        cover(min(firsts), max(lasts))


def _import_one_bvh(path: Path, scale: float, up: str) -> Any:
    before = set(bpy.data.objects)
    text = bvh_text.read(path)
    with contextlib.ExitStack() as closing:
        plain = path
        if not text.is_plain:
            # of the same name, after which the armature is called
            plain = closing.enter_context(safe_write.temporary_folder()) / path.name
            plain.write_text(text.as_text(), encoding="utf-8", newline="\n")
        # keys on whole frames from 1; the scene's rate and range are set for all files together
        axes = {"axis_forward": "-Z" if up == bvh_up.Y else "Y", "axis_up": up}
        call(bpy.ops.import_anim.bvh, plain, "read", global_scale=scale, use_fps_scale=False, **axes)
    new = [obj for obj in bpy.data.objects if obj not in before and obj.type == "ARMATURE"]
    action: Any = compat.assigned(new[0])[0] if len(new) == 1 else None
    if action is None:
        raise InertiaError('"{file}" has no motion that Blender can read.', file=path.name)
    action.name = path.stem
    return action


def import_gltf(paths: Sequence[Path], fps: float | None, **options: Any) -> tuple[str, ...]:
    """Import .glb, .gltf, .vrm or .vrma files into an empty file, several for one armature, at the rate of
    their own keys or at `fps`.

    All clips stay as actions. The NLA tracks that the importer also makes of them are removed, so that the
    armature plays the action that is assigned to it; what it assigned to anything else is unassigned.
    options: keywords of Blender's importer. Return sentences on bones that are called otherwise, left out or
    lacking in one of several files; () for one file. Raise InertiaError for files that can't be read or are
    damaged, a frame rate that Blender does not take, and skeletons that differ.
    """
    # keys are in seconds: files of other rates have theirs at the right time, between frames
    times = {path: framerate.gltf_key_times(path) for path in paths} if fps is None else {}
    scene = new_file()
    rate = framerate.of_key_times([*itertools.chain(*times.values())]) if fps is None else fps
    framerate.set_scene(scene, rate)

    def import_one(path: Path) -> None:
        before = set(bpy.data.actions)
        _import_one_gltf(path, options)
        if not compat.has_slots():
            _join_holders(set(bpy.data.actions) - before)
        for action in set(bpy.data.actions) - before:
            retiming.note(action, framerate.of_key_times(times[path]) if path in times else rate, rate)

    with framerate.for_gltf(scene):
        notes = joining.read(paths, import_one)
    keep_all()
    return notes


def _import_one_gltf(path: Path, options: dict[str, Any]) -> None:
    document = gltf_text.plain(path)
    with unkeyed.note_newcomers(), contextlib.ExitStack() as closing:
        file = path
        if document is not None:
            file = closing.enter_context(safe_write.temporary_folder()) / path.name
            gltf_text.write(document, file, path)
        try:
            call(bpy.ops.import_scene.gltf, file, "read", **options)
        except InertiaError as error:
            if "KHR_draco_mesh_compression" not in framerate.gltf_extensions(path):
                raise
            raise InertiaError(
                '"{file}" is compressed with Draco, which this Blender can\'t read; export it without that '
                "compression.",
                file=path.name,
            ) from error
    for owner in list(playback.animated()):
        for track in list(owner.animation_data.nla_tracks):
            owner.animation_data.nla_tracks.remove(track)
        if not (isinstance(owner, bpy.types.Object) and owner.type == "ARMATURE"):
            compat.assign(owner, None)


def import_fbx(paths: Sequence[Path], scale: float) -> tuple[str, ...]:
    """Import .fbx files into an empty file, several for one armature; Blender's importer takes the frame rate
    over.

    All takes stay as actions, and play at the first file's rate, as fast as by themselves. scale: factor on
    lengths. Return sentences on bones that are called otherwise, left out or lacking in one of several files;
    () for one file. Raise InertiaError, with the open file as it was, for files that are no binary FBX, and
    OSError for those that can't be opened. Raise InertiaError for files that can't be read, without an
    armature where there are several, and for skeletons that differ; what is open is undefined then.
    """
    for path in paths:
        _check_fbx(path)
    scene = new_file()
    rates: list[float] = []

    def import_one(path: Path) -> None:
        before = set(bpy.data.actions)
        with unkeyed.note_newcomers():
            call(bpy.ops.import_scene.fbx, path, "read", global_scale=scale)
        _join_holders(set(bpy.data.actions) - before)
        rates.append(scene.render.fps / scene.render.fps_base)
        for action in set(bpy.data.actions) - before:
            carrying.retime(action, rates[-1], rates[0])

    notes = joining.read(paths, import_one)
    framerate.set_scene(scene, rates[0])
    keep_all()
    return notes


def _join_holders(new: set[Any]) -> None:
    """Move the keys of objects that carry an armature into slots of the actions of its bones.

    The importer makes an action of each object in a take, of which only the name says that they belong
    together: "Mover|Walk" is the carrier's and "Rig|Walk" the armature's, or "Walk_Mover" and "Walk_Rig".
    Carriers are those of :func:`rig.find_holders`. The keys of un-muted curves go, without groups, into the
    slot "OB" and the carrier's name, which is made where it lacks. The carrier then plays the bones' action
    if it played its own, and its own is removed. An action without such a partner stays.

    new: the actions that the importer has made, of which some are gone then; the set itself is not changed.
    Raise InertiaError for keys that are not finite.
    """
    by_name = {action.name: action for action in new}
    for armature in rig.armatures():
        for parent in rig.find_holders(armature):
            for name, action in list(by_name.items()):
                own = by_name.get(_name_action_beside(name, parent.name, armature.name))
                if own is None:
                    continue
                bag = compat.new_bag(own, compat.name_slot(parent))
                of_parent = actions.read(action, actions.choose_slot(action, parent))
                for address, curve in of_parent.curves.items():
                    actions.write(bag, address, curve.keys, None)
                if compat.assigned(parent)[0] == action:
                    compat.assign(parent, own, f"OB{parent.name}")
                bpy.data.actions.remove(by_name.pop(name))


def _name_action_beside(name: str, carrier: str, armature: str) -> str:
    """Return what importers call an armature's action of a take, from the name of that of its carrier; ""
    where an action is not named so.

    FBX has "Carrier|Take", and glTF, before Blender 4.4, "Take_Carrier".
    """
    if name.startswith(f"{carrier}|"):
        return f"{armature}|{name.removeprefix(f'{carrier}|')}"
    return f"{name.removesuffix(f'_{carrier}')}_{armature}" if name.endswith(f"_{carrier}") else ""


def _check_fbx(path: Path) -> None:
    """Raise InertiaError for a file that is no FBX file, or one of the text kind, which Blender's importer
    cannot read; OSError for none.
    """
    with path.open("rb") as file:
        begin = file.read(32)
    if not begin.startswith(b"Kaydara FBX Binary"):
        is_text = b"FBX" in begin
        kind = "an FBX file of the text kind, which Blender cannot read" if is_text else "not an FBX file"
        raise InertiaError('"{file}" is {kind}.', file=path.name, kind=kind)


def import_usd(paths: Sequence[Path], fps: float | None) -> tuple[str, ...]:
    """Import USD files into an empty file, several for one armature, at the rate that they say or at `fps`.

    All play at the first one's rate, as fast as by themselves. A rate that can't be told is taken for 24.
    fps: None or 0 takes each file's own. Return sentences on bones that are called otherwise, left out or
    lacking in one of several files; () for one file. Raise InertiaError for files that can't be read or hold
    no armature, skeletons that differ, and in a Blender that was built without USD.
    """
    usd.check_there()
    rates = {path: fps or usd.rate(path) or usd.DEFAULT_RATE for path in paths}
    framerate.set_scene(new_file(), rates[paths[0]])

    def import_one(path: Path) -> None:
        objects, clips = set(bpy.data.objects), set(bpy.data.actions)
        with unkeyed.note_newcomers():
            call(bpy.ops.wm.usd_import, path, "read", **compat.usd_import(usd.unit(path)))
        usd.settle(path, objects)
        for action in set(bpy.data.actions) - clips:
            carrying.retime(action, rates[path], rates[paths[0]])

    notes = joining.read(paths, import_one)
    keep_all()
    return notes


def cover(first: float, last: float) -> None:
    """Set the current scene's frame range, rounded outwards to whole frames but for 0.001 of a frame; it
    begins at 0 or later, as Blender's do, and does not end before that."""
    scene = bpy.context.scene
    scene.frame_start = max(0, int(np.floor(first + 1e-3)))
    scene.frame_end = max(scene.frame_start, int(np.ceil(last - 1e-3)))


def warnings(
    paths: Sequence[Path], scale: float, fps: float | None = None, up: str | None = None
) -> tuple[str, ...]:
    """Return sentences on what is doubtful in what was just read; () where nothing is, or without paths. The
    first path says the kind.

    For USD files there is one for each file whose frame rate is unknown. For .bvh and .fbx files it is that
    an armature is a giant, with the scale that would make it a person; before that, for .bvh files, that Z up
    was found, or that no file tells which axis points up. Other kinds give none. scale: what lengths were
    multiplied with. fps, up: as given to :func:`files.load`; what was given is not doubtful, but AUTO is
    nothing given.
    """
    if paths and paths[0].suffix.lower() in USD:
        unknown = [path for path in paths if fps is None and usd.rate(path) is None]
        return tuple(
            f'The frame rate of "{path.name}" can\'t be read in this Blender, and is taken as '
            f"{usd.DEFAULT_RATE:g}; give it with --fps."
            for path in unknown
        )
    if not paths or paths[0].suffix.lower() not in SCALED:
        return ()
    return (
        *(_axis_note(paths) if up in (None, bvh_up.AUTO.lower(), bvh_up.AUTO) else ()),
        *_giant_note(paths, scale),
    )


def _axis_note(paths: Sequence[Path]) -> tuple[str, ...]:
    """Return at most one sentence, in a tuple, on the axis that points up in .bvh files that were just read:
    that Z up was found, as an armature of the open file says, or else that no file tells which it is. () for
    any other kind, and where Y is sure.

    paths: at least one; the first is named, and says the kind.
    """
    if paths[0].suffix.lower() != ".bvh":
        return ()
    if not any(bvh_up.KEPT in armature for armature in rig.armatures()):
        template = '"{file}" does not tell which axis points up; give --up z if its figure lies on its back.'
        return (template.format(file=paths[0].name),) if bvh_up.is_unsure(paths) else ()
    return (f'"{paths[0].name}" is read with Z up; give --up y if its figure lies on its back.',)


def _giant_note(paths: Sequence[Path], scale: float) -> tuple[str, ...]:
    """Return a sentence, in a tuple, if the open file's largest armature is above 10 m, with a better scale;
    else ().

    paths: what was read; the sentence names the first, and there has to be one. scale: what lengths were
    multiplied with when they were read; the better one, which is to take its place, makes the armature a
    person. The unit is guessed: centimetres, inches, decimetres or millimetres, if one of them makes it 1.2
    to 2.4 m, else the scale makes it 1.7 m. All armatures of the file count, also those that were there
    before.
    """
    size = max((_extent(obj) for obj in bpy.data.objects if obj.type == "ARMATURE"), default=0.0)
    if not size > GIANT:
        return ()
    least, usual, most = PERSON
    fitting = (unit for unit in UNITS if least <= size * unit <= most)
    # two digits, as it is a guess
    factor = float(f"{scale * next(fitting, float(f'{usual / size:.1e}')):.3g}")
    return (
        f'"{paths[0].name}" holds a giant of {size:.3g} m at a scale of {scale:g}; '
        f"a scale of {factor:g} makes that {size * factor / scale:.2g} m.",
    )


def _extent(armature: Any) -> float:
    """Return the largest side, in world units, of the box around the heads of a skeleton's bones at rest, as
    large as it plays; 0.0 without bones. Tails don't count.

    See :func:`played_size.factor`. The box is aligned with the world.
    """
    heads = [armature.matrix_world @ bone.head_local for bone in armature.data.bones]
    if not heads:
        return 0.0
    return played_size.factor(armature) * float(np.ptp(np.array(heads, float), axis=0).max())
