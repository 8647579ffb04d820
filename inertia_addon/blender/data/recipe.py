# SPDX-License-Identifier: GPL-3.0-or-later
"""What a result remembers of its making, and what keeps actions from vanishing."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import bpy
import numpy as np

from ...errors import InertiaError, Sentence
from ...records import record
from ...settings import fields
from . import actions, compat, rig
from .result_kinds import FILL as FILL
from .result_kinds import HOP as HOP
from .result_kinds import KINDS as KINDS
from .result_kinds import LEARNED as LEARNED
from .result_kinds import PATH as PATH
from .result_kinds import RECIPE as RECIPE

REWRITTEN = "inertia_rewritten"
"""What an action has in place of a recipe that is another one with stretches of it rewritten."""
SOURCE, DESTINATION = "inertia_source", "inertia_destination"
"""What the two actions of a transition are kept under."""
TRAVEL = "inertia_travel"
"""Where an action keeps the way that it was given, or that was taken out of it: of no copy of it."""
FOLLOWED, GROUND = "inertia_followed", "inertia_ground"
"""What the object that a path follows is kept under, and that which it goes over ..."""
ARRIVAL = "inertia_arrival"
"""What the object that a destination is warped to is kept under, ..."""
OBSTACLES, OBSTACLE = "inertia_obstacles", "inertia_obstacle_"
"""... and the collection that it keeps away from, and its objects, with their places in it."""
BESIDE = "inertia_beside_"
"""What the results are kept under, with their place, of those of a crowd that went before."""
HOP_ACTION = "inertia_hop_action_"
"""What the actions of a hop or a path are kept under, with their place in the way, whatever they are
called."""


FORM = 2
"""The form of the recipes that this version stores; :mod:`recipe_reader` knows the earlier ones: 0 had blend
times of any length, 1 named the actions it was made of in ways of their own."""


def store(
    action: Any, key: str, values: Mapping[str, Any], used: Sequence[Any], named: Mapping[str, str] = {}
) -> None:
    """Write a recipe into an action's custom properties, in place of any that it has.

    Under the key there is JSON then: the values, "form", "used", the names of the actions that it was made
    of, and with objects "things", a checksum of each that is there. Pointers lead to the actions and objects,
    so that renaming loses none.

    key: one of :data:`KINDS`, or :data:`REWRITTEN`. values: "settings" and "armature" (its name), and what
    its kind notes besides. used: the actions, in order. named: names of objects by the keys to keep them
    under; see :func:`note_things`.
    """
    keys = {*KINDS, REWRITTEN, SOURCE, DESTINATION, ARRIVAL}
    for stale in [each for each in action.keys() if each in keys or each.startswith(HOP_ACTION)]:
        del action[stale]
    values = {**values, "form": FORM, "used": [each.name for each in used]}
    if named:
        values["things"] = note_things(action, named)
    action[key] = json.dumps(values)
    pointers = [SOURCE, DESTINATION] if key in (RECIPE, REWRITTEN) else _list_pointers()
    for pointer, each in zip(pointers, used, strict=False):
        action[pointer] = each


def _list_pointers() -> Iterator[str]:
    """Yield what the actions of a way are kept under, without end."""
    return (f"{HOP_ACTION}{i}" for i in itertools.count())


@record(frozen=True, eq=False)
class RewrittenSource:
    """An action that another one was made of. digest, bones: see :func:`digest_rewriting`."""

    action: Any
    digest: str
    bones: Iterable[str] | None = None


def note_rewriting(
    action: Any,
    kind: str,
    settings: Mapping[str, Any],
    armature: Any,
    source: RewrittenSource,
) -> None:
    """Write into an action's custom properties that it is another one with stretches of it rewritten, and
    how, in place of an earlier note.

    "inertia_rewritten" gets, as JSON, the kind, the settings, the armature's name as ``armature``, the
    source's ``digest`` and, where only some bones count, their sorted names as ``bones``; "inertia_source"
    points at the source action.

    kind: what rewrote it, such as ``pops``. settings: JSON values. source: the other action, its digest, and
    the bones that the digest covers, None for all.
    """
    values = {"kind": kind, "settings": dict(settings), "armature": armature.name, "digest": source.digest}
    bones = source.bones
    values = values if bones is None else {**values, "bones": sorted(bones)}
    store(action, REWRITTEN, values, [source.action])


def digest_rewriting(clip: actions.Clip, bones: Iterable[str] | None = None) -> str:
    """Return a digest, eight hexadecimal digits, of a clip and of the other slots of its action, without the
    objects that carry the armature.

    bones: None for all; else the digest covers only the curves of these bones and of what is no bone's, and
    no other slot. Raise InertiaError for keys in other slots that are not finite.
    """
    clip = actions.without_holders(clip)
    if bones is None:
        return actions.fingerprint([clip, *actions.other_slots(clip)])
    keyed = {None, *bones}
    curves = {at: curve for at, curve in clip.curves.items() if rig.split_path(at[0])[0] in keyed}
    return actions.fingerprint([dataclasses.replace(clip, curves=curves)])


def kind(action: Any | None) -> str:
    """Return what kind of result an action is: the first of KINDS under which it holds a recipe, such as
    "inertia_recipe", else what rewrote it, such as "pops" or "feet".

    "" for None, an action that is no result, or a note of a rewriting that can't be read. Whether a recipe
    can be read is not looked at. InertiaError is never raised.
    """
    if action is None:
        return ""
    held = next((kind for kind in KINDS if kind in action), "")
    # an error that is caught would keep what its callers hold for a while, which may be millions of keys
    if held or REWRITTEN not in action:
        return held
    with contextlib.suppress(InertiaError), refuse_unreadable(action):
        return str(json.loads(action[REWRITTEN])["kind"])
    return ""


def key_of(action: Any) -> str:
    """Return under which of its custom properties an action keeps its recipe, "" for no result."""
    return next((each for each in (*KINDS, REWRITTEN) if each in action), "")


def noted_armature(action: Any) -> str:
    """Return the name that the armature of a result had when it was made, "" where no recipe says that."""
    with contextlib.suppress(InertiaError), refuse_unreadable(action):
        key = key_of(action)
        return str(json.loads(action[key]).get("armature", "")) if key else ""
    return ""


def no_recipe(action: Any) -> InertiaError:
    """Return the error for an action without a recipe of the kind that is needed."""
    return InertiaError(
        '"{action}" was not baked by Inertia, so it has no recipe to be updated from.', action=action.name
    )


def forget(action: Any) -> None:
    """Take from a copy of an action what that says of its making."""
    keys = {*KINDS, SOURCE, DESTINATION, FOLLOWED, GROUND, ARRIVAL, REWRITTEN, TRAVEL}
    for key in [key for key in action.keys() if key in keys or key.startswith(HOP_ACTION)]:
        del action[key]


def is_baked(action: Any | None, *kinds: str) -> bool:
    """Tell whether Inertia has baked an action, as any of some KINDS or, without any, as whatever."""
    return action is not None and any(kind in action for kind in kinds or KINDS)


def is_smoothed(action: Any | None) -> bool:
    """Tell whether an action is another one with a jump smoothed."""
    return action is not None and '"smooth_jump": true' in str(action.get(RECIPE))


@contextlib.contextmanager
def refuse_unreadable(action: Any) -> Iterator[None]:
    """Have the body of a ``with`` raise InertiaError where what an action stores is no recipe, as files may
    hold anything.

    ValueError, TypeError, LookupError, AttributeError and RecursionError become one that names the action;
    all other errors pass.
    """
    try:
        yield
    except InertiaError:
        raise
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        raise unreadable(action.name) from error


def unreadable(name: str) -> InertiaError:
    """Return the error for what a result stores that is no recipe. name: the action's."""
    return InertiaError('The recipe of "{action}" can\'t be read; bake it again.', action=name)


