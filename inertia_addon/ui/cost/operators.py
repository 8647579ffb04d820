# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds, picks and shows where a transition costs least."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import BoolProperty, EnumProperty, IntProperty, StringProperty

from ...blender.cost import candidates, meetings
from ...blender.data import clip_store, compat
from ...blender.evaluation import character as characters
from ...blender.files import picture_files
from ...blender.judging import verdict
from ...errors import InertiaError
from ...lazy_modules import np
from ...motion.steps import Steps, part
from ...plots import chart
from ...settings import fields
from .. import translations
from ..overlay import build
from ..shared import character, tool, words
from ..shared.long_work import LongWork, SavesFile, describe_part
from ..shared.made_of import limits_of, plain
from ..shared.tool import Tool
from ..translations import translated
from . import costs, search

if TYPE_CHECKING:
    from ...blender.cost.candidates import Candidate

GOAL_ITEMS = (
    (
        "DESTINATION",
        "Best Entry",
        "Find the destination's best frame for the cut: of those that cost least, the one that looks best",
    ),
    (
        "CUT",
        "Best Cut",
        "Find the best cut for the destination frame, within the range: of those that cost least, the one "
        "that looks best",
    ),
    (
        "PAIR",
        "Best Pair",
        "Find the best cut and destination frame: of the pairs that cost least, the one that looks best",
    ),
    (
        "PAIRS",
        "Best Pairs",
        "List the best pairs that are not neighbours, to step through: those that cost least, with the "
        "best-looking first",
    ),
)
NEXT = "Try the next one of the best pairs: put the cut and the destination frame there"
BEFORE = "Try the previous one of the best pairs: put the cut and the destination frame there"
MARK = "inertia_cost_map"
"""Marks the images that may be drawn anew."""


MAP_ITEMS = (
    ("EXACT", "Exact", "The cost itself, swings past the destination included"),
    (
        "FEATURE",
        "Estimate",
        "A quicker estimate, by features: a swing past the destination counts against the rest, so an arm "
        "that swings to and fro may seem to cost next to nothing",
    ),
    (
        "POINT_CLOUD",
        "Whole Poses",
        "How far apart the poses of both clips are throughout the blend, as hops compare them: the map of "
        "motion graphs (point clouds, after Kovar)",
    ),
)


class INERTIA_OT_evaluate_clips(LongWork, bpy.types.Operator):
    bl_idname = "inertia.evaluate_clips"
    bl_label = "Evaluate Clips"
    bl_description = (
        "Play both clips once, frame by frame, to know where the joints are: needed for rigs with "
        "constraints, drivers or unusual inheritance, and again after a change. ESC stops it; "
        "the scene stays as it is"
    )
    # what it finds is kept beside the file, so there is nothing to undo
    bl_options = {"REGISTER"}
    needs = tool.POLL_PAIR

    def work(self, context: Any) -> Steps[None]:
        self.stands_on(context.object.inertia.source, context.object.inertia.destination)
        yield from costs.evaluate_steps(context.object)
        self.say("Both clips are evaluated; costs follow the settings now.")
        for note in costs.notes(costs.costs_of(context.object, to_show=False).evaluated):
            self.say(note)


