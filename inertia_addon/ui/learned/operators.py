# SPDX-License-Identifier: GPL-3.0-or-later
"""Trains the model of an armature, stops that, checks how far the model is from the clips, and bakes what it
plays along a path: of the active armature, or of all that are selected."""

from __future__ import annotations

import contextlib
import dataclasses
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import BoolProperty, StringProperty

from ...blender import files as blend_files
from ...blender.data import recipe, recipe_reader, result_kinds, scene
from ...blender.evaluation import character as characters
from ...blender.learned import bake, clips, crowd, files, follow, recipes
from ...blender.matching import followed
from ...errors import InertiaError
from ...motion.learned import checking, judging, steered
from ...motion.learned import material as learned_material
from ...motion.learned import training as motion_training
from ...motion.matching import coverage
from ...motion.steps import Steps, part
from ...settings.matching import OF_MODELS, PathSettings
from ...storage import places
from .. import translations
from ..cost.joint_list import weights_from
from ..matching import properties as paths
from ..shared import cache, made_of, tool, words
from ..shared.long_work import LongWork, describe_part
from ..shared.made_of import plain
from ..shared.tool import Tool
from ..transition import previewing, results
from ..transition.bake_operators import selected_armatures
from ..translations import translated
from . import models, training
from .models import settings_from

if TYPE_CHECKING:
    from ...blender.learned.crowd import Walker
    from ...blender.learned.follow import LearnedPath
    from ...blender.matching.bake import PathReport
    from ...motion.learned.model import Model

READ = 0.7
"""About what part of a check it is to read the clips."""
HAS_FILE = (
    tool.poll_settings,
    tool.poll_armature,
    tool.need(lambda context: context.object.inertia_learned.model, "Choose a file for the model first"),
)
IS_IDLE = tool.need(
    lambda context: training.find_running(context.object) is None,
    "The model is being trained; stop that first",
)
HAS_PATH = tool.need(lambda context: context.object.inertia_path.followed, "Choose what to follow first")


class INERTIA_OT_train_model(LongWork, bpy.types.Operator):
    bl_idname = "inertia.train_model"
    bl_label = "Train Model"
    bl_description = (
        "Read the actions that paths are followed with, and train a model of them in the background. An "
        "existing model stays until the new one is finished, then becomes a backup"
    )
    bl_options = {"REGISTER"}
    needs = (*HAS_FILE, IS_IDLE)

    resume: plain(
        BoolProperty, "Go On", "Go on with the training that was stopped, with its actions and settings"
    )

    _began = _training_seconds = 0.0

    def describe_progress(self, _context: Any, progress: float) -> str:
        """Return the status bar's text while actions are read, in Blender's language, such as "Reading the
        actions: 40%. Ready in about 7 minutes; ESC stops it".

        progress: the part of reading that is done, 0 to 1. The time is what is left of reading, by how long
        it took so far, and the training time; at progress 0 only the latter.
        """
        gone = time.monotonic() - self._began
        left = gone * (1.0 - progress) / progress if progress > 0.0 else 0.0
        ready = training.ready_text(left + self._training_seconds)
        return translated("Reading the actions: {0}. {1}; ESC stops it", describe_part(progress), ready)

    def work(self, context: Any) -> Steps[None]:
        self._began = time.monotonic()
        armature = context.object
        path = models.path_of(armature)
        _check_place(path)
        # what is no model is not to be replaced by one
        models.content(armature)
        stopped = models.stopped(armature)
        settings = settings_from(armature)
        if self.resume:
            if stopped is None:
                raise InertiaError(
                    '"{file}" has no stopped training to continue; train it again.', file=path.name
                )
            # for as long as is wanted now
            settings = dataclasses.replace(stopped.model.settings, minutes=settings.minutes)
        self._training_seconds = settings.seconds
        of_clips = models.clips_state(armature)
        self.stands_on(*models.clips_of(armature))
        material, skeleton = yield from clips.read_material_steps(armature, settings, weights_from(armature))
        anew = motion_training.Training(material, settings, skeleton)
        if self.resume and stopped is not None and stopped.held is not None:
            anew.resume(stopped.model, stopped.held)
        job = training.begin(armature, anew, path, of_clips)
        if job.fault is not None:
            raise job.fault
        if job.is_over:
            self.say('"{file}" is trained.', file=path.name)
            self._judge(models.trained(armature).model)
        else:
            self.say("Training on {frames} frames; you can go on using Blender.", frames=material.frames)
            if short := learned_material.short_of_time(material.frames, settings.minutes):
                self.say(short, "WARNING")

    def _judge(self, model: Model) -> None:
        """Say whether a model that was trained is usable."""
        said = judging.describe(model)
        if model.usability is not None and said is not None:
            self.say(said, "INFO" if model.usability.is_usable else "WARNING")


