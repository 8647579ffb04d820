# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the pictures in docs/, three of them animated, in a Blender that has a window.

Those of the guide's stories are not among them: tests/window/test_guide.py takes them while it plays these.

    python tools/screenshots.py --blender /path/to/blender -o docs

Blender opens, poses for the pictures and closes; nothing of yours is read or changed, as it runs with an
empty user folder. What it does there is in ``tools/screenshots_inside.py``.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
INSIDE = ROOT / "tools" / "screenshots_inside.py"
SIZE = (1600, 900)
ANIMATED = {"workflow": (1200, 675), "follow": (1200, 675), "take": (1200, 675)}
"""The size of those that are no single picture; they are shown as they are."""
README = [
    *ANIMATED,
    "cost",
    "offsets",
    "root_motion",
    "feet_locked",
    "feet_ground",
    "hops",
    "goals",
    "obstacles",
    "fill",
    "fill_wishes",
    "learned",
    "crowd",
    "finish",
    "travel",
    "travel_root",
    "travel_way",
    "controls",
    "nla",
]
SHOTS = [*README, "modes", "unfolded", "details"]


def main() -> None:
    """Take the pictures that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--blender", type=Path, required=True, help="a Blender that can open a window")
    parser.add_argument("-o", "--output", type=Path, required=True, help="the folder the pictures go to")
    parser.add_argument("--shots", nargs="+", choices=SHOTS, default=README, help=f"of {', '.join(SHOTS)}")
    parser.add_argument("--language", default="en_US", help="Blender's code of the interface's language")
    parser.add_argument("--theme", choices=("dark", "light"), default="dark", help="of Blender's own")
    parser.add_argument("--ui-scale", type=float, default=0.0, help="0 for the one that each picture has")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    for shot in options.shots:
        ending = ".gif" if shot in ANIMATED else ".png"
        picture = options.output.resolve() / f"{shot}{ending}"
        take(options.blender, [shot, options.language, options.theme, str(options.ui_scale)], picture)


def take(blender: Path, wanted: list[str], picture: Path) -> None:
    """Take one picture, of a shot, in a language, a theme and a UI scale; ends the program where Blender
    failed to.
    """
    with tempfile.TemporaryDirectory(prefix="inertia-screenshot-") as user:
        environment = {**os.environ, "BLENDER_USER_RESOURCES": user}
        geometry = ["--window-geometry", "0", "0", *map(str, ANIMATED.get(wanted[0], SIZE))]
        # Blender may run in a file tree of its own that shares only /tmp: it writes beside its user folder.
        draft = Path(user) / f"shot{picture.suffix}"
        command = [
            str(blender),
            "--factory-startup",
            *geometry,
            # a take is steered by keys that are pressed
            *(["--enable-event-simulate"] if wanted[0] == "take" else []),
            "--python",
            str(INSIDE),
            "--",
            *wanted,
            str(draft),
        ]
        result = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300
        )
        if not draft.is_file() or "Traceback" in result.stdout + result.stderr:
            sys.exit(f"{blender} took no picture:\n{result.stdout}{result.stderr}")
        picture.write_bytes(draft.read_bytes())
    print(picture)


if __name__ == "__main__":
    main()
