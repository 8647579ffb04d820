# SPDX-License-Identifier: GPL-3.0-or-later
"""``python -m inertia_addon``: the command line, where bpy is installed as a module."""

from .batch.command import run_as_program

if __name__ == "__main__":
    run_as_program()