def _check_place(path: Path) -> None:
    """Raise InertiaError where a model can't be written to a path; nothing is written to find that out.

    That is, in the order of the checks: a path at which no file can be written, such as in a folder that is
    missing; the open .blend file, or one that it is read with, such as a library or picture; a file that is
    there and is no model; something else at the names of its draft and their backups, see
    :func:`files.check_place`; and a file to which a training that goes on is written, be it another
    armature's.
    """
    places.check(path)
    opened = [Path(bpy.data.filepath)] if bpy.data.filepath else []
    places.check_apart(path, [*opened, *blend_files.beside()])
    files.check_place(path)
    if training.is_written(path):
        raise InertiaError(
            '"{file}" is being trained for another armature; stop that first, or choose another name.',
            file=path.name,
        )


class INERTIA_OT_import_networks(Tool, bpy.types.Operator):
    bl_idname = "inertia.import_networks"
    bl_label = "Import Networks"
    bl_description = (
        "Write the model from a folder of networks that a game plays: decompressor.bin, stepper.bin, "
        "projector.bin, and features.bin if there is one"
    )
    bl_options = {"REGISTER"}
    needs = (*HAS_FILE, IS_IDLE)

    directory: plain(StringProperty, "Folder", "The folder that holds the networks", subtype="DIR_PATH")

    def invoke(self, context: Any, _event: Any) -> set[str]:
        """Ask for the folder; Blender goes on with :meth:`execute`."""
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def act(self, context: Any) -> None:
        """Write the armature's model from a folder of networks, and redraw windows.

        Reported are, as WARNING, what the model lacks, see :func:`follow.warnings_of`, and then, as INFO, the
        file and the ranges of speeds at which the model goes, m/s. A finished model that was there stays as a
        backup, under the file's name with "1" appended, a stopped training as that of its draft.

        Raise InertiaError, with the model as it was, without a folder or a file for the model, for networks
        that do not fit the armature, and where the model can't be written, see :func:`_check_place`; OSError
        where the networks can't be read.
        """
        armature, folder = context.object, Path(bpy.path.abspath(self.directory))
        if not self.directory or not folder.is_dir():
            raise InertiaError("Choose the folder that holds the networks.")
        path = models.path_of(armature)
        _check_place(path)
        model = clips.model_of(folder, characters.read_character(armature))
        files.save_imported(path, model)
        for text in follow.warnings_of(model):
            self.say(text, "WARNING")
        had = coverage.spoken(steered.gait_of(model).speeds)
        self.say('"{file}" is imported; it goes at {had} m/s.', file=path.name, had=had)
        cache.redraw()


class INERTIA_OT_stop_training(Tool, bpy.types.Operator):
    bl_idname = "inertia.stop_training"
    bl_label = "Stop Training"
    bl_description = "Stop the training, and keep what has been learned; it can go on later. ESC does so, too"
    bl_options = {"REGISTER"}
    needs = (tool.need(lambda context: training.all_going(), "No model of any armature is being trained"),)

    def act(self, context: Any) -> None:
        """Stop the active armature's training or, if that has none that goes on, all that go on, and report
        for each the name of the file in which what has been learned is kept.

        Raise the InertiaError of the first training that failed as it was stopped, such as because its file
        can't be written; those after it go on, and windows are not redrawn then.
        """
        all_going = training.all_going()
        active = context.object.session_uid if context.object is not None else None
        for uid in [active] if active in all_going else all_going:
            job = training.stop(uid)
            if job.fault is not None:
                raise job.fault
            self.say('What has been learned is kept in "{file}".', file=files.stopped_at(job.path).name)
        cache.redraw()

    def invoke(self, context: Any, event: Any) -> set[str]:
        """Stop the training; while a playback goes on, ESC only stops that."""
        if event.type == "ESC" and any(screen.is_animation_playing for screen in bpy.data.screens):
            return {"PASS_THROUGH"}
        return self.execute(context)


