# SPDX-License-Identifier: GPL-3.0-or-later
"""The kinds of results: under which names actions keep what they have of their making."""

from __future__ import annotations

RECIPE = "inertia_recipe"
"""What a baked transition has of its making ..."""
HOP, PATH, LEARNED, FILL = "inertia_hop", "inertia_path", "inertia_learned", "inertia_fill"
"""... and in place of that a hop, what goes along a path, what a model has played, and what fills a gap."""
KINDS = (RECIPE, HOP, PATH, LEARNED, FILL)
LOOP, FINISH, FEET, KEYS, POPS, TRAVEL = "loop", "finish", "feet", "keys", "pops", "travel"
"""What the recipe of a rewritten action says that has rewritten it."""
WORDS = {RECIPE: "transition", HOP: "hop", PATH: "path", LEARNED: "model", FILL: "fill"}
"""What a reader calls those kinds whose own names are keys."""
