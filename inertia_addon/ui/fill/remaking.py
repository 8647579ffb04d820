# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes a filled gap anew."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from ...blender.data import recipe
from ...blender.fill import bake
from ..shared.long_work import LongWork
from ..transition import results


def rebake(operator: LongWork, context: Any, action: Any) -> Generator[float, None, None]:
    """Fill a gap anew in place, with the settings that it was baked with."""
    uid = action.session_uid
    report = yield from bake.rebaking(context.object, action)
    operator.has_changed(uid)
    for text in report.warnings:
        operator.say(text, "WARNING")
    operator.say('"{action}" fills its gap again.', action=report.result)


results.add(recipe.FILL, results.Kind("Fill", rebake))
