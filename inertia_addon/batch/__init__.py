# SPDX-License-Identifier: GPL-3.0-or-later
"""Libraries of transitions: spec files, the jobs that they ask for, and who does them."""
