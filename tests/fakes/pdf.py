"""PDF files as small as they can be, a page for each text."""

from __future__ import annotations

from collections.abc import Sequence

_LOCKED = "/Encrypt << /Filter /Standard /V 1 /R 2 /O (" + "o" * 32 + ") /U (" + "u" * 32 + ") /P -4 >> /ID [(a) (a)]"


def pdf(texts: Sequence[str], *, locked: bool = False) -> bytes:
    """A file with a page for each text; `locked`: only who knows a password can read it."""
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{' '.join(f'{4 + 2 * n} 0 R' for n in range(len(texts)))}] /Count {len(texts)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, text in enumerate(texts):
        drawing = f"BT /F1 12 Tf 50 700 Td ({text}) Tj ET"
        resources = "/Resources << /Font << /F1 3 0 R >> >>"
        objects += [
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents {5 + 2 * number} 0 R {resources} >>",
            f"<< /Length {len(drawing)} >>\nstream\n{drawing}\nendstream",
        ]
    body, places = b"%PDF-1.4\n", []
    for number, text in enumerate(objects, 1):
        places.append(f"{len(body):010} 00000 n \n")
        body += f"{number} 0 obj\n{text}\nendobj\n".encode("latin-1")
    table = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{''.join(places)}"
    trailer = f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R {_LOCKED if locked else ''} >>\n"
    return body + f"{table}{trailer}startxref\n{len(body)}\n%%EOF\n".encode("latin-1")
