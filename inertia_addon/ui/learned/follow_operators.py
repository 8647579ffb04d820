# SPDX-License-Identifier: GPL-3.0-or-later
"""Bakes what a model plays along a path: of the active armature, or of all that are selected."""

from __future__ import annotations

import contextlib
from collections.abc import Generator
from typing import Any

import bpy
from bpy.props import BoolProperty

from ...blender.data import recipe, scene
from ...blender.learned import bake, crowd, follow, recipes
from ...blender.learned.crowd import Walker
from ...blender.learned.follow import Learned
from ...blender.matching import followed
from ...blender.matching.bake import PathReport
from ...errors import InertiaError
from ...motion.learned.model import Model
from ...motion.steps import part
from ...settings.matching import OF_MODELS, PathSettings
from .. import translations
from ..matching import properties as paths
from ..shared import made_of, tool, words
from ..shared.long_work import LongWork
from ..shared.made_of import plain
from ..shared.tool import Tool
from ..transition import after, previewing, results
from ..transition.bake_operators import selected_armatures
from . import models

NEEDS = (
    tool.poll_settings,
    tool.poll_armature,
    tool.need(lambda context: context.object.inertia_learned.model, "Choose a file for the model first"),
)
HAS_PATH = tool.need(lambda context: context.object.inertia_path.followed, "Choose what to follow first")


def settings_from(armature: Any) -> PathSettings:
    """The settings of an armature's path as a model follows it: without clips. Raises InertiaError."""
    own = armature.inertia_path
    if own.followed is None:
        raise InertiaError("Choose what to follow: draw a curve, or take an object that is animated.")
    return PathSettings(
        paths.joins_from(armature),
        **{"curve" if own.followed.type == "CURVE" else "target": own.followed.name},
        goals=paths.goals_of(own),
        **made_of.values_of(own, PathSettings, [name for name in paths.SETTINGS if name in OF_MODELS]),
    )


def tell(operator: Tool, context: Any, found: Learned, report: PathReport) -> None:
    """Say what was baked, and have the playback go along it."""
    for warning in (*found.warnings, *report.warnings):
        operator.say(warning, "WARNING")
    first, last = report.frame_range
    if report.assigned and context.object.inertia.show_result:
        after.show_between(context.scene, round(first), round(last))
    figures = follow.figures(found)
    operator.say(
        '"{action}" is baked: {seconds:.1f} s, {jumps}; {rms} from the path (rms).',
        action=report.result,
        seconds=figures["seconds"],
        jumps=words.count(figures["cuts"], "jump"),
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
        "Update the earlier action along the same path, instead of adding another",
    )

    def work(self, context: Any) -> Generator[float, None, None]:
        armature = context.object
        previewing.end(stay=True)
        model, settings = models.trained(armature).model, settings_from(armature)
        own, path = armature.inertia_path, models.path_of(armature)
        earlier = recipes.replaceable(armature, own.followed, own.result) if self.replace else None
        self.stands_on(own.followed, earlier, path)
        # one of a crowd stays one
        beside = None if earlier is None else recipes.beside_of(earlier, settings.apart)
        course, file = followed.course(settings), str(path.absolute())
        steps = follow.following(model, settings, course, file, beside)
        found = yield from part(steps, 0.0, crowd.FOLLOWED)
        report = yield from part(bake.baking(armature, found, earlier), crowd.FOLLOWED, 1.0)
        tell(self, context, found, report)


def rebake(operator: LongWork, context: Any, action: Any) -> Generator[float, None, None]:
    """Follow a path anew, as it is now, with the model as it is now."""
    armature = context.object
    settings, path = recipes.recipe_of(action)
    model, path, is_another = recipes.model_of(action, path, armature)
    if is_another:
        operator.say(
            'The model "{file}" has changed since "{action}" was baked; its current version plays.',
            "WARNING",
            file=path.name,
            action=action.name,
        )
    operator.stands_on(path)
    beside = recipes.beside_of(action)
    steps = follow.following(model, settings, followed.course(settings), str(path), beside)
    found = yield from part(steps, 0.0, crowd.FOLLOWED)
    report = yield from part(bake.baking(armature, found, action), crowd.FOLLOWED, 1.0)
    tell(operator, context, found, report)


def anew(armature: Any, action: Any) -> str:
    """The operator that bakes a model's path anew, where the panel's settings are others than its own."""
    own = armature.inertia_path
    if own.followed is None or recipes.replaceable(armature, own.followed, own.result) != action:
        return ""
    with contextlib.suppress(InertiaError):  # what can't be asked for or read its own panel says
        asked, (stored, path) = settings_from(armature), recipes.recipe_of(action)
        own_differ = results.differ(asked.as_dict(), stored.as_dict(), frozenset({"transition"}))
        joins = asked.transition.as_dict(), stored.transition.as_dict()
        is_another = models.path_of(armature).absolute() != path
        if is_another or own_differ or results.differ(*joins, results.NOT_COMPARED):
            return "bake_model"
    return ""


results.add(recipe.LEARNED, results.Kind("Path by a Model", rebake, anew=anew))


class INERTIA_OT_bake_crowd(LongWork, bpy.types.Operator):
    bl_idname = "inertia.bake_crowd"
    bl_label = "Bake Crowd"
    bl_description = (
        "Let all selected armatures of this skeleton follow their own paths, all with the active one's "
        "model; ESC stops it and changes nothing"
    )
    needs = (
        *NEEDS,
        tool.need(lambda context: len(selected_armatures(context)) > 1, "Select several armatures first"),
    )

    def work(self, context: Any) -> Generator[float, None, None]:
        previewing.end(stay=True)
        model = models.trained(context.object).model
        those, path = self._walkers(context, model), models.path_of(context.object)
        self.stands_on(path)
        for one in those:
            self.stands_on(one.armature, one.armature.inertia_path.followed)
        file = str(path.absolute())
        made = yield from crowd.baking(model, those, file)
        for _, report in made:
            for warning in report.warnings:
                self.say(warning, "WARNING")
        self.say("{count} follow their paths.", count=words.count(len(those), "armature"))

    def _walkers(self, context: Any, model: Model) -> list[Walker]:
        """Who follows what; says who is left out and why. Raises InertiaError where nobody is left."""
        those: list[Walker] = []
        left: list[tuple[Any, InertiaError]] = []
        for armature in selected_armatures(context):
            try:
                those.append(crowd.walker(armature, settings_from(armature), model))
            except InertiaError as error:
                left.append((armature, error))
        if not those:
            raise left[0][1]
        for armature, why in left:
            said = translations.sentence(why.sentence, translations.report)
            self.say('"{armature}" was not changed: {why}', "WARNING", armature=armature.name, why=said)
        return those