class INERTIA_OT_find_meeting(LongWork, bpy.types.Operator):
    bl_idname = "inertia.find_meeting"
    bl_label = "Find Best Frames"
    bl_description = "Find where a transition costs least, and put the cut and the destination frame there"
    needs = tool.POLL_PAIR
    told_by = "goal"

    goal: plain(EnumProperty, "Find", "What is searched for", items=GOAL_ITEMS, default="PAIR")
    count: plain(IntProperty, "Pairs", "How many pairs to list", default=10, **limits_of(fields.LISTED))

    if TYPE_CHECKING:
        _judged: Sequence[Candidate]
    _judged = ()
    """What is judged so far."""

    def work(self, context: Any) -> Steps[None]:
        armature = context.object
        judged: list[Candidate] = []
        self._judged = judged
        self.stands_on(armature.inertia.source, armature.inertia.destination)
        yield from part(costs.evaluate_steps(armature), 0.0, 0.4)
        # a search may start from anywhere: the settings' own meeting need not be possible
        meeting_costs = costs.costs_of(armature, to_show=False)
        limits = search.search_of(armature)
        clips = yield from part(
            clip_store.read_named_steps(armature, meeting_costs.settings.ends()), 0.4, 0.5
        )
        steps = candidates.best(
            characters.read_character(armature),
            meeting_costs.settings,
            clips,
            meeting_costs.compared,
            limits,
            candidates.WantedPairs(self._wanted, self._fixed(meeting_costs), so_far=judged),
        )
        listed = yield from part(steps, 0.5, 1.0)
        self._keep(armature, listed)
        for note in costs.notes(meeting_costs.evaluated, limits if self.goal in ("PAIR", "PAIRS") else None):
            self.say(note)
        for note in candidates.notes(listed, limits.by):
            self.say(note)
        self._tell(listed[0])

    def describe_progress(self, context: Any, progress: float) -> str:
        if not self._judged:
            return super().describe_progress(context, progress)
        return translated(
            "{0}: {1} done. ESC keeps the best so far.", translated(self.bl_label), describe_part(progress)
        )

    def stopped(self, context: Any) -> set[str]:
        """Keep the best of the pairs that are judged by now, as ESC was pressed, report it, and return what
        the operator returns.

        As after a finished search, goal "PAIRS" lists the best pairs by :func:`search.keep`; any other puts
        cut and destination frame at the best one by :func:`search.put`, which may bake. Messages tell how
        many were judged, where the best is, its cost and its verdict's first sentence; {"FINISHED"} is
        returned.

        If none is judged yet, or the file has changed meanwhile, nothing is changed, a message says why, and
        {"CANCELLED"} is returned. So it is for any other InertiaError, as when baking fails; cut and frame
        may be set then.
        """
        if not self._judged:
            return super().stopped(context)
        try:
            self._footing.check()
            with self._footing.active():
                armature = context.object
                listed = candidates.best_so_far(self._judged, search.search_of(armature), self._wanted)
                self._keep(armature, listed)
        except InertiaError as error:
            return self.refuse(error)
        self.say("The search was stopped: the best of {count} pairs is kept.", count=len(self._judged))
        self._tell(listed[0])
        return {"FINISHED"}

    @property
    def _wanted(self) -> int:
        """How many pairs are asked for."""
        return self.count if self.goal == "PAIRS" else 1

    def _keep(self, armature: Any, listed: Sequence[Candidate]) -> None:
        """List the best pairs, or put the frames at the best one, as is asked for."""
        if self.goal == "PAIRS":
            search.keep(armature, listed)
        else:
            search.put(armature, listed[0])

    def _tell(self, best: Candidate) -> None:
        """Report where the best meeting is, what it costs, and, if it was judged, how it looks, as INFO."""
        self.say(
            "Cut {cut}, destination frame {destination_frame}: {cost}.",
            cut=words.number(best.cut),
            destination_frame=words.number(best.destination_frame),
            cost=words.cost_text(best.cost),
        )
        if best.verdict is not None:
            self.say(verdict.sentences(best.verdict)[0])

    def _fixed(self, meeting_costs: costs.PairCosts) -> candidates.Fixed:
        """Return the cut and the destination frame that a search keeps, None for one that is searched.

        goal "DESTINATION" keeps the cut: (cut, None); "CUT" keeps the entry: (None, frame); any other keeps
        neither: (None, None). Raise InertiaError if what is kept lies outside of its clip.
        """
        if self.goal == "DESTINATION":
            costs.check_inside(meeting_costs, 0)
            return meeting_costs.cut, None
        if self.goal == "CUT":
            costs.check_inside(meeting_costs, 1)
            return None, meeting_costs.destination_frame
        return None, None