def find_kept_action(action: Any, key: str) -> Any | None:
    """Return an action that a result keeps under a key, None where it is gone."""
    kept = action.get(key)
    return kept if isinstance(kept, bpy.types.Action) else None


def find_source_pair(action: Any) -> tuple[Any | None, Any | None]:
    """Return the source and the destination of a result, each None where it is gone."""
    return find_kept_action(action, SOURCE), find_kept_action(action, DESTINATION)


def ingredients(action: Any) -> tuple[Any | None, ...]:
    """Return the actions that a result was made of; None for each that is lost.

    (source, destination) for a transition, one for a rewritten action; for a hop the source, the clips of its
    way and the destination; for a fill those that it plays; for a path its whole set, played or not, in the
    order of its settings. () for what a model has played, or is no result. Only the pointers that the action
    keeps are looked at, for all but the first two kinds those under "inertia_hop_action_0" and so on, up to
    the first number that is missing; an unreadable recipe raises nothing.
    """
    if is_baked(action, RECIPE):
        return find_source_pair(action)
    if REWRITTEN in action:
        return (find_kept_action(action, SOURCE),)
    keys = itertools.takewhile(action.keys().__contains__, _list_pointers())
    return tuple(find_kept_action(action, key) for key in keys)


def find_kept_things(action: Any) -> dict[str, Any]:
    """Return what :func:`noted_things` does, and the collection of obstacles, as far as they are there."""
    walls = action.get(OBSTACLES)
    return noted_things(action) | ({OBSTACLES: walls} if isinstance(walls, bpy.types.Collection) else {})