class INERTIA_OT_check_model(LongWork, bpy.types.Operator):
    bl_idname = "inertia.check_model"
    bl_label = "Check Model"
    bl_description = "Measure how far the model is from the clips that paths are followed with, clip by clip"
    bl_options = {"REGISTER"}
    needs = (*HAS_FILE, IS_IDLE)

    def work(self, context: Any) -> Steps[None]:
        armature = context.object
        model, path = models.trained(armature).model, models.path_of(armature)
        model.network("decompressor")
        mirror, root = model.settings.mirror, model.settings.root
        settings = dataclasses.replace(settings_from(armature), mirror=mirror, root=root)
        of_clips = models.clips_state(armature)
        self.stands_on(path, *models.clips_of(armature))
        steps = clips.read_material_steps(armature, settings, weights_from(armature))
        material, skeleton = yield from part(steps, 0.0, READ)
        with files.name_file_in_errors(str(path)):
            clips.check_legs(model, skeleton)
            check = yield from part(checking.steps(model, material), READ, 0.95)
            seen = yield from part(judging.judge_steps(model, material), 0.95, 1.0)
        models.keep_check(armature, path, of_clips, check, seen)
        cache.redraw()
        self.say(
            "The model's joints are {far:.2f} cm from the clips', and its bones {aside:.2f}° off.",
            far=check.whole.joints_cm,
            aside=check.whole.rotations_deg,
        )


def path_settings_from(armature: Any) -> PathSettings:
    """Return the settings of an armature's path as a model follows it: those in OF_MODELS, from its
    inertia_path, and how the result is baked, from its transition settings, see :func:`paths.joins_from`. All
    others, such as lists of clips, have their defaults.

    `curve` is the name of what is followed if that is a curve, else `target` is, and the other one "".
    `goals` are the path's, as texts. Raise InertiaError if nothing is followed, for a goal before the path
    begins, and for values that are out of range or don't go together.
    """
    path = armature.inertia_path
    if path.followed is None:
        raise InertiaError("Choose what to follow: draw a curve, or take an object that is animated.")
    return PathSettings(
        paths.joins_from(armature),
        **{"curve" if path.followed.type == "CURVE" else "target": path.followed.name},
        goals=paths.goals_of(path),
        **made_of.values_of(path, PathSettings, [name for name in paths.SETTINGS if name in OF_MODELS]),
    )


def tell(operator: Tool, context: Any, report: PathReport) -> None:
    """Report what was baked through an operator, warnings first, then its seconds, jumps and distance from
    the path.

    The context's active object must be the armature. If the action is assigned and the armature's show_result
    is on, the scene's preview range becomes the action's frames, and a playhead outside of it goes to its
    start.
    """
    learned = report.followed
    for warning in filter(None, (*learned.warnings, *report.warnings, report.not_assigned_because)):
        operator.say(warning, "WARNING")
    first, last = report.frame_range
    if report.assigned and context.object.inertia.show_result:
        results.show_between(context.scene, round(first), round(last))
    figures = follow.figures(learned)
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
    needs = (*HAS_FILE, HAS_PATH)

    replace: plain(
        BoolProperty,
        "In Its Place",
        "Update the earlier action along the same path, instead of adding another",
    )

    def work(self, context: Any) -> Steps[None]:
        armature = context.object
        previewing.end(stay=True)
        model, settings = models.trained(armature).model, path_settings_from(armature)
        asked, path = armature.inertia_path, models.path_of(armature)
        earlier = recipes.replaceable(armature, asked.followed, asked.result) if self.replace else None
        self.stands_on(asked.followed, earlier, path)
        # one of a crowd stays one
        beside = None if earlier is None else recipes.beside_of(earlier, settings.apart)
        steps = follow.follow_course_steps(
            model, settings, followed.course(settings), str(path.absolute()), beside
        )
        yield from _bake_steps(self, context, steps, earlier)


