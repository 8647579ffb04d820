# SPDX-License-Identifier: GPL-3.0-or-later
"""Inertia, a Blender extension: inertialized transitions between two actions."""


def register() -> None:
    import gc

    collects = gc.isenabled()
    # nearly all that is made here stays: to look for what does not takes a sixth of a start
    gc.disable()
    try:
        from .inertia_addon import registration

        registration.register()
    finally:
        if collects:
            gc.enable()


def unregister() -> None:
    from .inertia_addon import registration

    registration.unregister()