class INERTIA_OT_step_pair(Tool, bpy.types.Operator):
    bl_idname = "inertia.step_pair"
    bl_label = "Next Pair"
    bl_description = NEXT
    needs = (
        tool.poll_settings,
        tool.need(lambda context: len(context.object.inertia_search.pairs), "Find the best pairs first"),
    )

    step: plain(IntProperty, "Step", "1 for the next pair, -1 for the one before", default=1)

    @classmethod
    def description(cls, _context: Any, properties: Any) -> str:
        return translations.tip(BEFORE if properties.step < 0 else NEXT)

    def act(self, context: Any) -> None:
        listed = context.object.inertia_search
        listed.active_pair = (listed.active_pair + self.step) % len(listed.pairs)
        if listed.problem:
            self.say(listed.problem, "ERROR")


class INERTIA_OT_select_bone(Tool, bpy.types.Operator):
    bl_idname = "inertia.select_bone"
    bl_label = "Select Bone"
    bl_description = (
        "Select this control alone, and make it the active one; where its bone collection is hidden, it is "
        "shown. Shift adds it to the selection"
    )
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}
    needs = (tool.poll_armature,)

    bone: plain(StringProperty, "Bone", "The bone to select, by the control that moves it now")
    extend: plain(BoolProperty, "Extend", "Keep the other bones selected")

    @classmethod
    def description(cls, _context: Any, properties: Any) -> str:
        """Return the tooltip with the whole name, of which the button may show a part."""
        return f"{properties.bone}\n{translations.tip(cls.bl_description)}"

    def invoke(self, context: Any, event: Any) -> set[str]:
        self.extend = event.shift
        return self.execute(context)

    def act(self, context: Any) -> None:
        armature = context.object
        if self.bone not in armature.pose.bones:
            raise InertiaError('"{armature}" has no bone "{bone}".', armature=armature.name, bone=self.bone)
        if not self.extend:
            for bone in armature.pose.bones:
                compat.select_bone(bone, state=False)
        control = armature.pose.bones[character.controls_of(armature, [self.bone])[self.bone]]
        shown = compat.reveal(control)
        compat.select_bone(control, state=True)
        armature.data.bones.active = control.bone
        if shown:
            self.say('The bone collection "{collection}" is shown now', collection=shown)


class INERTIA_OT_pick_meeting(Tool, bpy.types.Operator):
    bl_idname = "inertia.pick_meeting"
    bl_label = "Pick Frames"
    bl_description = (
        "Set the cut and the destination frame from the cost map, or one of them from a cost curve, a loop's "
        "frames from its map, or the join of a path that is looked at: press and drag. ESC puts them back"
    )
    bl_options = {"UNDO", "BLOCKING", "INTERNAL"}
    needs = (tool.poll_settings,)

    def invoke(self, context: Any, event: Any) -> set[str]:
        self._frame = context.scene.frame_float
        hit = build.hit_in(context, event.mouse_region_x, event.mouse_region_y)
        if hit is None:
            return {"PASS_THROUGH"}
        self._kind = hit[0]
        self._before = [(group, name, getattr(group, name)) for group, name in self._picked(context)]
        self._put(context, hit[1])
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: Any, event: Any) -> set[str]:
        if event.type in ("ESC", "RIGHTMOUSE") and event.value == "PRESS":
            for group, name, value in self._before:
                setattr(group, name, value)
            if context.scene.frame_float != self._frame:
                context.scene.frame_float = self._frame
            return {"CANCELLED"}
        if event.type == "LEFTMOUSE" and event.value == "RELEASE":
            return {"FINISHED"}
        if event.type == "MOUSEMOVE":
            hit = build.hit_in(context, event.mouse_region_x, event.mouse_region_y)
            if hit is not None and hit[0] == self._kind:
                self._put(context, hit[1])
        return {"RUNNING_MODAL"}

    def _picked(self, context: Any) -> list[tuple[Any, str]]:
        """Return the properties that a drag in the pressed plot may set, as (group, name) pairs; the groups
        belong to the context's active object.

        They depend on the kind of plot that `invoke` noted in `_kind`. "LOOP": loop_start and loop_end of
        inertia_loops. "JOIN": joined_at of inertia_path. All others ("CUT", "DESTINATION", "MAP"): cut,
        use_destination_frame and destination_frame of inertia, in this order, even if the drag sets only one
        of these. Nothing is set here.
        """
        if self._kind == "LOOP":
            return [(context.object.inertia_loops, name) for name in ("loop_start", "loop_end")]
        if self._kind == "JOIN":
            return [(context.object.inertia_path, "joined_at")]
        names = ("cut", "use_destination_frame", "destination_frame")
        return [(context.object.inertia, name) for name in names]

    def _put(self, context: Any, values: tuple[float, ...]) -> None:
        pair = context.object.inertia
        if self._kind in ("LOOP", "JOIN"):
            for (group, name), value in zip(self._picked(context), values, strict=True):
                setattr(group, name, value)
        if self._kind in ("CUT", "MAP"):
            pair.cut = values[0]
        if self._kind in ("DESTINATION", "MAP"):
            pair.destination_frame = values[-1]
            pair.use_destination_frame = True
        context.area.tag_redraw()


