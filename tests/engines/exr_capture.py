"""Reads a picture with the OpenEXR library; called as: exr_capture.py PICTURE OUTPUT, which becomes an .npy."""

from __future__ import annotations

import sys

import numpy as np
import OpenEXR

with OpenEXR.File(sys.argv[1]) as file:
    (pixels,) = (one.pixels for name, one in file.channels().items() if name == "RGBA")
    np.save(sys.argv[2], pixels)
