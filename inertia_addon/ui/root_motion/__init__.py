# SPDX-License-Identifier: GPL-3.0-or-later
"""Root motion, as the animator sees it: properties, panels, operators and plots."""
