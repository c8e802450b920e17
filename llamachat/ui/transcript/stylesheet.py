"""The style sheet of the transcript's document: what the classes in the drawn HTML look like.

Qt knows margins, fonts and colours here; boxes, bars and rules are painted by `painting.py`.
"""

from __future__ import annotations

from llamachat.render.block_kinds import Tone
from llamachat.ui.theme import Theme
from llamachat.ui.transcript.look import Look

MONOSPACE = "'JetBrains Mono', 'Noto Sans Mono', 'DejaVu Sans Mono', 'Liberation Mono', monospace"


def transcript_css(theme: Theme, size: int, look: Look) -> str:
    """The style sheet for a theme, on a document whose font has this size in pixels.

    Sizes stand in classes alone: what stands inside an element inherits its first matching size, not its last.
    """
    return _body_css(theme, size) + _code_css(theme, size, look) + _frame_css(theme, round(size * _SMALL))


def _body_css(theme: Theme, size: int) -> str:
    """What Markdown makes: text, lists, tables."""
    small = round(size * _SMALL)
    headings = "".join(
        f".h{level} {{ font-size:{round(size * scale)}px; font-weight:600; line-height:120%;"
        f" margin-top:{top}px; margin-bottom:6px; }}\n"
        for level, (scale, top) in enumerate(_HEADINGS, 1)
    )
    tones = "".join(f".{tone.name.lower()} {{ color:{theme.of_tone(tone)}; }}\n" for tone in Tone if tone)
    return f"""
p, li, th, td {{ color:{theme.text}; }}
p {{ margin-top:6px; margin-bottom:6px; line-height:140%; }}
.tight {{ margin-top:2px; margin-bottom:2px; line-height:140%; }}
.verbatim {{ margin-top:0; margin-bottom:0; line-height:140%; white-space:pre-wrap; }}
ul, ol {{ margin-top:6px; margin-bottom:6px; }}
li ul, li ol {{ margin-top:0; margin-bottom:0; }}
.continued {{ margin-top:0; }}
.goes-on {{ margin-bottom:0; }}
{headings}
a {{ color:{theme.accent}; text-decoration:none; }}
.missing {{ color:{theme.warning}; text-decoration:line-through; }}
.math {{ font-family:'STIX Two Text', 'DejaVu Serif', serif; white-space:pre-wrap;
  margin-top:1px; margin-bottom:1px; line-height:120%; }}
.alert {{ font-weight:600; margin-top:14px; margin-bottom:0; line-height:100%; }}
{tones}
.footnote {{ color:{theme.muted}; font-size:{small}px; line-height:130%; }}
.rule {{ margin-top:12px; margin-bottom:12px; font-size:2px; line-height:100%; }}
.gap {{ margin-top:0; margin-bottom:0; font-size:4px; line-height:100%; }}
.seam {{ margin-top:0; margin-bottom:0; font-size:1px; -qt-line-height-type:line-distance; line-height:-8; }}
.grid {{ border-collapse:collapse; border-style:solid; border-color:{theme.border}; }}
th {{ background-color:{theme.raised}; font-weight:600; }}
.dense th, .dense td {{ font-size:{small}px; }}
"""


def _code_css(theme: Theme, size: int, look: Look) -> str:
    """Code, in sentences and in boxes."""
    small, code = round(size * _SMALL), round(size * _CODE)
    family = f"'{look.code_family}', {MONOSPACE}" if look.code_family else MONOSPACE
    in_headings = "".join(
        f".h{level} .ic {{ font-size:{round(size * scale * _CODE)}px; }}\n"
        for level, (scale, _) in enumerate(_HEADINGS, 1)
    )
    in_small = f".footnote .ic, .dense .ic {{ font-size:{round(small * _CODE)}px; }}"
    return f"""
.ic {{ font-family:{family}; font-size:{code}px; background-color:{theme.inline_code}; white-space:pre-wrap; }}
{in_headings}
{in_small}
.code-head {{ color:{theme.muted}; font-size:{small}px; text-align:right; line-height:{round(small * 1.2) + 8}px;
  margin:6px 12px 4px 12px; }}
.code-head a {{ color:{theme.muted}; }}
.code {{ font-family:{family}; font-size:{code}px; color:{theme.code_text};
  white-space:{"pre-wrap" if look.wraps_code else "pre"};
  margin:0 12px 0 12px; line-height:115%; }}
.code-end {{ font-size:8px; margin:0 12px 12px 12px; line-height:100%; }}
"""


def _frame_css(theme: Theme, small: int) -> str:
    """What stands around a text: who speaks, searches, thinking, errors, sources."""
    return f"""
.you, .model {{ font-weight:600; font-size:{small}px; margin-bottom:2px; line-height:120%; }}
.you {{ color:{theme.accent}; white-space:pre-wrap; margin-top:34px; }}
.model {{ color:{theme.muted}; margin-top:30px; }}
.plain {{ font-weight:400; }}
.you a, .footer a {{ color:{theme.muted}; }}
.fold {{ color:{theme.muted}; font-size:{small}px; margin-top:3px; margin-bottom:3px; line-height:120%; }}
.fold a {{ color:{theme.muted}; }}
.failed a {{ color:{theme.warning}; }}
.result {{ color:{theme.text}; font-size:{small}px; margin:8px 0 0 14px; line-height:125%; }}
.address {{ color:{theme.muted}; font-size:{small}px; margin:0 0 0 14px; line-height:125%; }}
.address a {{ color:{theme.muted}; }}
.snippet {{ color:{theme.text}; font-size:{small}px; margin:2px 0 0 14px; line-height:125%; }}
.page {{ color:{theme.muted}; font-size:{small}px; margin:2px 0 0 14px; line-height:125%; }}
.unread {{ color:{theme.warning}; font-size:{small}px; margin:2px 0 0 14px; line-height:125%; }}
.why {{ color:{theme.muted}; font-size:{small}px; margin:8px 0 8px 14px; line-height:125%; }}
.thought {{ color:{theme.muted}; font-size:{small}px; margin:0 0 0 14px; line-height:130%; }}
.waiting {{ color:{theme.muted}; margin-top:6px; }}
.notice {{ color:{theme.muted}; font-size:{small}px; margin-top:4px; margin-bottom:4px; }}
.notice.first {{ margin-top:12px; }}
.error {{ color:{theme.error}; margin:4px 14px 4px 14px; line-height:130%; }}
.ending {{ color:{theme.text}; margin:4px 14px 4px 14px; line-height:130%; }}
.ending.lesser {{ color:{theme.muted}; }}
.error.first, .ending.first {{ margin-top:18px; }}
.buttons {{ margin:6px 14px 22px 14px; -qt-line-height-type:line-distance; line-height:9; }}
.buttons.alone {{ margin:6px 0 10px 0; }}
.buttons a {{ color:{theme.text}; }}
.room {{ font-size:{round(small * _ROOM)}px; }}
.sources {{ color:{theme.muted}; font-size:{small}px; margin-top:10px; margin-bottom:2px; }}
.footer {{ color:{theme.muted}; font-size:{small}px; margin-top:8px; margin-bottom:0; line-height:120%; }}
.empty {{ color:{theme.muted}; text-align:center; margin-top:10px; }}
.empty.first {{ margin-top:98px; }}
"""


_SMALL = 0.86
_ROOM = 1.7  # as high as a button
_CODE = 0.88  # monospaced letters look larger than others of their size
_HEADINGS = ((1.5, 20), (1.3, 18), (1.15, 16), (1.0, 14), (1.0, 12), (0.9, 12))
