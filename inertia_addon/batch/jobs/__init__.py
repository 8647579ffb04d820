# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs, which are tasks with their files, and how specs ask for each kind: its lists, with their schema, and
how jobs are made of their entries.

One more kind is a ``Section`` and its name in ``requests``. What a spec asks for is checked without Blender.
"""
