# SPDX-License-Identifier: GPL-3.0-or-later
"""Saves the cost map as a picture: a file, or an image of this Blender file."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import bpy
import numpy as np
from bpy.props import BoolProperty, EnumProperty, StringProperty

from ....blender.cost import costing, map_picture
from ....blender.files import picture_files
from ....plots.chart import sheet
from ...shared import common
from ...shared.long_work import LongWork, SavesFile
from .. import costs
from ..map_plot import MAP_ITEMS

MARK = "inertia_cost_map"
"""Marks the images that may be drawn anew."""


class INERTIA_OT_save_map(SavesFile, bpy.types.Operator):
    bl_idname = "inertia.save_map"
    bl_label = "Save Cost Map"
    bl_description = (
        "Draw the cost of every cut with every destination frame as a picture with axes and a legend, "
        "and save it as a PNG or SVG file or keep it as an image in this file"
    )
    bl_options = {"REGISTER", "UNDO"}

    filepath: StringProperty(
        name="File", description="The PNG or SVG file to write", subtype="FILE_PATH", options={"SKIP_SAVE"}
    )
    filter_glob: StringProperty(default="*.png;*.svg", options={"HIDDEN"})
    as_image: BoolProperty(
        name="As Image",
        description="Keep the picture as an image in this file, in place of the one saved before",
        default=False,
        options={"SKIP_SAVE"},
    )
    kind: EnumProperty(name="Costs", description="What the map shows", items=MAP_ITEMS, default="EXACT")

    @classmethod
    def poll(cls, context: Any) -> bool:
        return common.poll_settings(cls, context) and common.poll_actions(cls, context)

    def offered(self, context: Any) -> tuple[str, str]:
        own = context.object.inertia
        return f"{own.source.name} to {own.destination.name}", ".png"

    def invoke(self, context: Any, event: Any) -> set[str]:
        return (LongWork if self.as_image else SavesFile).invoke(self, context, event)

    def work(self, context: Any) -> Generator[float, None, None]:
        armature = context.object
        ending = None if self.filepath.lower().endswith(".svg") else ".png"
        path = None if self.as_image else self.path(ending)
        yield from costs.evaluating(armature)
        found = costs.of(armature, to_show=False)
        made, steps = costing.start_map(found.compared, self.kind == "EXACT")
        yield from steps
        best = [(pair.cut, pair.destination_frame) for pair in armature.inertia_search.pairs]
        current = (found.cut, found.destination_frame)
        drawing = sheet([map_picture.chart(made, found.evaluated.names, current, best)])
        if path is None:
            name = keep(
                picture_files.pixels(drawing),
                f"Cost of {found.evaluated.names[0]} to {found.evaluated.names[1]}",
            )
            common.say(self, "INFO", 'The map is the image "{image}".', image=name)
        else:
            picture_files.save(drawing, path)
            common.say(self, "INFO", "The map is written to {path}.", path=path)


def keep(pixels: Any, name: str) -> str:
    """Make a picture (h, w, 3) of 0 to 255 an image of the file, or its namesake; returns its name."""
    height, width = pixels.shape[:2]
    image = bpy.data.images.get(name)
    if image is None or not image.is_editable or MARK not in image:
        image = bpy.data.images.new(name, width, height)
        image[MARK] = True
    elif tuple(image.size) != (width, height):
        image.scale(width, height)
    rgba = np.ones((height, width, 4), np.float32)
    rgba[..., :3] = pixels[::-1, :, :3] / 255.0
    image.pixels.foreach_set(rgba.ravel())
    image.update()
    image.pack()
    return str(image.name)
