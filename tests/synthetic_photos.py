"""Twenty small images that look natural: seeded textures, text, edges, gradients, and all of that together."""

from __future__ import annotations

import numpy as np
from PIL import Image, ImageDraw

KINDS = ("texture", "text", "edges", "gradient", "scene")


def texture(height: int, width: int, random: np.random.Generator) -> np.ndarray:
    """Colors whose spectrum falls as 1/f, as that of photographs does."""
    rows, columns = np.fft.fftfreq(height)[:, None] * height, np.fft.fftfreq(width) * width
    fall = 1 / np.maximum(np.hypot(rows, columns), 1)
    planes = [np.fft.ifft2(np.fft.fft2(random.standard_normal((height, width))) * fall).real for _ in range(3)]
    gray = sum(planes)
    image = np.stack([gray + plane for plane in planes], axis=-1)
    return np.clip(128 + 48 * image / image.std(), 0, 255)


def gradient(height: int, width: int, random: np.random.Generator) -> np.ndarray:
    """A sky: colors that change slowly, with a little noise."""
    low, high = random.integers(0, 256, (2, 3))
    slope = np.add.outer(np.linspace(0, 1, height), np.linspace(0, random.uniform(0.2, 1), width))
    image = low + (slope / slope.max())[..., None] * (high - low)
    return np.clip(image + random.normal(0, 1.5, image.shape), 0, 255)


def edges(height: int, width: int, random: np.random.Generator) -> np.ndarray:
    """Discs and bars of plain colors."""
    picture = Image.new("RGB", (width, height), tuple(random.integers(0, 256, 3).tolist()))
    draw = ImageDraw.Draw(picture)
    for _ in range(14):
        x, y = random.integers(0, width), random.integers(0, height)
        w, h = random.integers(2, max(width // 2, 3)), random.integers(2, max(height // 2, 3))
        shape = draw.ellipse if random.random() < 0.5 else draw.rectangle
        shape((x, y, x + w, y + h), fill=tuple(random.integers(0, 256, 3).tolist()))
    return np.asarray(picture, np.float64)


def text(height: int, width: int, random: np.random.Generator) -> np.ndarray:
    """Return lines of text, dark on light."""
    picture = Image.new("RGB", (width, height), tuple(random.integers(200, 256, 3).tolist()))
    draw = ImageDraw.Draw(picture)
    for top in range(0, height, 11):
        message = "".join(random.choice(list("abcdefgh iklmno prstuvwxyz 0123456789 ")) for _ in range(width // 5))
        draw.text((1, top), message, fill=tuple(random.integers(0, 120, 3).tolist()))
    return np.asarray(picture, np.float64)


def scene(height: int, width: int, random: np.random.Generator) -> np.ndarray:
    """A sky above a textured ground, with shapes and text in it."""
    image = gradient(height, width, random)
    ground = height * 3 // 5
    image[ground:] = texture(height, width, random)[ground:]
    things = edges(height, width, random)
    mask = (things != things[0, 0]).any(axis=-1) & (random.random((height, width)) < 2)
    mask[: height // 4] = False
    image[mask] = 0.7 * things[mask] + 0.3 * image[mask]
    arguments = text(height, width, random)
    dark = arguments.min(axis=-1) < 128
    dark[height // 3 :] = False
    image[dark] = arguments[dark]
    return image


def picture(seed: int, height: int = 61, width: int = 83) -> np.ndarray:
    """One of the images, of the kinds by turns, as uint8 with three channels."""
    random = np.random.default_rng([seed, height, width])
    made = globals()[KINDS[seed % len(KINDS)]](height, width, random)
    return np.rint(made).astype(np.uint8)
