# SPDX-License-Identifier: GPL-3.0-or-later
"""Costs, as the animator sees them: properties, panels, operators and plots."""
