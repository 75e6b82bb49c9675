"""Metadata of image files: read from Pillow's images, and updated for another size."""

from __future__ import annotations

import re
from typing import Any

from PIL import Image, JpegImagePlugin
from PIL.ExifTags import IFD, Base
from PIL.PngImagePlugin import PngInfo

from ..errors import CODECS, is_raised_by
from .picture import Metadata

# EXIF tags that describe the picture. Dropped are those of the file's structure (a TIFF has them among these), of the
# location of pixels on earth, and makers' data that depends on its offset in the file.
_KEPT = {
    *(Base.DocumentName, Base.ImageDescription, Base.Make, Base.Model, Base.Orientation, Base.XResolution),
    *(Base.YResolution, Base.ResolutionUnit, Base.Software, Base.DateTime, Base.Artist, Base.HostComputer),
    *(Base.WhitePoint, Base.PrimaryChromaticities, Base.Rating, Base.RatingPercent, Base.Copyright),
    *(Base.XPTitle, Base.XPComment, Base.XPAuthor, Base.XPKeywords, Base.XPSubject),
}
_OFFSETS = {Base.MakerNote, Base.ExifInteroperabilityOffset}  # contain offsets in the file
_XMP_ORIENTATION = re.compile(rb"""(<tiff:Orientation>|tiff:Orientation=["'])[0-9]""")


def orientation(image: Any) -> int:
    """Return EXIF's orientation; 1, which is upright, if it is missing or damaged."""
    try:
        return int(image.getexif().get(Base.Orientation, 1))
    except Exception as error:  # Pillow raises many types for damaged EXIF
        if not is_raised_by(error, *CODECS):
            raise
        return 1


def read(image: Any) -> tuple[Metadata, tuple[str, ...]]:
    """Return the metadata of a loaded image, for upright pixels, and notes on what could not be kept."""
    exif, notes = _exif(image)
    info = image.info
    xmp, comment, dpi = info.get("xmp", b""), info.get("comment", b""), info.get("dpi")
    metadata = Metadata(
        icc=info.get("icc_profile") or b"",
        exif=exif,
        xmp=_XMP_ORIENTATION.sub(rb"\g<1>1", xmp.encode() if isinstance(xmp, str) else xmp),
        text=_text(image),
        dpi=(float(dpi[0]), float(dpi[1])) if dpi else None,
        comment=comment if isinstance(comment, bytes) else str(comment).encode(),
        encoding=_encoding(image),
    )
    return metadata, notes


def exif_for_size(metadata: Metadata, size: tuple[int, int]) -> dict[int, Any]:
    """Return the EXIF tags with this (height, width), without the thumbnail of the original."""
    tags = dict(metadata.exif or {})
    if inner := tags.get(IFD.Exif):
        sizes = {Base.ExifImageHeight: size[0], Base.ExifImageWidth: size[1]}
        tags[IFD.Exif] = inner | {tag: length for tag, length in sizes.items() if tag in inner}
    return tags


def exif_bytes(tags: dict[int, Any]) -> bytes:
    """Return EXIF tags as JPEG, PNG and WebP store them; empty if there are none."""
    exif = Image.Exif()
    for tag, value in tags.items():
        exif[tag] = value
    return exif.tobytes() if tags else b""


def png_info(metadata: Metadata) -> PngInfo:
    """Return the text chunks of a PNG."""
    info = PngInfo()
    for key, text in metadata.text:
        info.add_text(key, text)
    if metadata.xmp:
        info.add_itxt("XML:com.adobe.xmp", metadata.xmp.decode("utf-8", "replace"))
    return info


def _exif(image: Any) -> tuple[dict[int, Any], tuple[str, ...]]:
    try:
        exif = image.getexif()
        tags = {tag: exif[tag] for tag in exif if tag in _KEPT}
        if Base.Orientation in tags:
            tags[Base.Orientation] = 1
        for ifd in (IFD.Exif, IFD.GPSInfo):
            inner = {tag: value for tag, value in exif.get_ifd(ifd).items() if tag not in _OFFSETS}
            if inner:
                tags[ifd] = inner
        exif_bytes(tags)
    except Exception as error:
        if not is_raised_by(error, *CODECS):
            raise
        return {}, ("EXIF is broken: left out",)
    return tags, ()


def _text(image: Any) -> tuple[tuple[str, str], ...]:
    """Return the text chunks of a PNG, except those that contain EXIF or XMP."""
    chunks = getattr(image, "text", {}) if image.format == "PNG" else {}
    excluded = ("XML:com.adobe.xmp", "Raw profile type")
    return tuple((key, str(value)) for key, value in chunks.items() if not key.startswith(excluded))


def _encoding(image: Any) -> dict[str, Any]:
    """Return arguments of Pillow's save that encode a JPEG or TIFF like this one."""
    if isinstance(image, JpegImagePlugin.JpegImageFile):
        tables, sampling = image.quantization, JpegImagePlugin.get_sampling(image)
        return {"qtables": tables, "subsampling": sampling, "progressive": bool(image.info.get("progressive"))}
    return {"compression": image.info["compression"]} if image.format == "TIFF" and "compression" in image.info else {}
