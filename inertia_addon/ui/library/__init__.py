# SPDX-License-Identifier: GPL-3.0-or-later
"""A list of transitions that are baked in the open file, or written as a spec for a batch."""
