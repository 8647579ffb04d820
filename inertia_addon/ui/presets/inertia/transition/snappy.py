# SPDX-License-Identifier: GPL-3.0-or-later
import bpy

own = bpy.context.object.inertia
own.method, own.quintic_start = "QUINTIC", "SOFT"
own.decomposition, own.velocity, own.guard = "ROTATION_VECTOR", "RELATIVE", "OFF"
render = bpy.context.scene.render
own.blend_time = round(0.2 * render.fps / render.fps_base)
