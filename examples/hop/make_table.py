# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes a table of hops between all clips of the example's humanoid, and a picture of what they save.

    python examples/hop/make_table.py [-o FOLDER]

Writes clips.blend, hops.npz and hops.png into the folder. Needs a Python that has bpy.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from inertia_addon.blender.files import picture_files
from inertia_addon.plots.chart import sheet
from inertia_addon.plots.line_chart import ChartSeries, LineChart
from inertia_addon.plots.shapes import Drawing

ROOT = Path(__file__).resolve().parents[2]
SHOWN = (("Run", "Idle"), ("Turn", "Run"), ("Idle", "Walk"))
"""The pairs in the picture."""


def make_table(folder: Path) -> str:
    """Write the clips, and the table of all pairs; returns what the command says."""
    clips = ROOT / "examples" / "humanoid" / "make_clips.py"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run(
        [sys.executable, str(clips), "-o", str(folder / "clips.blend")],
        check=True,
        stdout=subprocess.DEVNULL,
        env=environment,
    )
    words = ["hop", "clips.blend", "--all-pairs", "Idle", "Walk", "Run", "Turn"]
    words += ["--cycles", "Idle", "Walk", "Run", "--table", "hops.npz"]
    command = [sys.executable, "-m", "inertia_addon", *words]
    return subprocess.run(
        command, check=True, stdout=subprocess.PIPE, text=True, env=environment, cwd=folder
    ).stdout


def picture(path: Path) -> Drawing:
    """What direct transitions and the best ways cost over the trigger frames, a chart for each pair."""
    with np.load(path) as data:
        about, table = json.loads(str(data["about"])), data["table"]
        cost, direct = data["cost"], data["direct"]
    names = [clip["name"] for clip in about["clips"]]
    charts = []
    for source, destination in SHOWN:
        ends = names.index(source), names.index(destination)
        pair = next(p for p in about["pairs"] if (p["source"], p["destination"]) == ends)
        rows = slice(pair["rows"][0], sum(pair["rows"]))
        frames = about["clips"][ends[0]]["first_frame"] + np.arange(pair["rows"][1])
        won = table[rows, 0][np.isfinite(cost[rows])].tolist()
        wins = sorted({"direct" if clip < 0 else names[clip] for clip in won})
        charts.append(
            LineChart(
                series=[
                    ChartSeries("direct", frames, direct[rows]),
                    ChartSeries(f"best, by way of {', '.join(wins)}", frames, cost[rows]),
                ],
                title=f"{source} to {destination}",
                x_label="trigger frame",
                y_label=f"cost, {about['unit']}",
                y_range=(0.0, 1.15 * float(direct[rows][np.isfinite(direct[rows])].max())),
                size=(700, 150),
            )
        )
    return sheet(charts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", type=Path, default=Path("build/hop"), help="default: build/hop")
    folder = parser.parse_args().output
    folder.mkdir(parents=True, exist_ok=True)
    print(make_table(folder.resolve()), end="")
    picture_files.save(picture(folder / "hops.npz"), folder / "hops.png")


if __name__ == "__main__":
    main()
