# SPDX-License-Identifier: GPL-3.0-or-later
"""Trains the model of an armature, stops that, and checks how far the model is from the clips."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Generator
from pathlib import Path
from typing import Any

import bpy
from bpy.props import BoolProperty

from ...blender import files as blend_files
from ...blender.learned import clips, files
from ...errors import InertiaError
from ...motion.learned import checking
from ...motion.learned.material import short_of_time
from ...motion.learned.training import Training
from ...motion.steps import part
from ...settings.learned import LearnSettings
from ...storage import places
from ..cost.joint_list import weights_from
from ..shared import cache, tool
from ..shared.long_work import LongWork
from ..shared.made_of import plain
from ..shared.tool import Tool
from ..translations import translated
from . import models, training
from .properties import settings_from

READ = 0.7
"""About what part of a check it is to read the clips."""
NEEDS = (
    tool.poll_settings,
    tool.poll_armature,
    tool.need(lambda context: context.object.inertia_learned.model, "Choose a file for the model first"),
    tool.need(
        lambda context: training.going(context.object) is None, "The model is being trained; stop that first"
    ),
)


class INERTIA_OT_train_model(LongWork, bpy.types.Operator):
    bl_idname = "inertia.train_model"
    bl_label = "Train Model"
    bl_description = (
        "Read the actions that paths are followed with, and train a model of them in the background. An "
        "existing model stays until the new one is finished, then becomes a backup"
    )
    bl_options = {"REGISTER"}
    needs = NEEDS

    resume: plain(
        BoolProperty, "Go On", "Go on with the training that was stopped, with its actions and settings"
    )

    _began = 0.0

    def told(self, context: Any, done: float) -> str:
        """When the model will be ready, as reading its actions goes and it is asked to be trained."""
        gone = time.monotonic() - self._began
        left = gone * (1.0 - done) / done if done > 0.0 else 0.0
        ready = training.ready_text(left + settings_from(context.object).seconds)
        return translated("Reading the actions: {0}. {1}; ESC stops it", f"{done:.0%}", ready)

    def work(self, context: Any) -> Generator[float, None, None]:
        self._began = time.monotonic()
        armature = context.object
        path = models.path_of(armature)
        _check_place(path)
        # what is no model is not to be replaced by one
        models.content(armature)
        known = models.stopped(armature)
        settings = settings_from(armature)
        if self.resume:
            settings = _settings_of(known, settings, path)
        of_clips = models.clips_state(armature)
        self.stands_on(*models.clips_of(armature))
        weights = weights_from(armature)
        material, skeleton = yield from clips.reading(armature, settings, weights)
        own = Training(material, settings, skeleton)
        if self.resume and known is not None and known.held is not None:
            own.resume(known.model, known.held)
        job = training.begin(armature, own, path, of_clips)
        if job.fault is not None:
            raise job.fault
        if job.is_over:
            self.say('"{file}" is trained.', file=path.name)
        else:
            self.say("Training on {frames} frames; you can go on using Blender.", frames=material.frames)
            if short := short_of_time(material.frames, settings.minutes):
                self.say(short, "WARNING")


def _settings_of(known: Any, wanted: LearnSettings, path: Path) -> LearnSettings:
    """Those of the training that was stopped, for as long as is wanted now. Raises InertiaError."""
    if known is None:
        raise InertiaError('"{file}" has no stopped training to continue; train it again.', file=path.name)
    return dataclasses.replace(known.model.settings, minutes=wanted.minutes)


def _check_place(path: Path) -> None:
    """Raise InertiaError where a model can't be written."""
    places.check(path)
    opened = [Path(bpy.data.filepath)] if bpy.data.filepath else []
    places.check_apart(path, [*opened, *blend_files.beside()])
    files.check_place(path)
    if training.is_written(path):
        raise InertiaError(
            '"{file}" is being trained for another armature; stop that first, or choose another name.',
            file=path.name,
        )


class INERTIA_OT_stop_training(Tool, bpy.types.Operator):
    bl_idname = "inertia.stop_training"
    bl_label = "Stop Training"
    bl_description = "Stop the training, and keep what has been learned; it can go on later. ESC does so, too"
    bl_options = {"REGISTER"}
    needs = (tool.need(lambda context: training.all_going(), "No model of any armature is being trained"),)

    def act(self, context: Any) -> None:
        """Stop the active armature's training, or any other."""
        all_going = training.all_going()
        own = context.object.session_uid if context.object is not None else None
        for uid in [own] if own in all_going else all_going:
            job = training.stop(uid)
            if job.fault is not None:
                raise job.fault
            self.say('What has been learned is kept in "{file}".', file=files.stopped_at(job.path).name)
        cache.redraw()

    def invoke(self, context: Any, event: Any) -> set[str]:
        """The key that stops the playback does no more than that while there is one."""
        if event.type == "ESC" and any(screen.is_animation_playing for screen in bpy.data.screens):
            return {"PASS_THROUGH"}
        return self.execute(context)


class INERTIA_OT_check_model(LongWork, bpy.types.Operator):
    bl_idname = "inertia.check_model"
    bl_label = "Check Model"
    bl_description = "Measure how far the model is from the clips that paths are followed with, clip by clip"
    bl_options = {"REGISTER"}
    needs = NEEDS

    def work(self, context: Any) -> Generator[float, None, None]:
        armature = context.object
        model = models.trained(armature).model
        model.network("decompressor")
        own = settings_from(armature)
        settings = dataclasses.replace(own, mirror=model.settings.mirror, root=model.settings.root)
        of_clips = models.clips_state(armature)
        self.stands_on(models.path_of(armature), *models.clips_of(armature))
        steps = clips.reading(armature, settings, weights_from(armature))
        material, skeleton = yield from part(steps, 0.0, READ)
        with files.naming(str(models.path_of(armature))):
            clips.check_legs(model, skeleton)
            found = yield from part(checking.steps(model, material), READ, 1.0)
        models.keep_check(armature, models.path_of(armature), of_clips, found)
        cache.redraw()
        self.say(
            "The model's joints are {far:.2f} cm from the clips', and its bones {aside:.2f}° off.",
            far=found.whole.joints_cm,
            aside=found.whole.rotations_deg,
        )
