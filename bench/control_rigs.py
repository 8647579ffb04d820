# SPDX-License-Identifier: GPL-3.0-or-later
"""How smooth transitions on control rigs are, against the same motion on a plain deform skeleton.

    python bench/control_rigs.py [--rig NAME ...] [--case NAME ...]

Rigify generates its own rigs, and their controls are animated with sparse Bezier keys: limbs by IK and by FK,
in several spaces. Each case is baked on the controls; then what Blender shows of both clips is keyed on a
plain armature of the deform bones, without a constraint, on every half frame, and baked there with the same
settings and the same rigid motion. Printed is the highest change of joint velocity in the window, half frames
with it, over the highest of the clips' own: of the joint that changes most, and as the root of the mean
square over all joints, each with controls and on the plain skeleton; and how often as high the first is as
the second. Exits with 1 where that is more than 1.2.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import io
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bpy

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests import rigify_character
from tests.blender.control_clips import Look, animate
from tests.blender.plain_skeleton import Pair
from tools import tables

RIGS = ("human", "basic_human", "cat", "bird", "horse", "basic_quadruped")
BOUND = 1.2
"""A transition with controls is smooth where it changes velocity by at most so much of a plain skeleton's."""
COLUMNS = ("rig", "case", "joint: controls", "plain", "all joints: controls", "plain", "ratio", "worst")


@dataclasses.dataclass(frozen=True)
class Case:
    """A transition between two looks."""

    name: str
    source: Look
    destination: Look
    cut: float = 20.0
    entry: float = 12.0


def cases() -> Iterator[Case]:
    """All cases."""
    for travels in ("root", "torso"):
        for yaw in (0.0, 0.8):
            name = f"same IK, {travels} travels" + (" and turns" if yaw else "")
            yield Case(name, Look(travels, yaw), Look(travels, -0.5 * yaw))
    yield Case("same FK", Look(yaw=0.8, fk=True), Look(yaw=-0.4, fk=True))
    yield Case("same poles", Look(yaw=0.8, pole=True), Look(yaw=-0.4, pole=True))
    for travels in ("root", "torso"):
        for name, here, there in (
            ("IK_parent root to torso", {"parent": 1}, {"parent": 2}),
            ("IK_parent torso to root", {"parent": 2}, {"parent": 1}),
            ("pole_vector on", {"pole": False}, {"pole": True}),
            ("pole_vector off", {"pole": True}, {"pole": False}),
        ):
            yield _case(f"{name}, {travels} travels", travels, here, there)
    yield _case("torso_parent off", "root", {"torso": True}, {"torso": False})
    yield _case("torso_parent on", "root", {"torso": False}, {"torso": True})
    yield _case("Child Of on", "root", {"child": 0.0}, {"child": 1.0})
    yield _case("Child Of off", "root", {"child": 1.0}, {"child": 0.0})
    for hidden in (True, False):
        state = "animated" if hidden else "at rest"
        for travels in ("root", "torso"):
            fk, ik = ({"fk": on, "hidden": hidden} for on in (True, False))
            yield _case(f"FK to IK, hidden {state}, {travels} travels", travels, fk, ik)
            yield _case(f"IK to FK, hidden {state}, {travels} travels", travels, ik, fk)
    left, right = {"fk": "mixed", "hidden": False}, {"fk": "other", "hidden": False}
    yield _case("FK and IK change sides", "root", left, right)
    full = {"fk": False, "parent": 2, "pole": True, "hidden": False}
    bare = {"fk": True, "parent": 1, "pole": False, "hidden": False}
    for travels in ("root", "torso"):
        yield _case(f"all off to on, {travels} travels", travels, bare, full)
        yield _case(f"all on to off, {travels} travels", travels, full, bare)
    for at in ((20.5, 12.0), (20.0, 12.5), (20.5, 12.5)):
        yield _case(f"FK to IK at {at[0]:g} and {at[1]:g}", "root", {"fk": True, "hidden": False}, {}, *at)
    yield _case("IK_parent at 20.5 and 12", "root", {"parent": 1}, {"parent": 2}, 20.5)
    yield _case("IK to FK at 20.5 and 12", "root", {}, {"fk": True}, 20.5)
    yield _case("same IK at 20.5 and 12", "torso", {}, {}, 20.5)


def _case(
    name: str,
    travels: str,
    here: dict[str, Any],
    there: dict[str, Any],
    cut: float = 20.0,
    entry: float = 12.0,
) -> Case:
    return Case(name, Look(travels, 0.8, **here), Look(travels, -0.4, **there), cut, entry)


def generated(kind: str, folder: Path) -> Any:
    """The rig that Rigify generates of one of its metarigs."""
    path = rigify_character.generated(folder / f"{kind}.blend", kind, "bare")
    with contextlib.redirect_stdout(io.StringIO()):
        bpy.ops.wm.open_mainfile(filepath=str(path))
    return bpy.data.objects["rig"]


def rows(kind: str, rig: Any, names: tuple[str, ...]) -> Iterator[tuple[str, bool]]:
    """A rig's rows of the table, and whether each is smooth."""
    pair = Pair(rig)
    clips: dict[tuple[Look, str], Any] = {}
    for case in cases():
        if not case.name.startswith(names):
            continue
        for look, side in ((case.source, "source"), (case.destination, "destination")):
            if (look, side) not in clips:
                clips[look, side] = animate(rig, f"{side} {len(clips)}", look, is_source=side == "source")
        ends = (clips[case.source, "source"], clips[case.destination, "destination"])
        found = pair.measure(*ends, case.cut, case.entry)
        is_smooth = found.ratio <= BOUND
        figures = [f"{figure:.2f}" for figure in (*found.one, *found.all, found.ratio)]
        worst = "" if is_smooth else f"{found.joint} at {found.when:+g}"
        yield tables.row([kind, case.name, *figures, worst]), is_smooth


def main() -> int:
    """Print the table and a verdict."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rig", nargs="+", choices=RIGS, default=list(RIGS))
    parser.add_argument(
        "--case", nargs="+", default=[""], help="only cases whose names begin like one of these"
    )
    arguments = parser.parse_args()
    print("\n".join(tables.heads(COLUMNS)), flush=True)
    smooth: list[bool] = []
    with tempfile.TemporaryDirectory() as folder:
        for kind in arguments.rig:
            for line, is_smooth in rows(kind, generated(kind, Path(folder)), tuple(arguments.case)):
                print(line, flush=True)
                smooth.append(is_smooth)
    print(
        f"\nWith controls joints change their velocity by at most {BOUND:g} times what they do on the plain "
        f"skeleton in {sum(smooth)} of {len(smooth)} cases."
    )
    return 0 if all(smooth) else 1


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    # bpy 4.2 may crash at the interpreter's end
    os._exit(code)
