# SPDX-License-Identifier: GPL-3.0-or-later
"""What a start of Blender reads of the extension: what it registers, and of the rest next to nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.evaluation import joints
from inertia_addon.blender.judging import remedies
from inertia_addon.blender.root_motion import measure
from inertia_addon.motion.judging import faults
from inertia_addon.motion.root_motion import modes
from inertia_addon.motion.skeleton import naming
from inertia_addon.ui.cost import joint_list
from inertia_addon.ui.cost import panels as cost_panels
from inertia_addon.ui.judging import operators as judging_operators
from inertia_addon.ui.overlay.switches import plot_switches
from inertia_addon.ui.root_motion import panels as root_motion_panels
from inertia_addon.ui.root_motion import properties as root_motion_properties
from inertia_addon.ui.shared import drawing

ROOT = Path(__file__).parents[2]

START = """
import os
import sys
import bpy

# the module bpy has imported numpy, which a Blender that starts has not
sys.modules["numpy"] = None

from inertia_addon import registration
from inertia_addon.ui.overlay import handlers, mouse

registration.register()
handlers.sync()
bpy.ops.wm.read_homefile(use_factory_startup=True)
bpy.context.object.location.x = 1.0
handlers.draw_world()
handlers.draw_view3d()
handlers.draw_time_editor()
for group in (mouse.INERTIA_GGT_plots, mouse.INERTIA_GGT_plots_in_time, mouse.INERTIA_GGT_panels):
    group.poll(bpy.context)
bpy.context.view_layer.update()
bpy.context.scene.frame_set(5)
bpy.ops.wm.save_as_mainfile(filepath=sys.argv[1])
bpy.ops.wm.open_mainfile(filepath=sys.argv[1])

from inertia_addon.lazy_modules import is_read

for name, module in sorted(sys.modules.items()):
    if name.startswith("inertia_addon.") and is_read(module) and not hasattr(module, "__path__"):
        print("READ", name.partition(".")[2])
registration.unregister()
sys.stdout.flush()
os._exit(0)
"""
"""Blender starts, the extension is registered, and somebody works without it: what is read but packages. It
ends before Python does, as the module bpy of Blender 4.2 then crashes, once classes were registered."""

BELOW = {
    *("blender.data.compat", "blender.data.limb_list", "blender.data.result_kinds", "blender.data.scene"),
    *("motion.steps", "storage.file_kinds"),
}
"""What a start needs of the layers below: who knows Blender's versions, names, and types."""
AT_WORK = (
    *("_plot", ".plot", ".plots", "overlay.build", "overlay.drawing", "overlay.in_view", "overlay.layout"),
    *("overlay.protocol", ".finding", ".searching", ".live", ".outlook", ".costs"),
)
"""How the names of the window's modules end that draw, find or judge."""


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """The modules that a start reads, by their names within the package."""
    command = [sys.executable, "-c", START, tmp_path_factory.mktemp("start") / "saved.blend"]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return {line.split()[1] for line in said.stdout.splitlines() if line.startswith("READ")}


def test_a_start_reads_next_to_nothing_below_the_window(read: set[str]) -> None:
    assert "ui.transition.bake_operators" in read
    layers = ("blender.", "motion.", "plots.", "pages.", "tasks.", "batch.", "storage.", "console.", "cli.")
    assert {name for name in read if name.startswith(layers)} == BELOW


def test_a_start_reads_nothing_that_draws_plots_or_searches(read: set[str]) -> None:
    assert {name for name in read if name.startswith("ui.") and name.endswith(AT_WORK)} == set()


@pytest.mark.parametrize("call", ["enable", "disable"])
def test_python_collects_garbage_after_a_start_as_before(call: str) -> None:
    code = f"""
import gc, importlib.util, os, sys
import bpy
spec = importlib.util.spec_from_file_location("inertia", "__init__.py", submodule_search_locations=["."])
extension = sys.modules["inertia"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(extension)
gc.{call}()
extension.register()
print("COLLECTS", gc.isenabled(), bpy.types.Scene.bl_rna.properties.get("inertia_overlay") is not None)
extension.unregister()
sys.stdout.flush()
os._exit(0)
"""
    said = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert f"COLLECTS {call == 'enable'} True" in said.stdout


def test_plots_have_the_names_of_their_switches() -> None:
    assert {each.name: each.plot.name for each in plot_switches()} == {
        each.name: each.name for each in plot_switches()
    }


def first(items: object) -> list[str]:
    """The values of choices, or the keys of a table."""
    assert isinstance(items, dict | tuple)
    return [item if isinstance(item, str) else item[0] for item in items]


@pytest.mark.parametrize(
    ("stated", "meant"),
    [
        (joint_list.JOINTS_ITEMS, joints.CHOICES),
        (
            joint_list.ROLES,
            (naming.HIPS, naming.HEAD, naming.HAND, naming.FOOT, naming.OTHER),
        ),
        (root_motion_properties.AXIS_ITEMS, measure.AXES),
        (root_motion_properties.ESTIMATOR_ITEMS, measure.ESTIMATORS),
        (root_motion_panels.ESTIMATORS, measure.ESTIMATORS),
        (root_motion_panels.MODES, modes.NAMES),
        (drawing.RATINGS, faults.RATED),
        (cost_panels.REMEDY_ICONS, remedies.KINDS),
        (judging_operators.REMEDIES, remedies.KINDS),
    ],
)
def test_choices_that_the_window_states_are_those_of_the_layers_below(
    stated: object, meant: tuple[str, ...]
) -> None:
    """The window writes them down, so that a start need not read who acts on them."""
    assert first(stated) == list(meant)
