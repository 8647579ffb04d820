# SPDX-License-Identifier: GPL-3.0-or-later
"""What capture and generators leave undone: noise, stalls, a floor that is not flat, feet that skate."""
