# SPDX-License-Identifier: GPL-3.0-or-later
"""Charts by value, and files of them, from numpy alone.

A chart makes shapes in a place, in the colours and sizes of a theme. Files are drawn from these by ``svg``
and ``raster``, the overlays by the GPU.
"""