class INERTIA_OT_save_map(SavesFile, bpy.types.Operator):
    bl_idname = "inertia.save_map"
    bl_label = "Save Cost Map"
    bl_description = (
        "Draw the cost of every cut with every destination frame as a picture with axes and a legend, "
        "and save it as a PNG or SVG file or keep it as an image in this file"
    )
    needs = tool.POLL_PAIR

    filepath: plain(StringProperty, "File", "The PNG or SVG file to write", subtype="FILE_PATH")
    filter_glob: StringProperty(default="*.png;*.svg", options={"HIDDEN"})
    as_image: plain(
        BoolProperty,
        "As Image",
        "Keep the picture as an image in this file, in place of the one saved before",
    )
    kind: EnumProperty(name="Costs", description="What the map shows", items=MAP_ITEMS, default="EXACT")

    def offered(self, context: Any) -> tuple[str, str]:
        pair = context.object.inertia
        return f"{pair.source.name} to {pair.destination.name}", ".png"

    def invoke(self, context: Any, event: Any) -> set[str]:
        return (LongWork if self.as_image else SavesFile).invoke(self, context, event)

    def work(self, context: Any) -> Steps[None]:
        armature = context.object
        ending = None if self.filepath.lower().endswith(".svg") else ".png"
        path = None if self.as_image else self.path(ending)
        self.stands_on(armature.inertia.source, armature.inertia.destination)
        yield from costs.evaluate_steps(armature)
        meeting_costs = costs.costs_of(armature, to_show=False)
        cost_map, steps = meetings.start_map(meeting_costs.compared, self.kind)
        yield from steps
        best = [(pair.cut, pair.destination_frame) for pair in armature.inertia_search.pairs]
        current = (meeting_costs.cut, meeting_costs.destination_frame)
        drawing = chart.sheet([meetings.map_chart(cost_map, meeting_costs.evaluated.names, current, best)])
        if path is None:
            source, destination = meeting_costs.evaluated.names
            name = keep(picture_files.pixels(drawing), f"Cost of {source} to {destination}")
            self.say('The map is the image "{image}".', image=name)
        else:
            picture_files.save(drawing, path)
            self.say("The map is written to {path}.", path=path)


def keep(pixels: Any, name: str) -> str:
    """Store a picture as an image of the file, packed, and return the image's name.

    pixels: (height, width, 3 or more), 0 to 255, row 0 at the top; further channels are left out, and the
    image is opaque. name: an image by that name that was made here before is drawn anew, and resized if need
    be. Any other, or a linked one, stays, and a new one gets a free name; pass the returned name next time,
    else each call makes one more.
    """
    height, width = pixels.shape[:2]
    image = bpy.data.images.get(name)
    if image is None or not image.is_editable or MARK not in image:
        image = bpy.data.images.new(name, width, height)
        image[MARK] = True
    elif tuple(image.size) != (width, height):
        image.scale(width, height)
    rgba = np.ones((height, width, 4), np.float32)
    rgba[..., :3] = pixels[::-1, :, :3] / 255.0
    image.pixels.foreach_set(rgba.ravel())
    image.update()
    image.pack()
    return str(image.name)
