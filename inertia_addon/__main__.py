# SPDX-License-Identifier: GPL-3.0-or-later
"""``python -m inertia_addon``: the command line, where bpy is installed as a module."""

import signal

if __name__ == "__main__":
    # until the program is at work, there is nothing to be said of an interrupt
    signal.signal(signal.SIGINT, signal.SIG_DFL)

    from .cli.program import run_as_program

    run_as_program()
