# SPDX-License-Identifier: GPL-3.0-or-later
"""The costs' operators, one tool a file."""