def noted_things(action: Any) -> dict[str, Any]:
    """Return the objects that a result follows, goes over, goes around and arrives at, by their keys, as
    far as they are there.
    """
    keys = (key for key in action.keys() if key in (FOLLOWED, GROUND, ARRIVAL) or key.startswith(OBSTACLE))
    return {key: thing for key in keys if isinstance(thing := action.get(key), bpy.types.Object)}


def has_moved(action: Any) -> bool:
    """Return whether an object that a result follows, arrives at, goes around or goes over has moved, or has
    another shape, since it was baked.

    Objects that are gone don't count, as that is said elsewhere. False for results of older versions, which
    noted none, and for recipes that can't be read.
    """
    try:
        with refuse_unreadable(action):
            stored = next(filter(None, map(action.get, (RECIPE, PATH, LEARNED, FILL))), "{}")
            noted = json.loads(stored).get("things", {})
            objects = {key: thing for key in noted if isinstance(thing := action.get(key), bpy.types.Object)}
    except InertiaError:
        return False
    return any(fingerprint_of_object(thing) != noted[key] for key, thing in objects.items())


def note_things(action: Any, names: Mapping[str, str]) -> dict[str, str]:
    """Keep pointers to objects in a result's custom properties, and return a checksum of each, by the same
    keys.

    names: objects' names by the keys to keep them under. A name without an object is left out, and what the
    action has under its key stays. The checksums, eight hexadecimal digits of where an object is and what its
    curve or mesh looks like, tell :func:`has_moved` later.
    """
    prints = {}
    for key, name in names.items():
        if (thing := bpy.data.objects.get(name)) is not None:
            action[key], prints[key] = thing, fingerprint_of_object(thing)
    return prints


def digest_of(used: Iterable[Any], armature: Any) -> str:
    """Return a digest of the slots that actions have for an armature. Raise InertiaError where one has
    none.
    """
    return actions.fingerprint([actions.read(each, actions.choose_slot(each, armature)) for each in used])


def digest(source: actions.Clip, destination: actions.Clip) -> str:
    """Return a digest of two clips and the other slots of their actions, such as shape keys."""
    ends = (source.keyed or source, destination.keyed or destination)
    clips = [actions.without_holders(clip) for clip in ends]
    return actions.fingerprint([*clips, *(other for clip in clips for other in actions.other_slots(clip))])


def keep(action: Any | None) -> None:
    """Make sure that Blender saves an action even when nothing else uses it."""
    if action is not None and action.is_editable and not action.use_fake_user:
        action.use_fake_user = True


def read_stored_scale(bone: Any) -> float:
    """Return the stored blend time multiplier of a pose bone; to ask for the property would make its
    group.
    """
    value = compat.stored(bone, "inertia", "blend_scale")
    return float(value) if isinstance(value, int | float) else 1.0


def bone_scale(bone: Any) -> float:
    """Return the blend time multiplier that a pose bone stores, as a float; 1.0 where none was ever set.

    It is ``bone.inertia.blend_scale``, read as the file holds it, even if the add-on's classes are not
    registered. A custom property of another make under the name "inertia" counts as none. Raise InertiaError,
    which names the bone, unless the value is an int or float from 0 to 100, both included; a bool or NaN is
    refused, too.
    """
    value = compat.stored(bone, "inertia", "blend_scale")
    if value is None:
        return 1.0
    fields.BLEND_SCALE.check(Sentence('blend scale of "{name}"', name=bone.name), value)
    return float(value)


