# SPDX-License-Identifier: GPL-3.0-or-later
"""Motion matching along a path: a database of clips, a search that looks ahead, and what it found."""
