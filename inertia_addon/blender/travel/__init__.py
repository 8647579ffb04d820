# SPDX-License-Identifier: GPL-3.0-or-later
"""Travel of armatures: actions in place that are given the way their feet tell of, and the other way."""
