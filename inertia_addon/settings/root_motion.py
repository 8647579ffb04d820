# SPDX-License-Identifier: GPL-3.0-or-later
"""How root motion is measured: one frozen record for the panel and the command line."""

from __future__ import annotations

from ..records import record
from . import fields
from .fields import Range, Record, setting


@record(frozen=True)
class Settings(Record):
    """How root motion is measured. least_travel: metres; a root that gets no further from where it began does
    not travel."""

    sustained_seconds: float = setting(
        0.5,
        fields.WINDOW,
        "how long the maximum speed has to be held, in seconds",
        flag="--sustained",
        label="sustained time",
        name="Sustained",
        step=10,
    )
    smoothing_seconds: float = setting(
        0.7,
        fields.WINDOW,
        "the window of the Savitzky-Golay filter of the curves, and of the search for ramps, in seconds",
        flag="--smoothing",
        label="smoothing window",
        name="Smoothing",
        tip="The window, in seconds, of the Savitzky-Golay filter that takes strides and swaying hips out of "
        "the curves and out of the search for ramps. Fits take the motion as it is",
    )
    peak_seconds: float = setting(
        0.0,
        fields.WINDOW,
        "the window for peak rates; 0 for one that suits each ramp, in seconds",
        flag="--peak-window",
        label="peak window",
        name="Peak Window",
        tip="The window, in seconds, over which peak accelerations and turn rates are taken; 0 for one that "
        "suits each ramp",
    )
    least_speed_change: float = setting(
        0.0,
        Range(0, 1000, "metres per second", soft_most=5),
        "a change of speed below this, in m/s, is no ramp (default: more than the sway of strides)",
        flag="--least-change",
        metavar="SPEED",
        label="least change of speed",
        name="Least Change",
        apart=True,
        tip="A change of speed below this, in metres per second, is not a ramp; nor is the sway of strides",
        step=10,
        precision=2,
    )
    least_turn: float = setting(
        20.0,
        fields.ANGLE,
        "a change of facing below this is no turn",
        name="Least Turn",
        tip="A change of facing below this angle is not a turn",
    )
    run_speed: float = setting(
        0.0,
        Range(0, 1000, "metres per second", soft_most=5),
        "from this speed on, in m/s, a character that travels ahead runs; 0 for one that suits its size",
        metavar="SPEED",
        label="speed of a run",
        name="Run From",
        apart=True,
        tip="From this speed on, in metres per second, a character that travels ahead runs, and does not "
        "walk; 0 for a speed that suits its size",
        step=10,
        precision=2,
    )
    least_travel: float = setting(0.0, fields.LENGTH)
