# SPDX-License-Identifier: GPL-3.0-or-later
"""Steers a character in the 3D View, and keeps the take."""

from __future__ import annotations

import dataclasses
import re
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import BoolProperty, StringProperty

from ...blender.data import actions, compat, recipe, recipe_reader, scene
from ...blender.evaluation import character as characters
from ...blender.learned import bake as model_bake
from ...blender.learned import clips, follow
from ...blender.learned import recipes as by_model
from ...blender.matching import followed
from ...errors import InertiaError
from ...lazy_modules import np
from ...motion.steps import Steps, part
from ...settings import steering
from ...settings.matching import PathSettings
from ..cost.joint_list import weights_from
from ..learned import operators as model_operators
from ..matching.operators import SEARCH, make_steps
from ..matching.properties import PathFields, names_of
from ..overlay import in_view
from ..shared import cache, forms, tab, tool
from ..shared import drawing as panels
from ..shared.long_work import LongWork
from ..shared.made_of import plain, put, start_from, values_of
from ..transition import previewing
from ..translations import translated
from . import drawn, live, pressed, properties

LATE_SECONDS = 0.5
"""Time that a window has not shown for longer than this, as it was busy, has not passed."""
BACK_SECONDS = 2.0
"""So much Backspace takes back."""
LOOKS = {"MIDDLEMOUSE", "WHEELUPMOUSE", "WHEELDOWNMOUSE", "WHEELINMOUSE", "WHEELOUTMOUSE", "TRACKPADPAN"}
LOOKS |= {"TRACKPADZOOM", "TRACKPADROTATE", "NDOF_MOTION", "WINDOW_DEACTIVATE", "TIMER_REPORT"}
"""Events with which the view is turned meanwhile, and such as are nobody's."""
HELP = (
    "Steer: {0} or the arrows, Shift runs, Ctrl goes slowly. Backspace goes back two seconds, Enter keeps "
    "the take, ESC keeps nothing."
)


