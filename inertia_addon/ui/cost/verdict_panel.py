# SPDX-License-Identifier: GPL-3.0-or-later
"""What will be seen of the transition, in the panel: always as high, so that nothing below it jumps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...blender.data import scene
from ...blender.judging import remedies, verdict
from ...blender.judging.remedies import Remedy
from ...blender.judging.verdict import Fault, Verdict
from ...errors import Sentence
from .. import translations
from ..judging import live
from ..judging.live import Told
from ..shared import drawing, labels, words
from ..shared.labels import ICON, measure_for, room_for, wrap
from ..translations import translated
from .joint_list import controls_of

LINES = 5
"""So many lines of text the verdict has, whatever it says ..."""
BUTTONS = remedies.MOST
"""... and so many rows below it what helps."""
REMEDY_ICONS = {
    remedies.LENGTH: "TIME",
    remedies.FEET: "CON_KINEMATIC",
    remedies.PAIR: "ARROW_LEFTRIGHT",
    remedies.MATCH: "FILE_REFRESH",
}

Line = tuple[str, str, Fault | None]
"""A text, its icon, and the fault that is gone to beside it."""


def draw_verdict(layout: Any, context: Any, armature: Any) -> None:
    """What will be seen of the transition: its rating and its faults, each of which can be clicked, and what
    helps."""
    found = live.current(armature)
    column = layout.column(align=True)
    column.active = found.is_current
    text = column.column(align=True)
    text.scale_y = 0.8
    lines = _fitting(context, list(_sentences(found, armature)))
    for line, icon, fault in lines:
        row = text.row(align=True)
        row.label(text=line, icon=icon, translate=False)
        if fault is not None:
            draw_way_to(row, fault)
    draw_figures(text, found, LINES - len(lines))
    buttons = column.column(align=True)
    # what helped other settings does not help these
    buttons.enabled = found.is_current
    draw_helps(buttons, found)


def draw_figures(layout: Any, found: Told, count: int) -> None:
    """What was measured, in so many lines, whatever there is."""
    figures = [] if found.fault or found.verdict is None else _figures(found.verdict)
    for label, value in (figures + [("", "")] * count)[:count]:
        row = layout.split(factor=drawing.LABELS)
        left = row.row()
        left.alignment, left.active = "RIGHT", False
        left.label(text=label, translate=False)
        row.label(text=value, translate=False)


def draw_way_to(row: Any, fault: Fault) -> None:
    """A button that goes to a fault."""
    to = row.operator("inertia.go_to_fault", text="", icon="TRACKER", emboss=False)
    to.bone, to.frame = fault.bone, fault.frame


def draw_told(column: Any, context: Any, armature: Any, told: Verdict) -> None:
    """The verdict on what is baked: its rating and its faults, each of which can be clicked."""
    for text, icon, fault in _told(told, armature):
        row = column.row(align=True)
        drawing.sentence(row.column(), context, words.Line(text, icon))
        if fault is not None:
            draw_way_to(row, fault)


def draw_helps(layout: Any, found: Told) -> None:
    """What helps, each a button; or what there is in its place."""
    helps = () if found.fault or found.verdict is None or not found.verdict.faults else found.helps
    rows = 0
    if found.fault and found.needs_operator:
        layout.operator("inertia.judge", icon="HIDE_OFF")
        rows = 1
    elif helps is None:
        drawing.label(layout, translated("Looking for what helps"))
        rows = 1
    for remedy in helps or ():
        draw_remedy(layout, remedy)
        rows += 1
    for _ in range(BUTTONS - rows):
        layout.label(text="")


def draw_remedy(layout: Any, remedy: Remedy) -> None:
    """A button that changes what helps."""
    text = translations.sentence(remedy.sentence)
    use = layout.operator("inertia.use_remedy", text=text, icon=REMEDY_ICONS[remedy.kind], translate=False)
    use.kind = remedy.kind
    use.seen = " ".join(map(translations.sentence, verdict.sentences(remedy.verdict)))
    for name, value in remedy.change.items():
        setattr(use, name, value)


def _figures(told: Verdict) -> list[tuple[str, str]]:
    """The measures that tell most, each with its label."""
    found = [(translated("Pop"), translated("{0} times the clips'", f"{told.highest.ratio:.1f}"))]
    lengths = (("Skate", told.skate), ("Lift", told.lift), ("Reach", told.reach))
    return found + [
        (translated(label), scene.length_text(value)) for label, value in lengths if value is not None
    ]


def _sentences(found: Told, armature: Any) -> Iterator[tuple[Sentence | str, str, Fault | None]]:
    """What there is to say, each with its icon, and the fault that it is about."""
    if found.fault:
        yield found.fault, "INFO", None
    elif found.verdict is None:
        yield "Looking at it", "TIME", None
    else:
        yield from _told(found.verdict, armature)


def _told(told: Verdict, armature: Any) -> Iterator[tuple[Sentence | str, str, Fault | None]]:
    called = controls_of(armature, [fault.bone for fault in told.faults])
    called = {bone: labels.bone(armature, name) for bone, name in called.items()}
    first, *others = verdict.sentences(told, called)
    yield first, drawing.RATINGS[told.rating], told.faults[0] if told.faults else None
    for hint in verdict.hints(told):
        yield hint, "BLANK1", None
    for fault, text in zip(told.faults[1:], others, strict=False):
        yield text, "BLANK1", fault


def _fitting(context: Any, sentences: list[tuple[Sentence | str, str, Fault | None]]) -> list[Line]:
    """The lines of the sentences that have room: of the first as many as there are, of others all or none."""
    lines: list[Line] = []
    for text, icon, fault in sentences:
        room = room_for(context, 1.0, ICON if fault is None else 2.0 * ICON)
        pieces = wrap(translations.sentence(text), room, measure_for(context))
        if lines and len(lines) + len(pieces) > LINES:
            break
        lines += [
            (piece, "BLANK1" if i else icon, None if i else fault) for i, piece in enumerate(pieces[:LINES])
        ]
    return lines
