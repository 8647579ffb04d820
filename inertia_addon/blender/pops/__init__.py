# SPDX-License-Identifier: GPL-3.0-or-later
"""Pops of an action: where its bones jump beyond what they do elsewhere, and the action without that."""
