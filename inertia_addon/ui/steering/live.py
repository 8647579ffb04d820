# SPDX-License-Identifier: GPL-3.0-or-later
"""The character that is steered now, shown in memory alone.

What it stands over, the pose and the place of the object, is noted in the scene as that of a preview is, see
:mod:`showing`, so that a state of the file that is kept meanwhile is put right as those are.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import bpy
import numpy as np
from bpy.app.handlers import persistent

from ...blender.data import compat, recipe, recipe_reader, roots, scene, unkeyed
from ...blender.evaluation import character as characters
from ...blender.evaluation import posed
from ...blender.learned import bake as model_bake
from ...blender.learned import follow
from ...blender.learned import posing as played
from ...blender.learned import recipes as by_model
from ...blender.matching import action_set, followed, posing, recipes, search
from ...blender.transition import showing
from ...errors import InertiaError, Sentence
from ...motion.matching import features
from ...motion.skeleton import character_space
from ...motion.steering import fitted, session, steering
from ...motion.steps import Steps, part
from ...records import record
from ...settings.matching import PathSettings, Pin
from ...settings.steering import RUNS
from ..cost.joint_list import weights_from
from ..learned import models
from ..shared.work_inputs import find
from ..translations import translated
from . import properties

if TYPE_CHECKING:
    from ...motion.arrays import Array, Integers
    from ...motion.matching.database import Database
    from ...motion.steering.posing import ChannelPose
    from ...motion.steering.session import Session

OF_OBJECT = ("location", "rotation_euler", "rotation_quaternion", "rotation_axis_angle", "scale")
STILL = ("0,0,0", "1,0,0")
"""What stands for wishes that are still to come."""
GONE_SECONDS = 8.0
"""So much of its way stays in sight."""


@record(frozen=True, eq=False)
class Begun:
    """A take that may be gone on with. pose: of a moment, what is shown; plays: the name of what plays then,
    for a reader. settings: but for what is wished. model: the file of one, "" for clips. continued: the
    action that is gone on with, "" for none."""

    session: Session[Any]
    pose: Callable[[Any], ChannelPose]
    plays: Callable[[Any], str]
    settings: PathSettings
    model: str = ""
    continued: str = ""


def prepare_steps(armature: Any, frame: float, source: Any) -> Steps[Begun]:
    """Return a take that begins where the armature stands on a frame, ready to be steered, as :class:`Begun`;
    yield the part that is done, 0 to 1. No action is made.

    If the assigned action is a take with a recipe that can be read, which begins before the frame and ends on
    it or later, that is steered again up to it and continued (:func:`_continue_steps`,
    :func:`_continue_model_steps`): its own settings count, and ``source`` does not. Otherwise, if use_model
    is on, the model is read (:func:`_with_model`).

    Else the clips are analysed, and the take begins with the clip that is assigned, if it is in the set and
    has the frame, and stands where the clip does there; with what a baked path shows on that frame, where the
    armature stands now; or else with the clips' frame that is most like the pose. ``settings`` pin that clip
    at second 0; their ``start`` is (x, y, facing), metres and degrees, and their first_frame the frame,
    rounded.

    frame: in the scene. source: an operator whose settings count in place of the armature's; None for these.
    Raise InertiaError where the clips can't be analysed, the model can't be read or played, or the recipe of
    the take that is continued lacks its clips or its model.
    """
    character = characters.read_character(armature)
    action = compat.assigned(armature)[0]
    if action is not None and _goes_on(action, frame):
        goes_on = _continue_model_steps if recipe.is_baked(action, recipe.LEARNED) else _continue_steps
        return (yield from goes_on(armature, action, frame))
    if properties.hand_of(armature).use_model:
        yield 0.0
        return _with_model(armature, frame, source)
    # what is wished, and where it begins, is not known yet
    settings = properties.settings_from(armature, STILL, (0.0, 0.0, 0.0), source)
    analysed = yield from part(
        action_set.analyse_steps(character, settings, weights_from(armature)), 0.0, 0.5
    )
    poser = yield from part(posing.read_poser_steps(character, analysed, settings), 0.5, 0.8)
    base = analysed.database
    yield from part(fitted.steps(base), 0.8, 0.95)
    shown = (
        None if action is None else base.flat(action.name, mirrored=False, frame=frame, leaving=1, bend=0.0)
    )
    if shown is not None:
        place, heading = base.ground[shown], float(base.heading[shown])
    else:
        place, heading = _stands(armature, analysed)
        shown = None if action is None else _find_played(base, action, frame)
    if shown is None:
        frames = search.make_steering(analysed, settings).moves.index.frames
        # the search looks at every other frame
        shown = _most_like(armature, base, np.union1d(frames, frames + 1), place, heading)
    entered, at = base.place(shown)
    pin = str(Pin(0.0, entered.name, at, entered.mirrored))
    start = (float(place[0]), float(place[1]), float(np.degrees(heading)))
    settings = dataclasses.replace(
        settings, pins=(pin, *settings.pins), start=start, first_frame=float(round(frame))
    )
    take = session.Session(search.make_steering(analysed, settings), *followed.course(settings).start)
    return Begun(take, posing.make_poser(character, analysed, settings, poser), _make_namer(base), settings)


def _with_model(armature: Any, frame: float, source: Any) -> Begun:
    """Return a take that a model plays, which begins where the armature stands and faces now.

    In the Begun ``session`` has its first moment, ``plays`` returns the model file's name without ending for
    any moment, ``model`` is the file's absolute path, and ``continued`` is "". ``settings`` have ``start``,
    (x, y, facing) in metres and degrees, and as first_frame the whole frame nearest to ``frame``, the even
    one of two.

    source: an operator whose settings count in place of the armature's, None for these. Raise InertiaError if
    the rig is not plain, as with constraints, no model is chosen, there is no file, or it can't be read, is
    of another skeleton, or can't be baked on this rig.
    """
    character = characters.read_character(armature)
    # what can't be baked is refused before anybody has steered it
    model_bake.check_plain(character)
    model, file = models.trained(armature).model, str(models.path_of(armature).absolute())
    place, heading = played.stands(model, character)
    start = (float(place[0]), float(place[1]), float(np.degrees(heading)))
    settings = properties.of_model(armature, STILL, start, source)
    settings = dataclasses.replace(settings, first_frame=float(round(frame)))
    take = session.Session(follow.make_steering(model, settings, file), *followed.course(settings).start)
    return Begun(
        take, played.make_poser(character, model, settings), lambda _: Path(file).stem, settings, file
    )


def _make_namer(base: Database) -> Callable[[steering.Moment], str]:
    """Return a function that gives the name of the clip that plays at a moment, with "(mirrored)" behind it,
    translated, if it is mirrored.
    """

    def plays(now: steering.Moment) -> str:
        source, _ = base.place(now.flat)
        return translated("{0} (mirrored)", source.name) if source.mirrored else source.name

    return plays


def _goes_on(action: Any, frame: float) -> bool:
    """Tell whether an action is a take, of clips or of a model, that begins before a frame and does not end
    before it.

    It begins on the first_frame of its recipe, and ends where the action's frame range does. False for any
    other action; for a baked path that was not steered, which has no wishes; and where the recipe can't be
    read. frame: in the scene.
    """
    if not recipe.is_baked(action, recipe.PATH, recipe.LEARNED):
        return False
    with contextlib.suppress(InertiaError):  # what can't be read is no take
        settings = recipe_reader.read_recipe(action).settings
        return bool(settings.wishes) and settings.first_frame < frame <= action.frame_range[1]
    return False


def _continue_steps(armature: Any, action: Any, frame: float) -> Steps[Begun]:
    """Return a take of clips, steered again up to a frame by its own wishes, settings and weights, to be gone
    on with; yield the part that is done, 0 to 1.

    It has a moment for each step of the analysed clips from the recipe's first_frame to the last one not
    after ``frame``, but none behind the take's own last wish. In the Begun ``settings`` are the recipe's,
    ``model`` is "", and ``continued`` is the action's name.

    action: the take. Raise InertiaError where its recipe can't be read, a clip is gone, or the clips can't be
    analysed.
    """
    character = characters.read_character(armature)
    stored = recipe_reader.read_recipe(action, recipe.PATH)
    settings, weights = stored.settings, stored.weights
    analysed = yield from part(action_set.analyse_steps(character, settings, weights), 0.0, 0.4)
    poser = yield from part(posing.read_poser_steps(character, analysed, settings), 0.4, 0.6)
    yield from part(fitted.steps(analysed.database), 0.6, 0.7)
    led = search.make_steering(analysed, settings)
    pose = posing.make_poser(character, analysed, settings, poser)
    count = int((frame - settings.first_frame) / analysed.step) + 1
    going_on = yield from part(_steer_again_steps(led, settings, count, pose), 0.7, 1.0)
    return Begun(going_on, pose, _make_namer(analysed.database), settings, continued=action.name)


def _continue_model_steps(armature: Any, action: Any, frame: float) -> Steps[Begun]:
    """Return a take that a model plays, steered again up to a frame by its own wishes, to be gone on with;
    yield the part that is done, 0 to 1.

    It has a moment for each of the model's own frames from the recipe's first_frame to the last one not after
    ``frame``, at the scene's frame rate, but none behind the take's own last wish. In the Begun ``settings``
    are the recipe's, ``model`` is the file's path, ``plays`` returns the file's name without ending, and
    ``continued`` is the action's name.

    action: the take. The model that is now in the recipe's file, or else in one of that name beside the
    .blend file, plays, without a warning if it has changed. Raise InertiaError where the recipe or the model
    can't be read, or the model is gone or of another skeleton.
    """
    character = characters.read_character(armature)
    settings = recipe_reader.read_recipe(action, recipe.LEARNED).settings
    model, path, _ = by_model.model_of(action, armature)
    led, pose = (
        follow.make_steering(model, settings, str(path)),
        played.make_poser(character, model, settings),
    )
    seconds = (frame - settings.first_frame) / character.fps
    going_on = yield from _steer_again_steps(led, settings, int(seconds * led.lead.fps + 1e-6) + 1, pose)
    return Begun(going_on, pose, lambda _: path.stem, settings, str(path), action.name)


def _steer_again_steps(
    led: session.MomentSource[Any], settings: PathSettings, count: int, pose: Callable[[Any], ChannelPose]
) -> Steps[Session[Any]]:
    """Return a session of a take that is steered again up to its first ``count`` moments, at least one, or to
    its end if that comes first; yield the part that is done, 0 to 1.

    The moments are steered first, from the start of the settings by their wishes. Then ``pose`` is called for
    each of them, in order, as feet depend on those before; what it returns is dropped. The session goes on
    with the wishes that begin within its moments.

    led: what steers; its errors get through. settings: of the take, with its wishes and start.
    """
    asked = session.Wishes.of(settings.wished, led.lead.fps)
    again = dataclasses.replace(asked, frames=min(count, asked.frames))
    moments = yield from part(session.steps(led, again, *followed.course(settings).start), 0.0, 0.5)
    take = session.Session.resume(led, asked, moments)
    for i, moment in enumerate(moments):
        pose(moment)
        yield 0.5 + 0.5 * (i + 1) / len(moments)
    return take


def _find_played(base: Database, action: Any, frame: float) -> int | None:
    """Return the flat frame, in a set of clips, that a baked path shows on a scene frame, or None.

    Of what the path plays, the last that begins at or before `frame` counts; where the path ends does not
    matter. Its clip frame then, `frame` less the play's `later`, is taken to the nearest frame of the part
    with the same action, mirror image and bend.

    None for an action that is no baked path, None itself included; for a path whose recipe can't be read,
    that tells no plays (one of an earlier version), or one of whose actions is gone; before the first play;
    and where the set lacks that part, or the part lacks that frame or has no frame after it. Nothing is
    raised or changed.
    """
    if not recipe.is_baked(action, recipe.PATH):
        return None
    with contextlib.suppress(InertiaError):  # what can't be read is known by its pose
        for played in reversed(recipes.plays_of(action)):
            if played.frame <= frame:
                return base.flat(
                    played.action,
                    mirrored=played.mirrored,
                    frame=frame - played.later,
                    leaving=1,
                    bend=played.bend,
                )
    return None


def _matrices(armature: Any) -> dict[str, Array]:
    """Return where bones are in the world (4, 4) as Blender shows them, and the object under ""."""
    shown = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
    world = np.array(shown.matrix_world)
    return {"": world, **{bone.name: world @ np.array(bone.matrix) for bone in shown.pose.bones}}


def _most_like(armature: Any, base: Database, frames: Integers, ground: Array, heading: float) -> int:
    """Return which of some flat frames of a set of clips shows most nearly the armature's pose as Blender
    shows it now.

    frames: flat frames; those of bent clips are left out, those of mirror images stay. ground: (2,) metres,
    and heading, radians, in the world: where the armature's root is and faces. Joint positions are compared
    in metres, shifted by -ground and turned by -heading about the vertical; heights stay the world's.

    The measure is the sum over the joints of the weight times the squared distance, rounded to 1e-9, so that
    equal ones don't depend on the last bits; the first of equal ones wins. Return the flat frame itself, not
    its index in `frames`. Raise ValueError if no frame is left, KeyError if the armature lacks a joint of the
    set.
    """
    world = _matrices(armature)
    at = np.array([world[name][:3, 3] for name in base.joints]) * scene.metres_per_unit()
    at[:, :2] = features.turned(at[:, :2] - ground, np.asarray(-heading))
    straight = np.array([not source.bend for source in base.sources])
    frames = frames[straight[base.part[frames]]]
    away = np.sum((base.positions[frames] - at) ** 2, axis=-1) @ base.weights
    return int(frames[int(np.argmin(np.round(away, 9)))])


def _stands(armature: Any, analysed: action_set.Stock) -> tuple[Array, float]:
    """Return where the armature's root is on the ground, x and y (2,) in metres, and where it faces, radians,
    both in the world, as Blender shows the rig now.

    It faces by as much more than on the first clip's first frame as the root has turned about the vertical
    since.
    """
    base, rig, first = analysed.database, analysed.rig, analysed.clips[0]
    now = _matrices(armature)["" if analysed.root.is_object else analysed.root.name]
    in_clip = roots.root_matrix(rig, analysed.root, unkeyed.completed(armature, first), base.sources[0].first)
    heading = float(base.heading[0]) + character_space.turn_between(now, in_clip)
    return now[:2, 3] * scene.metres_per_unit(), heading


class Live:
    """A take that is shown on its armature.

    why: the sentence with which it had to end, None while it goes on. hand: how it is steered. area: the 3D
    View in which it is. mouse: where that is in the window, None until it has moved."""

    def __init__(self, armature: Any, in_scene: Any, begun: Begun) -> None:
        self.begun, self.session, self._pose = begun, begun.session, begun.pose
        self.why: InertiaError | None = None
        self._armature, self._scene, self._name = armature.session_uid, in_scene.session_uid, armature.name
        self._bones = tuple(armature.pose.bones.keys())
        self._shown = posing.PosedArmature.of(armature, characters.read_character(armature).rig)
        self.hand = properties.hand_of(armature)
        self.area: Any = None
        self.mouse: tuple[int, int] | None = None
        self.height = float(armature.matrix_world.translation[2])

    @property
    def longest(self) -> float:
        """The highest speed that is wished, metres a second, or the length of a stick that runs."""
        return RUNS if self.begun.settings.steer.is_stick else self.hand.run

    @property
    def armature(self) -> Any:
        """The armature. Raise InertiaError where the take can't be shown on it any more: it is gone, in Edit
        Mode, or has other bones.
        """
        armature = find("OBJECT", self._armature)
        if armature is None:
            raise self._stopped('the armature "{name}" was removed meanwhile')
        if armature.mode == "EDIT" or tuple(armature.pose.bones.keys()) != self._bones:
            raise self._stopped('the armature "{name}" was changed meanwhile')
        return armature

    def _stopped(self, why: str) -> InertiaError:
        return InertiaError(
            "Steer was stopped, and nothing was changed: {why}. Press Steer again.",
            why=Sentence(why, name=self._name),
        )

    def advance(self, frames: int) -> bool:
        """Steer on until the take has so many frames from its beginning on, and show the last; return True.

        If it has as many already, nothing is done, and it returns False. Raise InertiaError where the
        armature is gone, in Edit Mode or has other bones, or the scene is gone; the take has the frames all
        the same.
        """
        if self.session.frames >= frames:
            return False
        while self.session.frames < frames:
            self.session.step()
            # joins have to be known in their order, whether or not they are shown
            pose = self._pose(self.session.now)
        self._write(pose)
        return True

    def back(self, seconds: float) -> None:
        """Take so much back, and show what it has come to."""
        for moment in self.session.back(seconds):
            self._pose(moment)
        self.show()

    def show(self) -> None:
        """Show the moment that it has come to."""
        self._write(self._pose(self.session.now))

    def _write(self, pose: Any) -> None:
        armature, in_scene = self.armature, find("SCENE", self._scene)
        if in_scene is None:
            raise self._stopped("the scene was removed meanwhile")
        if not showing.is_noted(in_scene):
            showing.note_all(in_scene, [(armature, (OF_OBJECT, tuple(posed.TRANSFORMS)))], {})
        self._shown.write(armature, pose)

    def put_back(self) -> None:
        """Have the armature's pose and place be as they were before the take was shown, and forget them;
        nothing if the scene is gone or holds no note of them.
        """
        in_scene = find("SCENE", self._scene)
        if in_scene is not None and showing.is_noted(in_scene):
            showing.put_back(showing.read_kept(in_scene))
            showing.drop(in_scene)


_live: Live | None = None


def find_running() -> Live | None:
    """Return the take that is steered now."""
    return _live


def begin(armature: Any, in_scene: Any, begun: Begun) -> Live:
    """Show a take on an armature in a scene from its present moment on, and return it as the one that is
    steered.

    An earlier one is ended and put back first. Before the first pose is written, the armature's transform and
    its bones' pose are noted in the scene, unless the scene has a note already. What is assigned stays
    assigned.

    Raise InertiaError where the armature is gone, in Edit Mode or has other bones by now, or the scene is
    gone. The new take is the one that is steered even then, so the caller has to call :func:`end`.
    """
    global _live
    end()
    _live = Live(armature, in_scene, begun)
    _live.show()
    return _live


def end() -> None:
    """Stop showing the take that is steered, and put the character back; nothing if none is shown."""
    global _live
    former, _live = _live, None
    if former is not None:
        former.put_back()


def _stop(why: str) -> None:
    if _live is not None:
        _live.why = InertiaError("Steer was stopped, and nothing was changed: {why}.", why=why)
        end()


@persistent
def on_new_state(*_arguments: Any) -> None:
    """End the take, as a handler: undo, redo and opening another file take away what it stands on."""
    _stop(Sentence("something was undone, or another file was opened"))


@persistent
def on_render(*_arguments: Any) -> None:
    """Stop steering, as a handler: a picture shows what the file has."""
    _stop(Sentence("something is rendered"))


@persistent
def on_save(*_arguments: Any) -> None:
    """Let the file hold nothing of it; the next moment is shown again."""
    if _live is not None:
        _live.put_back()
