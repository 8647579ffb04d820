# SPDX-License-Identifier: GPL-3.0-or-later
"""What a game does with a table of hops: look up the trigger frame. Needs numpy only, and ten lines.

python examples/hop/read_table.py hops.npz Run Idle 24
"""

import json
import sys

import numpy as np


def look_up(path, source, destination, frame):
    with np.load(path) as data:
        about, table = json.loads(str(data["about"])), data["table"]
    names = [clip["name"] for clip in about["clips"]]
    ends = names.index(source), names.index(destination)
    pair = next(p for p in about["pairs"] if (p["source"], p["destination"]) == ends)
    row = pair["rows"][0] + round(frame - about["clips"][ends[0]]["first_frame"])
    clip, offset, stay_in_source, stay_in_clip = table[row].tolist()
    return names[clip] if clip >= 0 else None, offset, stay_in_source, stay_in_clip


if __name__ == "__main__":
    clip, offset, stay_in_source, stay_in_clip = look_up(*sys.argv[1:4], float(sys.argv[4]))
    if stay_in_source < 0:
        print("there is no way from here")
    elif clip is None:
        print(f"wait {stay_in_source} frames and blend into the destination")
    else:
        print(f"wait {stay_in_source} frames, blend into {clip} at its frame {offset} from the first,")
        print(f"stay {stay_in_clip} frames more when that is done, blend into the destination")