def _bake_steps(operator: LongWork, context: Any, steps: Steps[LearnedPath], into: Any) -> Steps[None]:
    """Follow a path, bake that, and say so."""
    learned = yield from part(steps, 0.0, crowd.FOLLOWED)
    report = yield from part(bake.bake_path_steps(context.object, learned, into), crowd.FOLLOWED, 1.0)
    tell(operator, context, report)


def anew(armature: Any, action: Any) -> str:
    """Return "bake_model", the operator that bakes a model's path anew in place, without "inertia.", if the
    panel's settings or the path of its model file differ from the action's own; else "".

    The result's name, whether it and other results are assigned, and how an entry is looked for don't count;
    nor does what is in the file. It is "" as well if nothing is followed, the action is not the path that a
    new bake of the panel would replace, or settings can't be read.
    """
    path = armature.inertia_path
    if path.followed is None or recipes.replaceable(armature, path.followed, path.result) != action:
        return ""
    with contextlib.suppress(InertiaError):  # what can't be asked for or read its own panel says
        known, asked = recipe_reader.read_recipe(action, recipe.LEARNED), path_settings_from(armature)
        stored, file = known.settings, Path(known.noted.get("model", ""))
        differs = results.differ(asked.as_dict(), stored.as_dict(), frozenset({"transition"}))
        joins, stored_joins = asked.transition.as_dict(), stored.transition.as_dict()
        is_another = models.path_of(armature).absolute() != file
        if is_another or differs or results.differ(joins, stored_joins, results.NOT_COMPARED):
            return "bake_model"
    return ""


results.add(result_kinds.LEARNED, results.ResultKind("Path by a Model", tell, anew=anew))


class INERTIA_OT_bake_crowd(LongWork, bpy.types.Operator):
    bl_idname = "inertia.bake_crowd"
    bl_label = "Bake Crowd"
    bl_description = (
        "Let all selected armatures of this skeleton follow their own paths, all with the active one's "
        "model; ESC stops it and changes nothing"
    )
    needs = (
        *HAS_FILE,
        tool.need(lambda context: len(selected_armatures(context)) > 1, "Select several armatures first"),
    )

    def work(self, context: Any) -> Steps[None]:
        previewing.end(stay=True)
        model = models.trained(context.object).model
        walkers, path = self._walkers(context, model), models.path_of(context.object)
        self.stands_on(path)
        for walker in walkers:
            self.stands_on(walker.armature, walker.armature.inertia_path.followed)
        for text in follow.warnings_of(model):
            self.say(text, "WARNING")
        baked = yield from crowd.bake_crowd_steps(model, walkers, str(path.absolute()))
        for _, report in baked:
            for warning in report.warnings:
                self.say(warning, "WARNING")
        self.say("{count} follow their paths.", count=words.count(len(walkers), "armature"))

    def _walkers(self, context: Any, model: Model) -> list[Walker]:
        """Return a walker for each selected armature that can follow its path, the active one first; report
        for each of the others, as a WARNING, that it was not changed and why.

        Where nobody is left nothing is reported, and the first one's InertiaError is raised.
        """
        walkers: list[Walker] = []
        left: list[tuple[Any, InertiaError]] = []
        for armature in selected_armatures(context):
            try:
                walkers.append(
                    crowd.walker(characters.read_character(armature), path_settings_from(armature), model)
                )
            except InertiaError as error:
                left.append((armature, error))
        if not walkers:
            raise left[0][1]
        for armature, refusal in left:
            why = translations.sentence(refusal.sentence, translations.report)
            self.say('"{armature}" was not changed: {why}', "WARNING", armature=armature.name, why=why)
        return walkers
