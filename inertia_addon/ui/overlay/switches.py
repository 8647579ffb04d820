# SPDX-License-Identifier: GPL-3.0-or-later
"""What a scene can have switched on of the overlays: plots, which are read and made once they are on."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...records import record


@record(eq=False)
class PlotSwitch:
    """A plot that a scene can have switched on.

    name: of the switch, a property of the scene's ``inertia_overlay``, and of the plot's part of an overlay.
    label, description: of the switch; context: for Blender's own words in another sense. make: returns the
    plot. details: further properties by name, each with a label for the popover and what makes it. mode: of
    the tab, in which the plot shows; that of its room's panels. is_on_at_first: whether a scene shows it
    before anybody switches it.
    """

    name: str
    label: str
    description: str
    make: Callable[[], Any]
    context: str | None = None
    details: Mapping[str, tuple[str, Callable[..., Any], Mapping[str, Any]]] = dataclasses.field(
        default_factory=dict
    )
    mode: str = ""
    is_on_at_first: bool = False
    made: Any = None

    @property
    def plot(self) -> Any:
        """The plot, an ``OverlayPlot``, which is the same one from the first time on."""
        if self.made is None:
            self.made = self.make()
        return self.made


_switches: list[PlotSwitch] = []


def use_switches(switches: Sequence[PlotSwitch]) -> None:
    """Have the overlays show the plots of these, in this order."""
    _switches[:] = switches


def plot_switches() -> tuple[PlotSwitch, ...]:
    return tuple(_switches)


def is_on(scene: Any) -> bool:
    """Tell whether a scene has any plot switched on."""
    return any(getattr(scene.inertia_overlay, each.name) for each in _switches)


def forget_plots() -> None:
    """Have the plots that were made drop what they keep between redraws."""
    for each in _switches:
        if each.made is not None:
            each.made.forget()
