"""What a file says besides its pixels: taken from an image as Pillow opens it, and made right for another size."""

from __future__ import annotations

import re
from typing import Any

from PIL import Image, JpegImagePlugin
from PIL.ExifTags import IFD, Base
from PIL.PngImagePlugin import PngInfo

from ..errors import CODECS, is_raised_by
from .picture import About

# EXIF tags that describe the picture. Those that say how a file stores it (a TIFF has them among these), where on earth
# each of its pixels lies, and what only the maker of a camera understands by its place in the file, are not kept.
_KEPT = {
    *(Base.DocumentName, Base.ImageDescription, Base.Make, Base.Model, Base.Orientation, Base.XResolution),
    *(Base.YResolution, Base.ResolutionUnit, Base.Software, Base.DateTime, Base.Artist, Base.HostComputer),
    *(Base.WhitePoint, Base.PrimaryChromaticities, Base.Rating, Base.RatingPercent, Base.Copyright),
    *(Base.XPTitle, Base.XPComment, Base.XPAuthor, Base.XPKeywords, Base.XPSubject),
}
_POINTERS = {Base.MakerNote, Base.ExifInteroperabilityOffset}  # full of places in the file
_XMP_TURN = re.compile(rb"""(<tiff:Orientation>|tiff:Orientation=["'])[0-9]""")


def orientation(image: Any) -> int:
    """How a picture is to be turned to be upright, as EXIF numbers it; 1, or what is no such number, for not at all."""
    try:
        return int(image.getexif().get(Base.Orientation, 1))
    except Exception as error:  # whatever broken EXIF makes of Pillow's reader
        if not is_raised_by(error, *CODECS):
            raise
        return 1


def taken(image: Any) -> tuple[About, tuple[str, ...]]:
    """What a loaded image says, for pixels that are upright, and notes on what could not be kept."""
    exif, notes = _exif(image)
    xmp = image.info.get("xmp", b"")
    upright = _XMP_TURN.sub(rb"\g<1>1", xmp.encode() if isinstance(xmp, str) else xmp)
    comment = image.info.get("comment", b"")
    dpi = image.info.get("dpi")
    about = About(
        icc=image.info.get("icc_profile") or b"",
        exif=exif,
        xmp=upright,
        text=_text(image),
        dpi=(float(dpi[0]), float(dpi[1])) if dpi else None,
        comment=comment if isinstance(comment, bytes) else str(comment).encode(),
        coding=_coding(image),
    )
    return about, notes


def exif_for(about: About, size: tuple[int, int]) -> dict[int, Any]:
    """The EXIF tags of a picture that has now that (height, width); without its thumbnail, which was of the old one."""
    tags = dict(about.exif or {})
    if inner := tags.get(IFD.Exif):
        sizes = {Base.ExifImageHeight: size[0], Base.ExifImageWidth: size[1]}
        tags[IFD.Exif] = inner | {tag: length for tag, length in sizes.items() if tag in inner}
    return tags


def exif_bytes(tags: dict[int, Any]) -> bytes:
    """EXIF tags as JPEG, PNG and WebP hold them; empty if there are none.

    >>> exif_bytes({}), exif_bytes({Base.Artist: "A. Painter"})[:6]
    (b'', b'Exif\\x00\\x00')
    """
    made = Image.Exif()
    for tag, value in tags.items():
        made[tag] = value
    return made.tobytes() if tags else b""


def png_info(about: About) -> PngInfo:
    """The text chunks of a PNG."""
    info = PngInfo()
    for key, words in about.text:
        info.add_text(key, words)
    if about.xmp:
        info.add_itxt("XML:com.adobe.xmp", about.xmp.decode("utf-8", "replace"))
    return info


def _exif(image: Any) -> tuple[dict[int, Any], tuple[str, ...]]:
    try:
        exif = image.getexif()
        tags = {tag: exif[tag] for tag in exif if tag in _KEPT}
        if Base.Orientation in tags:
            tags[Base.Orientation] = 1
        for place in (IFD.Exif, IFD.GPSInfo):
            inner = {tag: value for tag, value in exif.get_ifd(place).items() if tag not in _POINTERS}
            if inner:
                tags[place] = inner
        exif_bytes(tags)
    except Exception as error:
        if not is_raised_by(error, *CODECS):
            raise
        return {}, ("EXIF is broken: left out",)
    return tags, ()


def _text(image: Any) -> tuple[tuple[str, str], ...]:
    """The words of a PNG, but for those that are EXIF or XMP in disguise."""
    words = getattr(image, "text", {}) if image.format == "PNG" else {}
    hidden = ("XML:com.adobe.xmp", "Raw profile type")
    return tuple((key, str(value)) for key, value in words.items() if not key.startswith(hidden))


def _coding(image: Any) -> dict[str, Any]:
    """How a JPEG or a TIFF was encoded, in the words of Pillow's save."""
    if isinstance(image, JpegImagePlugin.JpegImageFile):
        tables, sampling = image.quantization, JpegImagePlugin.get_sampling(image)
        return {"qtables": tables, "subsampling": sampling, "progressive": bool(image.info.get("progressive"))}
    return {"compression": image.info["compression"]} if image.format == "TIFF" and "compression" in image.info else {}
