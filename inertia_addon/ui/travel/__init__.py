# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel that has the assigned action travel, or stay in place."""
