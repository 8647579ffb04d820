# SPDX-License-Identifier: GPL-3.0-or-later
"""Root motion: how an armature's root goes and turns, as numbers and pictures."""
