"""Every reading of a written file, in each encoding in which it may hold a secret."""

from __future__ import annotations

import base64
import gzip
import html
import io
import re
import urllib.parse
import zipfile
import zlib

BASE64 = re.compile(r"[A-Za-z0-9+/_-]{12,}={0,2}")
HEXADECIMAL = re.compile(r"(?:[0-9a-fA-F]{2}){6,}")
JSON_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})")


def readings(data):
    """Returns the text of the bytes by way of reading; for zips and gzip also the contents, and the names of
    entries."""
    found = {"utf-8": data.decode("utf-8", "replace")}
    for coding in ("utf-16-le", "utf-16-be"):
        found[coding] = data.decode(coding, "ignore")
    if data[:2] == b"PK":
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for name in archive.namelist():
                found[f"entry name {name}"] = name
                found |= {f"{name}, {way}": text for way, text in readings(archive.read(name)).items()}
    if data[:2] == b"\x1f\x8b":
        found |= {f"unzipped, {way}": text for way, text in readings(gzip.decompress(data)).items()}
    text = found["utf-8"]
    found["html"] = html.unescape(html.unescape(text))
    found["url"] = urllib.parse.unquote_plus(urllib.parse.unquote(found["html"]))
    found["json"] = JSON_ESCAPE.sub(lambda code: chr(int(code[1], 16)), text)
    found["base64"] = "\n".join(_decoded(BASE64, text, _from_base64))
    found["hexadecimal"] = "\n".join(_decoded(HEXADECIMAL, text, _from_hexadecimal))
    return found


def _decoded(pattern, text, decode):
    """Yields the decoded form of each match, and its decompressed form."""
    for match in pattern.finditer(text):
        for data in decode(match[0]):
            yield data.decode("utf-8", "replace")
            try:
                yield zlib.decompress(data).decode("utf-8", "replace")
            except zlib.error:
                continue


def _from_base64(text):
    """Decodes from each of four positions, because the encoded data may begin before the match."""
    plain = text.rstrip("=").replace("-", "+").replace("_", "/")
    for at in range(4):
        characters = plain[at:]
        # A single character at the end is no whole byte.
        characters = characters[: len(characters) - (len(characters) % 4 == 1)]
        yield base64.b64decode(characters + "=" * (-len(characters) % 4))


def _from_hexadecimal(text):
    yield bytes.fromhex(text)
