# SPDX-License-Identifier: GPL-3.0-or-later
"""What Inertia draws over Blender's editors: what to show, how it looks, and drawing it, each apart."""
