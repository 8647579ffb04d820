# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel on models: trained on the path's actions, and how far they are from these."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...blender.learned import follow
from ...errors import InertiaError
from ...motion.learned import judging
from ...settings.learned import LearnSettings
from ..matching.panels import PathPanel
from ..shared import drawing, forms, labels, long_work, words
from ..shared.drawing import PanelPart, split
from ..transition.bake_operators import selected_armatures
from ..translations import translated
from . import loss_plot, models, training

if TYPE_CHECKING:
    from ...motion.learned.checking import ClipError, ModelCheck
    from ...motion.learned.model_file import Content
    from ...motion.learned.usability import Usability
    from .training import TrainingJob

MIRRORED = " (mirrored)"
"""How the names of mirror images end in a model."""
WORST = 8
"""So many clips are listed, those that the model is furthest from."""


class LearnedPanel(PanelPart):
    """Teaches a model the path's actions; it plays without them."""

    bl_label = "Learned"
    parent = PathPanel
    is_pipeline = True
    poll = PathPanel.poll

    def draw(self, context: Any) -> None:
        layout, armature = split(self.layout), context.object
        layout.prop(armature.inertia_learned, "model")
        try:
            models.path_of(armature)
            job = training.find_running(armature)
            if job is not None:
                draw_training(layout, job)
            else:
                draw_model(layout, context, armature)
        except InertiaError as error:
            drawing.sentence(layout, context, words.PanelLine(error.sentence))
        row = layout.row()
        row.use_property_split = False
        row.prop(context.scene.inertia_overlay, "losses", text="Show Losses", icon="OVERLAY", toggle=True)


def draw_training(layout: Any, job: TrainingJob) -> None:
    """Draw how far a training is: a bar with the stage and the part that is done, such as "Poses: 45%", and
    behind it a button that runs inertia.stop_training.

    The stage is one of NAMES, or "Checking" while the job looks at how far it came. Below stands when it will
    be ready, such as "Ready in about 7 minutes; ESC stops it"; not while that is not known.
    """
    row = layout.row(align=True)
    stage = translated(
        "Checking" if job.is_checking else loss_plot.NAMES[min(job.training.stage, len(loss_plot.NAMES) - 1)]
    )
    row.progress(factor=job.done, text=translated("{0}: {1}", stage, long_work.describe_part(job.done)))
    row.operator("inertia.stop_training", text="", icon="X")
    left = job.seconds_left
    if left is not None:
        layout.label(text=translated("{0}; ESC stops it", training.ready_text(left)), translate=False)


def draw_model(layout: Any, context: Any, armature: Any) -> None:
    """Draw how the armature's model is trained, what it is like, and what bakes the path with it.

    From above:

    - Why the last training had to end, in red, if it failed; the settings of the training.
    - Buttons: "Go On Training" if there is a stopped one (inertia.train_model with `resume`),
      "Train Model" or, with a model in the file, "Train Again" (without), and
      inertia.import_networks.
    - With a model: its :func:`model_facts`, whether it is usable, and a note if the offsets and
      scales of its features had to be found.
    - If it has a compressor and a decompressor: how far it is from the clips, see
      :func:`draw_check`.
    - If it has a projector: inertia.bake_model, with `replace` off, and, where several
      armatures are selected, how far a crowd keeps apart and inertia.bake_crowd.

    Raise InertiaError, with nothing drawn, if no file is chosen, or it is no model of this skeleton.
    """
    content = models.content(armature)
    job = training.last_job(armature)
    if job is not None and job.fault is not None:
        drawing.sentence(layout, context, words.PanelLine(job.fault.sentence, "ERROR", alert=True))
    forms.draw(layout, armature.inertia_learned, LearnSettings, models.SETTINGS)
    row = layout.row(align=True)
    if models.stopped(armature) is not None:
        row.operator("inertia.train_model", text="Go On Training", icon="FILE_REFRESH").resume = True
    text = "Train Model" if content is None else "Train Again"
    row.operator("inertia.train_model", text=text, icon="PLAY").resume = False
    layout.operator("inertia.import_networks", icon="IMPORT")
    if content is None:
        return
    drawing.facts(layout, context, model_facts(content))
    draw_usability(layout, context, content, models.recall_usability(armature))
    if content.model.has_found_norms:
        drawing.sentence(layout, context, words.PanelLine(follow.FOUND, "INFO"))
    # what a game plays has nothing that finds the latents of clips
    if content.model.compressor is not None and content.model.decompressor is not None:
        draw_check(layout, context, armature, models.check_of(armature))
    if content.model.projector is None:
        return
    row = layout.row(align=True)
    row.scale_y = 1.5
    row.operator("inertia.bake_model", icon="CURVE_PATH").replace = False
    count = len(selected_armatures(context))
    if count > 1:
        drawing.split(layout).prop(armature.inertia_path, "apart")
        text = translated("Bake a Crowd of {0}", count)
        layout.operator("inertia.bake_crowd", text=text, icon="COMMUNITY", translate=False)