def slot_owner(armature: Any, slot: compat.Slot, used: Iterable[Any]) -> Any | None:
    """Return the data-block that a slot besides the armature's animates: an object or shape keys; None where
    nothing fits.

    What fits has used a slot of that identifier last, or bears its name; never the armature itself. Among
    several the order is: what belongs to the character (:func:`follows`), what plays one of the actions
    `used` or a result made of them by that slot, what bears the name, what can be edited. Slots of other
    types have none.
    """
    blocks = {"OBJECT": bpy.data.objects, "KEY": bpy.data.shape_keys}.get(slot.id_type, ())
    names = ((thing, (compat.last_slot(thing), slot.identifier[:2] + thing.name)) for thing in blocks)
    fitting = [thing for thing, slots in names if thing != armature and slot.identifier in slots]
    made_of = set(used)

    def rank(obj: Any) -> tuple[bool, ...]:
        action, identifier = compat.assigned(obj)
        playing = set() if action is None else {action, *find_source_pair(action)}
        is_in_use = identifier == slot.identifier and not made_of.isdisjoint(playing)
        return follows(obj, armature), is_in_use, obj.name == slot.name, obj.is_editable

    return max(fitting, key=rank, default=None)


def follows(owner: Any, armature: Any) -> bool:
    """Return whether a data-block belongs to a character.

    owner: an object, or shape keys, for which the objects that have them stand. True if that object is a
    direct child of the armature, or has an Armature modifier with it.
    """
    for candidate in bpy.data.objects:
        data = candidate.data
        if candidate != owner and (data is None or getattr(data, "shape_keys", None) != owner):
            continue
        if candidate.parent == armature or rig.deforms(armature, candidate):
            return True
    return False


_TRANSFORMS = ("location", "rotation_euler", "rotation_quaternion", "rotation_axis_angle", "scale")
_POINTS = {"points": ("co", 4), "bezier_points": ("co handle_left handle_right", 3), "vertices": ("co", 3)}
"""What curves and meshes consist of: by collection the attributes, and how many numbers each of these has."""


def fingerprint_of_object(obj: Any) -> str:
    """Return a checksum of where an object is and what its curve or mesh looks like: a CRC-32 as eight
    lower-case hexadecimal digits.

    For the object and each of its parents, up to the topmost, it covers the values of location, rotation (of
    all modes) and scale that the assigned slot does not key, the parent inverse, each constraint's type, mute
    switch and influence, and the curves of all slots of the assigned action. Of the object alone it also
    covers the vertices of a mesh, or the points of a curve's splines with their type, cyclic switch,
    resolution and order.

    It does not cover delta transforms, the rotation mode, targets of constraints, shape keys, or what
    drivers, strips and other objects do to it. The same state gives the same digits at every frame. Objects
    of other types count by their transforms alone.
    """
    # the same in each session, unlike Python's own hash
    checksum = 0
    for content in _contents_of_object(obj):
        checksum = zlib.crc32(content, checksum)
    return f"{checksum:08x}"


def _contents_of_object(obj: Any) -> Iterator[bytes]:
    if obj.type == "CURVE":
        for spline in obj.data.splines:
            order = spline.order_u, spline.use_endpoint_u, spline.use_bezier_u
            yield repr((spline.type, spline.use_cyclic_u, spline.resolution_u, order)).encode()
            yield from _points(spline)
    elif obj.type == "MESH":
        yield from _points(obj.data)
    for each in rig.with_parents(obj):
        action, slot = compat.assigned(each)
        keyed = set() if action is None else {*actions.find_acting_curves(action, slot)}
        values = ((path, i, value) for path in _TRANSFORMS for i, value in enumerate(getattr(each, path)))
        stands = [value for path, i, value in values if (path, i) not in keyed]
        constraints = [(c.type, c.mute, c.influence) for c in each.constraints]
        yield repr((stands, constraints, action and actions.contents(action))).encode()
        yield np.array(each.matrix_parent_inverse, np.float32).tobytes()


def _points(holder: Any) -> Iterator[bytes]:
    """Yield the raw numbers of a spline's or a mesh's points, float32, as bytes: one piece for each
    attribute.

    They are the places of a spline's points (four numbers each), the places and both handles of its Bezier
    points, and the places of a mesh's vertices. What a holder lacks yields nothing; radius and tilt don't
    count.
    """
    for collection, (names, size) in _POINTS.items():
        points: Any = getattr(holder, collection, ())
        for name in names.split() if len(points) else ():
            values = np.empty(size * len(points), np.float32)
            points.foreach_get(name, values)
            yield values.tobytes()