class INERTIA_OT_steer(LongWork, PathFields, bpy.types.Operator):
    """The properties are PathSettings' fields, and what was wished in the window."""

    bl_idname = "inertia.steer"
    bl_label = "Steer"
    bl_description = (
        "Steer the character in the 3D View with keys or the mouse, with the clips it has. It begins as it "
        "stands on the current frame, and continues a take that plays. Enter keeps the take as an action, "
        "ESC keeps nothing. Blender does not pass on events of gamepads"
    )
    needs = (tool.poll_settings, tool.poll_armature)

    wishes: plain(StringProperty, "Wishes", "The wishes, one a row, with semicolons between them")
    start: plain(StringProperty, "Start", "Where it began: x and y in metres, and the facing in degrees")
    pin: plain(StringProperty, "Pins", "The clips that were entered at places")
    model: plain(StringProperty, "Model", "The file of the model that plays in place of clips")
    continued: plain(StringProperty, "Continued", "The take that it continues")
    from_end: plain(BoolProperty, "From Its End", "Begin on the last frame of what plays")

    if TYPE_CHECKING:
        _begun: live.Begun | None
        _live: live.Live | None
    _begun = _live = None

    # --- the take

    def work(self, context: Any) -> Steps[None]:
        armature = context.object
        previewing.end(stay=True)
        start_from(self, armature.inertia_path, PathSettings, properties.SETTINGS)
        self.stands_on(*(bpy.data.actions.get(name) for name in names_of(armature)))
        if self.wishes:
            yield from self._keep_model_steps(context) if self.model else self._keep_steps(context)
        elif bpy.app.background:
            raise InertiaError(
                "A character is steered in a window; without one, give the wishes, or use the command steer."
            )
        else:
            if self.from_end and (action := compat.assigned(armature)[0]) is not None:
                context.scene.frame_set(round(action.frame_range[1]))
            frame = context.scene.frame_current_final
            self._begun = yield from live.prepare_steps(armature, frame, self)

    def _keep_steps(self, context: Any) -> Steps[None]:
        """Bake the operator's wishes into a new action, with clips, judge it and report that; yield the part
        that is done, 0 to 1.

        The rows of `wishes` are split at a ";" only where a number and a comma follow, since names of moves
        may have semicolons. The context's object is the armature.

        If `continued` names a take, its settings and weights count, but for strips and faithful, which are
        the operator's, and the result's name, which is left to be found. Otherwise the operator's settings
        and the armature's count, with the armature's weights, the operator's `start` ("0,0,0" for none) and
        its `pin`, rows with ";" between.

        On a redo, whether or not a take is continued, the operator's settings are written into the armature's
        inertia_path after the bake, so that the next take starts from them. Raise InertiaError where the
        continued take can't be read, a text is not valid, no way is found or it can't be baked; the
        armature's settings are as they were then.
        """
        # names of moves may have semicolons
        armature, wishes = context.object, tuple(re.split(r";(?=[-+.e\d]+,)", self.wishes))
        if self.continued:
            stored = recipe_reader.read_recipe(actions.find(self.continued), recipe.PATH)
            settings, weights = stored.settings, stored.weights
            transition = dataclasses.replace(settings.transition, result="")
            settings = dataclasses.replace(
                settings, wishes=wishes, strips=self.strips, faithful=self.faithful, transition=transition
            )
        else:
            start = steering.start(self.start or "0,0,0")
            pins = {"pins": tuple(self.pin.split(";"))} if self.pin else {}
            settings = properties.settings_from(armature, wishes, start, self, **pins)
            weights = weights_from(armature)
        yield from make_steps(self, context, settings, weights)
        if self.options.is_repeat:
            # the next take starts from what the redo panel was changed to
            for name, value in values_of(self, PathSettings, properties.SETTINGS).items():
                put(armature.inertia_path, PathSettings, name, value)

    def _keep_model_steps(self, context: Any) -> Steps[None]:
        """Bake the operator's wishes into a new action, as a model plays them, and report that; yield the
        part that is done.

        If continued names a take, its settings and its model count, but for the result's name, which is left
        to be found. Otherwise the operator's file counts, with the operator's settings and, for joins and
        answers to wishes, the armature's. The operator then stands on the model's file. Raise InertiaError
        where the model or that take can't be read, played or baked.
        """
        armature, wishes, file = context.object, tuple(self.wishes.split(";")), Path(self.model)
        if self.continued:
            action = actions.find(self.continued)
            settings = recipe_reader.read_recipe(action, recipe.LEARNED).settings
            model, file, _ = by_model.model_of(action, armature)
            transition = dataclasses.replace(settings.transition, result="")
            settings = dataclasses.replace(settings, wishes=wishes, transition=transition)
        else:
            try:
                model = clips.model_of(file, characters.read_character(armature))
            except OSError as error:
                raise by_model.unreadable(file, error) from error
            settings = properties.of_model(armature, wishes, steering.start(self.start), self)
        self.stands_on(file)
        steps = follow.follow_course_steps(model, settings, followed.course(settings), str(file))
        played = yield from part(steps, 0.0, SEARCH)
        report = yield from part(model_bake.bake_path_steps(armature, played), SEARCH, 1.0)
        model_operators.tell(self, context, report)

    def draw(self, _context: Any) -> None:
        column = panels.split(self.layout).column()
        if not self.model:
            forms.draw(column, self, PathSettings, ("mirror", "faithful"))
        column.prop(self, "first_frame")
        if not self.model:
            column.prop(self, "strips")

    # --- in the window

    def _result(self, slices: Any) -> set[str]:
        """Begin to steer once the preparation is over, and return what the operator returns: RUNNING_MODAL,
        or CANCELLED, with a report and all put back, where that fails.

        Where nothing was prepared, as after a bake, it returns FINISHED, and where the work failed CANCELLED,
        with a report. What was prepared is forgotten in any case.
        """
        begun, self._begun = self._begun, None
        if begun is None or slices.error is not None:
            return super()._result(slices)
        context = bpy.context
        try:
            with self._footing.active():
                armature = bpy.context.object
            self._live = live.begin(armature, context.scene, begun)
            self._enter(context, self._live)
        except Exception as error:
            self._leave(context)
            return self.refuse(tool.refusal(error, self.bl_label))
        return {"RUNNING_MODAL"}

    def _enter(self, context: Any, take: live.Live) -> None:
        """Set up the window for steering a take: stop what plays, choose the 3D View as the take's area,
        begin to count time from the take's own, start the timer and the drawing, and show the keys and moves
        in the status bar.

        The timer ticks at the frame rate of the take's lead. Nothing is held down at first. Of the moves, the
        first nine are listed, with their numbers. The operator also begins to hear of the window's events.

        Raise InertiaError without a 3D View; by then only what plays has been stopped.
        """
        previewing.stop_playing()
        take.area = _view3d(context)
        self._keys = pressed.meanings(keys_of(context))
        self._pressed = pressed.Pressed()
        self._went = take.session.now.ground
        self._last = time.perf_counter()
        self._zero = self._last - take.session.seconds
        manager = context.window_manager
        self._timer = manager.event_timer_add(1.0 / take.session.led.lead.fps, window=context.window)
        self._hear_of_events(context)
        drawn.start()
        names = pressed.names(dict.fromkeys(keys_of(context).values()))
        moves = zip("123456789", take.begun.settings.moves, strict=False)
        listed = "".join(f"  {number}: {name}" for number, name in moves)
        context.workspace.status_text_set(translated(HELP, names) + listed)

    def modal(self, context: Any, event: Any) -> set[str]:
        """Handle an event while the character is steered; before and after that, do as long work does, a
        slice at each tick of the timer. Return what Blender's modal does.

        While it is steered:

        - A timer's event steers on, see :meth:`_tick`.
        - A move of the mouse is noted as the take's mouse, in pixels of the window.
        - When the window is deactivated, all keys are let go.
        - Events of LOOKS, with which the view is turned and zoomed meanwhile, return PASS_THROUGH,
          so that Blender handles them.
        - Pressing ESC or the right mouse button leaves without baking and returns CANCELLED.
        - Pressing Enter, of the number pad, too, returns what :meth:`_keep` does.
        - Pressing Backspace takes BACK_SECONDS of the take back and lets all keys go.
        - Any other event goes to :meth:`_hear`.

        Unless said otherwise the answer is RUNNING_MODAL, so that no one else gets the event. Where the take
        has had to end, or with any error, even one that is no InertiaError, the steering ends, the character
        is put back, the reason is reported as ERROR, and the answer is CANCELLED.
        """
        if self._live is None:
            return super().modal(context, event)
        try:
            return self._steered(context, event)
        except Exception as error:
            self._leave(context)
            return self.refuse(tool.refusal(error, self.bl_label))

    def _steered(self, context: Any, event: Any) -> set[str]:
        take = self._live
        assert take is not None
        if take.why is not None:
            self._leave(context)
            return self.refuse(take.why)
        take.armature  # noqa: B018 (it says where it is gone)
        if event.type == "TIMER":
            self._tick(context, take)
        elif event.type in ("MOUSEMOVE", "INBETWEEN_MOUSEMOVE"):
            take.mouse = (event.mouse_x, event.mouse_y)
        elif event.type == "WINDOW_DEACTIVATE":
            self._pressed.held.clear()
        elif event.type in LOOKS:
            return {"PASS_THROUGH"}
        elif event.type in ("ESC", "RIGHTMOUSE") and event.value == "PRESS":
            self._leave(context)
            return {"CANCELLED"}
        elif event.type in ("RET", "NUMPAD_ENTER") and event.value == "PRESS":
            return self._keep(context, take)
        elif event.type == "BACK_SPACE" and event.value == "PRESS":
            before = take.session.seconds
            take.back(BACK_SECONDS)
            self._zero += before - take.session.seconds
            self._pressed.stop()
            take.area.tag_redraw()
        else:
            self._hear(event)
        return {"RUNNING_MODAL"}

    def _hear(self, event: Any) -> None:
        """Note what an event of a key presses or lets go, with Shift and Ctrl.

        Shift and Ctrl are taken from the event, whichever it is. Only the first of repeated presses counts. A
        key that wishes something, by the preferences or an arrow, enters the names that are held when it is
        pressed, and leaves them when it is let go. The keys that face it are held likewise: the facing turns
        in :meth:`_tick`.

        The key that stops lets all go and forgets the facing. A key of the row of numbers, ONE to NINE, has
        the take play that move of its settings' list, the first by ONE, if there is one. Other keys do
        nothing but tell Shift and Ctrl.
        """
        held, take = self._pressed, self._live
        held.shift, held.ctrl = bool(event.shift), bool(event.ctrl)
        meant = self._keys.get(event.type)
        begins = event.value == "PRESS" and not getattr(event, "is_repeat", False)
        if begins and take is not None and event.type in pressed.MOVES:
            for name in take.begun.settings.moves[pressed.MOVES.index(event.type) :][:1]:
                take.session.move(name)
        if meant is None:
            return
        if begins:
            held.held.add(meant)
            if meant == pressed.STOP:
                held.stop()
        elif event.value == "RELEASE":
            held.held.discard(meant)

    def _tick(self, context: Any, take: live.Live) -> None:
        """Steer on to the present time by what is wished now, and show only the last pose.

        The facing that is wished turns first while its keys are held, from the character's heading where none
        was wished. Then the wish is given to the take's session: the velocity of :meth:`_wished`, and the
        facing in degrees, rounded to pressed.STEPS, or None.

        The take goes on to its frame int(seconds * fps) + 1, fps being its lead's; at most to
        LONGEST_SECONDS. If that gave a new frame, the view follows the character if wished, and its area is
        redrawn. Where more than LATE_SECONDS have passed since the last call, as the window was busy, only
        LATE_SECONDS count.

        Raise InertiaError where the armature can't be shown on any more.
        """
        now = time.perf_counter()
        since = now - self._last
        self._last = now
        if since > LATE_SECONDS:
            self._zero += since - LATE_SECONDS
        heading = float(np.degrees(take.session.now.heading))
        self._pressed.turn(min(since, LATE_SECONDS), heading)
        x, y = self._wished(context, take)
        take.session.wish(x, y, pressed.steadied(self._pressed.facing))
        frames = int((now - self._zero) * take.session.led.lead.fps) + 1
        if take.advance(min(frames, int(steering.LONGEST_SECONDS * take.session.led.lead.fps))):
            self._follow(take)
            take.area.tag_redraw()

    def _wished(self, context: Any, take: live.Live) -> tuple[float, float]:
        """Return the wished velocity along x and y of the world, metres a second, or the stick's lean where a
        stick steers; (0, 0) where nothing is wished.

        Keys of a direction come first. Without any, the place under the mouse is wished for if the take's
        hand is by "MOUSE"; otherwise nothing.
        """
        wished, is_stick = np.zeros(2), take.begun.settings.steer.is_stick
        if take.hand.by != "MOUSE" or any(self._pressed.lean()):
            way = pressed.on_ground(self._pressed.lean(), drawn.axes_of(take.area))
            wished = way * (self._pressed.length() if is_stick else self._pressed.speed(take.hand))
        elif (place := _under_mouse(take)) is not None:
            wished = pressed.towards(place - take.session.now.ground, take.longest)
        x, y = wished.tolist()
        return x, y

    def _follow(self, take: live.Live) -> None:
        """Move the 3D View by as much as the character has gone over the ground since the last call, if the
        take's hand.follow is on; not in a camera's view. How far the character has gone is noted in any case.
        """
        ground = take.session.now.ground
        if take.hand.follow:
            gone = (ground - self._went) / scene.metres_per_unit()
            view = take.area.spaces.active.region_3d
            if view.view_perspective != "CAMERA":
                place = view.view_location
                view.view_location = (place[0] + gone[0], place[1] + gone[1], place[2])
        self._went = ground

    def _keep(self, context: Any, take: live.Live) -> set[str]:
        """End the steering and bake what was steered; return what the operator returns: that of
        :meth:`in_slices`, FINISHED, RUNNING_MODAL, or CANCELLED with a report.

        The operator's properties get what a redo needs to bake the same, as texts: `wishes`, the rows as str
        gives each, with ";" between; `start`, "x,y,facing" in metres and degrees at full precision; `pin`,
        the pins with ";" between; `model`, the file, "" for clips; and `continued`, the name of the take that
        was gone on with, "" for none. `first_frame` becomes the take's.

        A take that settings.steering.check refuses, as it has fewer than two rows or lasts less than 1 s or
        more than 600 s, is not baked: a WARNING says so, the steering goes on, no property changes, and it
        returns RUNNING_MODAL.
        """
        begun, rows = take.begun, take.session.rows()
        try:
            steering.check(rows)
        except InertiaError as error:
            self.say(error.sentence, "WARNING")
            return {"RUNNING_MODAL"}
        self._leave(context)
        self.wishes = ";".join(map(str, rows))
        self.start = ",".join(f"{number:.17g}" for number in begun.settings.start)
        self.pin, self.continued = ";".join(begun.settings.pins), begun.continued
        self.model = begun.model
        self.first_frame = begun.settings.first_frame
        return self.in_slices(context)

    def _leave(self, context: Any) -> None:
        """End the steering without baking: put the character back, stop drawing, remove the timer and the
        status text, and redraw.

        What was not begun is left alone, so that it may be called at any time.
        """
        live.end()
        self._live = None
        drawn.stop()
        if self._timer is not None:
            context.window_manager.event_timer_remove(self._timer)
            self._timer = None
        if context.workspace is not None:
            context.workspace.status_text_set(None)
        cache.redraw()

    def cancel(self, context: Any) -> None:
        """End the steering where Blender itself ends the operator, as when another file is opened, and then
        whatever long work goes on.

        While a take is steered, it is left, which puts the character back; if the take has had to end, its
        `why` is then reported as WARNING. Without one, only the long work ends.
        """
        if self._live is not None:
            why = self._live.why
            self._leave(context)
            if why is not None:
                self.say(why.sentence, "WARNING")
        super().cancel(context)


