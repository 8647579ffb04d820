# SPDX-License-Identifier: GPL-3.0-or-later
"""The transition's operators, one tool a file."""
