# SPDX-License-Identifier: GPL-3.0-or-later
"""Inertia, a Blender extension: inertialized transitions between two actions."""


def register() -> None:
    from .inertia_addon import registration

    registration.register()


def unregister() -> None:
    from .inertia_addon import registration

    registration.unregister()