def _under_mouse(take: live.Live) -> Any | None:
    """Return the place (2,), metres, x and y of the world, under the mouse on the level plane at the take's
    height.

    None before the mouse has moved, and where the view's line there is level or meets that plane only behind
    the eye.
    """
    if take.mouse is None:
        return None
    region, view = drawn.main(take.area), take.area.spaces.active.region_3d
    at = take.mouse[0] - region.x, take.mouse[1] - region.y
    place = in_view.find_level_point(region, view, at, take.height)
    return None if place is None else place * scene.metres_per_unit()


def _view3d(context: Any) -> Any:
    """Return the area of the 3D View in use, or of the largest one in the window. Raise InertiaError where
    there is none.
    """
    area = context.area
    if area is not None and area.type == "VIEW_3D":
        return area
    areas = [each for each in context.window.screen.areas if each.type == "VIEW_3D"]
    if not areas:
        raise InertiaError("A character is steered in the 3D View; open one.")
    return max(areas, key=lambda each: each.width * each.height)


def keys_of(context: Any) -> dict[str, str]:
    """Return the keys by what they wish, as the preferences have them."""
    addon = context.preferences.addons.get(tab.ADDON)
    preferences = None if addon is None else addon.preferences
    return {name: getattr(preferences, f"steer_{name}", kind) for name, kind in pressed.KEYS.items()}
