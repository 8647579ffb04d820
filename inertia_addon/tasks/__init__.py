# SPDX-License-Identifier: GPL-3.0-or-later
"""Features as their doors see them, one a file: from what is asked for, by value, to what came of it."""
