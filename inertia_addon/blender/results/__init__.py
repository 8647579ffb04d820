# SPDX-License-Identifier: GPL-3.0-or-later
"""What is done with results of any kind: they are made anew."""
