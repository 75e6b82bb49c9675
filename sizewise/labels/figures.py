"""Rotated rectangles, ellipses and circles as points, and back: a resize may make another figure of them."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from .document import Shape, fail

Points = NDArray[np.float64]
MAX_ERROR = 0.5  # output pixels by which a figure may differ from the one that is written


def circle_points(points: Points) -> Points:
    """Return the center of a circle and the ends of two radii at a right angle, given the center and one end."""
    center, end = points
    x, y = end - center
    return np.stack([center, end, center + np.array([-y, x])])


def circle(shape: Shape, name: str) -> Points:
    """Return the center and one end of a mapped circle; raise FileError if it has become an ellipse."""
    center, end, other = shape.points
    first, second = math.dist(center, end), math.dist(center, other)
    if abs(first - second) > MAX_ERROR:
        found = f"the circle becomes an ellipse with radii of {first:.4g} and {second:.4g} pixels"
        raise fail(name, shape.where, f"{found}, which the format does not have; keep the aspect, or make it a polygon")
    return np.stack([center, end])


def ellipse(shape: Shape) -> tuple[float, float, float, float]:
    """Return center and radii of an upright ellipse that was mapped."""
    (x, y), right, down = shape.points
    return float(x), float(y), float(right[0] - x), float(down[1] - y)


def rectangle_points(left: float, top: float, right: float, bottom: float, degrees: float) -> Points:
    """Return the corners of a rectangle rotated clockwise about its center."""
    center = np.array([(left + right) / 2, (top + bottom) / 2])
    away = np.array([[left, top], [right, top], [right, bottom], [left, bottom]]) - center
    cos, sin = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    turned: Points = away @ np.array([[cos, sin], [-sin, cos]]) + center
    return turned


def rectangle(shape: Shape, name: str) -> tuple[float, float, float, float, float]:
    """Return left, top, right, bottom and degrees of corners; raise FileError if they are not a rectangle's."""
    center = shape.points.mean(axis=0)
    across, down = shape.points[1] - shape.points[0], shape.points[3] - shape.points[0]
    width, height = float(np.hypot(*across)), float(np.hypot(*down))
    degrees = math.degrees(math.atan2(across[1], across[0])) % 360
    left, top = center[0] - width / 2, center[1] - height / 2
    sides = float(left), float(top), float(left + width), float(top + height)
    error = np.abs(rectangle_points(*sides, degrees) - shape.points).max()
    if error > MAX_ERROR:
        raise fail(
            name,
            shape.where,
            f"the rotated box is no rectangle after this resize: its corners would be off by {error:.3g} pixels; keep "
            "the aspect, or make it a polygon",
        )
    return *sides, degrees