def draw_usability(layout: Any, context: Any, content: Content, usability: Usability | None) -> None:
    """Draw in a sentence whether a model is usable, in red if not; nothing where neither usability nor the
    model says.

    usability: how it was seen to play these clips; None for what the model itself says.
    """
    usability = usability or content.model.usability
    said = judging.describe(content.model, usability)
    if usability is None or said is None:
        return
    line = (
        words.PanelLine(said, "CHECKMARK")
        if usability.is_usable
        else words.PanelLine(said, "ERROR", alert=True)
    )
    drawing.sentence(layout, context, line)


def model_facts(content: Content) -> list[tuple[str, str]]:
    """Return pairs of label and text on a model, in Blender's language but for what the model itself says.

    - "Learned from": "12 clips, 3400 frames", or "A game's networks" for a model without a
      compressor, which comes from a game.
    - "Size": what the networks that play take (decompressor, stepper and projector), in
      millions of bytes, such as "1.2 MB"; not the size of the file.
    - "Licence" and "Origin", each if it has one.
    - "Training", "Stopped on the way", if its training was stopped and can go on.
    """
    model = content.model
    clips = translated("{0} clips, {1} frames", len(model.clips), model.frames)
    if model.compressor is None:
        clips = translated("A game's networks")
    rows = [(translated("Learned from"), clips), (translated("Size"), f"{model.bytes() / 1e6:.1f} MB")]
    for label, text in (("Licence", model.settings.licence), ("Origin", model.settings.source)):
        if text:
            rows.append((translated(label), text))
    if content.held is not None:
        rows.append((translated("Training"), translated("Stopped on the way")))
    return rows


def draw_check(layout: Any, context: Any, armature: Any, check: ModelCheck | None) -> None:
    """Draw the button that checks a model, inertia.check_model, and what came of it.

    Below it are the :func:`check_facts`, then, under "Furthest from the Model", a row for each clip of
    :func:`worst`, with its action's label and its error, such as "0.42 cm, 0.8°". If check is None, a
    sentence with a warning icon says instead that this is not known.
    """
    layout.operator("inertia.check_model", icon="CHECKMARK")
    if check is None:
        line = words.PanelLine(
            "It is not known how far the model is from the clips; check it first.", "ERROR"
        )
        drawing.sentence(layout, context, line)
        return
    drawing.facts(layout, context, check_facts(check))
    column = layout.column(align=True)
    column.label(text="Furthest from the Model")
    rows = [(labels.action(armature, clip), error_text(error)) for clip, error in worst(check)]
    drawing.facts(column, context, rows)


def worst(check: ModelCheck) -> list[tuple[str, ClipError]]:
    """Return (clip, error) of at most WORST clips that a model is furthest from, the furthest first, by the
    joints' mean distance.

    A clip and its mirror image are one, under the clip's name, with the error of the one that is further
    away, whose own name may be that of the mirror image.
    """
    by_clip: dict[str, ClipError] = {}
    for error in sorted(check.clips, key=lambda error: -error.joints_cm):
        by_clip.setdefault(error.clip.removesuffix(MIRRORED), error)
    return list(by_clip.items())[:WORST]


def error_text(error: ClipError) -> str:
    """Format the error of a clip: ``0.42 cm, 0.8°``."""
    # joined, as it has nothing to translate
    return ", ".join((f"{error.joints_cm:.2f} cm", f"{error.rotations_deg:.1f}°"))


def check_facts(check: ModelCheck) -> list[tuple[str, str]]:
    """Return pairs of label and text, the labels translated, on how far a model is from all clips together.

    - "How Far Off": the means over joints and rotations, such as "0.42 cm, 0.8°".
    - "At 99 %": of joints, such as "1.5 cm".
    - "Contacts": the part that is right, such as "97.5%".
    - For each number of steps in drift_cm, "20 Steps": how far they drift, such as "3.1 cm";
      none where drift_cm is None.
    - "Jumps", unless projector_cm is None: how far they are from the nearest frame, with any
      frame's distance to compare, such as "2.0 cm (any frame 14.0 cm)".

    Lengths are in centimetres whatever the scene's unit.
    """
    whole = check.whole
    rows = [
        (translated("How Far Off"), error_text(whole)),
        (translated("At 99 %"), f"{whole.joints_p99_cm:.1f} cm"),
        (translated("Contacts"), f"{whole.contacts:.1%}"),
    ]
    for frames, far in (check.drift_cm or {}).items():
        rows.append((translated("{0} Steps", frames), f"{far:.1f} cm"))
    if check.projector_cm is not None:
        jumps, any_frame = f"{check.projector_cm:.1f} cm", f"{check.random_cm:.1f} cm"
        rows.append((translated("Jumps"), translated("{0} (any frame {1})", jumps, any_frame)))
    return rows


PARTS = (LearnedPanel,)
