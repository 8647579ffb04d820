# SPDX-License-Identifier: GPL-3.0-or-later
"""Root motion: speed and facing, and the springs that would move a root so."""
