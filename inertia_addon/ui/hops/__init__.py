# SPDX-License-Identifier: GPL-3.0-or-later
"""Hops, as the animator sees them: properties, panel, operators and plot."""
