# SPDX-License-Identifier: GPL-3.0-or-later
"""Bakes what a model plays along a path: of the active armature, or of all that are selected."""

from __future__ import annotations

import dataclasses
from collections.abc import Generator, Sequence
from typing import Any

import bpy
from bpy.props import BoolProperty

from ...blender.data import actions, scene, unkeyed
from ...blender.learned import bake, clips, files, follow, recipes
from ...blender.learned.follow import Learned
from ...blender.matching import followed
from ...blender.matching.bake import PathReport
from ...errors import InertiaError
from ...motion.learned.model import Model
from ...motion.matching.targets import Timed
from ...motion.steps import part
from ...settings.matching import PathSettings
from .. import translations
from ..matching import properties as paths
from ..shared import common, made_of, words
from ..shared.common import Tool
from ..shared.long_work import LongWork
from ..shared.made_of import plain
from ..transition import after, crowd, previewing
from . import models

FOLLOWED = 0.3
"""About what part of a bake it is to follow the path."""
NEEDS = (
    common.poll_settings,
    common.poll_armature,
    common.need(lambda context: context.object.inertia_learned.model, "Choose a file for the model first"),
)
HAS_PATH = common.need(lambda context: context.object.inertia_path.followed, "Choose what to follow first")


def settings_from(armature: Any) -> PathSettings:
    """The settings of an armature's path as a model follows it: without clips. Raises InertiaError."""
    own = armature.inertia_path
    if own.followed is None:
        raise InertiaError("Choose what to follow: draw a curve, or take an object that is animated.")
    return PathSettings(
        paths.joins_from(armature),
        **{"curve" if own.followed.type == "CURVE" else "target": own.followed.name},
        **made_of.values_of(own, PathSettings, paths.SETTINGS),
    )


def tell(operator: Tool, context: Any, found: Learned, report: PathReport) -> None:
    """Say what was baked, and have the playback go along it."""
    for warning in report.warnings:
        operator.say(warning, "WARNING")
    first, last = report.frame_range
    if report.assigned and context.object.inertia.show_result:
        after.play_between(context.scene, round(first), round(last))
    figures = follow.figures(found)
    operator.say(
        '"{action}" is baked: {seconds:.1f} s, {projections}; {rms} from the path (rms).',
        action=report.result,
        seconds=figures["seconds"],
        projections=words.count(figures["cuts"], "projection"),
        rms=scene.length_text(figures["path_rms_m"]),
    )


class INERTIA_OT_bake_model(LongWork, bpy.types.Operator):
    bl_idname = "inertia.bake_model"
    bl_label = "Bake Path with Model"
    bl_description = (
        "Make a new action that goes along the path as the model plays it, without the clips: with the "
        "settings of the panel Path, and a key on every frame"
    )
    needs = (*NEEDS, HAS_PATH)

    replace: plain(
        BoolProperty,
        "In Its Place",
        "Make the earlier action along the same path anew, rather than another one beside it",
    )

    def work(self, context: Any) -> Generator[float, None, None]:
        armature = context.object
        previewing.end(stay=True)
        model, settings = models.trained(armature).model, settings_from(armature)
        own = armature.inertia_path
        earlier = recipes.replaceable(armature, own.followed, own.result) if self.replace else None
        file = str(models.path_of(armature).absolute())
        steps = follow.following(model, settings, followed.course(settings), file)
        found = yield from part(steps, 0.0, FOLLOWED)
        report = yield from part(bake.baking(armature, found, earlier), FOLLOWED, 1.0)
        tell(self, context, found, report)


class INERTIA_OT_rebake_model(LongWork, bpy.types.Operator):
    bl_idname = "inertia.rebake_model"
    bl_label = "Rebake with Model"
    bl_description = (
        "Make the assigned action anew in its place, with the model and the settings that it was baked with: "
        "as when what it follows has changed, or the model was trained on"
    )
    needs = (
        common.poll_armature,
        common.need(
            lambda context: recipes.assigned_result(context.object),
            "Assign an action that was baked with a model first",
        ),
    )

    def work(self, context: Any) -> Generator[float, None, None]:
        armature = context.object
        previewing.end(stay=True)
        action = recipes.assigned_result(armature)
        settings, path = recipes.recipe_of(action)
        try:
            model = files.load(path).model
        except OSError as error:
            raise models.unreadable(path, error) from error
        steps = follow.following(model, settings, followed.course(settings), str(path))
        found = yield from part(steps, 0.0, FOLLOWED)
        report = yield from part(bake.baking(armature, found, action), FOLLOWED, 1.0)
        tell(self, context, found, report)


class INERTIA_OT_bake_crowd(LongWork, bpy.types.Operator):
    bl_idname = "inertia.bake_crowd"
    bl_label = "Bake Crowd"
    bl_description = (
        "Let all selected armatures of this skeleton follow their own paths, all with the active one's "
        "model; ESC stops it, and leaves all as it was"
    )
    needs = (
        *NEEDS,
        common.need(lambda context: len(crowd.chosen(context)) > 1, "Select several armatures first"),
    )

    def work(self, context: Any) -> Generator[float, None, None]:
        previewing.end(stay=True)
        model = models.trained(context.object).model
        those, asked = self._asked(context, model)
        file = str(models.path_of(context.object).absolute())
        found = yield from part(follow.together(model, asked, file), 0.0, FOLLOWED)
        standing = [unkeyed.of(armature) for armature in those]
        made: list[Any] = []
        try:
            for i, (armature, one) in enumerate(zip(those, found, strict=True)):
                begin, end = (FOLLOWED + (1.0 - FOLLOWED) * (i + k) / len(those) for k in (0, 1))
                report = yield from part(bake.baking(armature, one), begin, end)
                made.append(actions.find(report.result))
                for warning in report.warnings:
                    self.say(warning, "WARNING")
        except BaseException:
            for action in made:
                bpy.data.actions.remove(action)
            raise
        for armature, action, values in zip(those, made, standing, strict=True):
            bake.assign(armature, action, values)
        self.say("{count} follow their paths.", count=words.count(len(those), "armature"))

    def _asked(self, context: Any, model: Model) -> tuple[Sequence[Any], list[tuple[PathSettings, Timed]]]:
        """Who follows what; says who is left out and why. Raises InertiaError where nobody is left."""
        those, asked = [], []
        left: list[tuple[Any, InertiaError]] = []
        for armature in crowd.chosen(context):
            try:
                clips.check_fits(model, armature)
                settings = settings_from(armature)
                # they are assigned when all of them are there
                joins = dataclasses.replace(settings.transition, assign=False)
                settings = dataclasses.replace(settings, transition=joins)
                asked.append((settings, follow.wanted(model, settings, followed.course(settings))))
                those.append(armature)
            except InertiaError as error:
                left.append((armature, error))
        if not those:
            raise left[0][1]
        for armature, why in left:
            said = translations.sentence(why.sentence, translations.report)
            self.say('"{armature}" was left as it was: {why}', "WARNING", armature=armature.name, why=said)
        return those, asked


CLASSES = common.tools(globals())
