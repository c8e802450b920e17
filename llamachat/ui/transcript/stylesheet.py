"""The style sheet of the transcript's document: what the classes in the drawn HTML look like.

Qt knows margins, fonts and colours here; boxes, bars and rules are painted by `painting.py`.
"""

from __future__ import annotations

from llamachat.ui.theme import Theme

MONOSPACE = "'JetBrains Mono', 'Noto Sans Mono', 'DejaVu Sans Mono', 'Liberation Mono', monospace"


def transcript_css(theme: Theme, size: int) -> str:
    """The style sheet for a theme and a text size in pixels."""
    small, code = round(size * 0.86), round(size * 0.9)
    headings = "".join(
        f"h{level} {{ font-size:{round(size * scale)}px; font-weight:600; margin-top:{top}px; margin-bottom:4px; }}\n"
        for level, scale, top in _HEADINGS
    )
    return f"""
p, li, th, td {{ color:{theme.text}; font-size:{size}px; }}
p {{ margin-top:5px; margin-bottom:5px; line-height:140%; }}
.tight {{ margin-top:2px; margin-bottom:2px; }}
ul, ol {{ margin-top:0; margin-bottom:0; }}
{headings}
h1, h2, h3, h4, h5, h6 {{ color:{theme.text}; }}
a {{ color:{theme.accent}; text-decoration:none; }}
.ic {{ font-family:{MONOSPACE}; font-size:{code}px; background-color:{theme.inline_code}; white-space:pre-wrap; }}
.missing {{ color:{theme.warning}; text-decoration:line-through; }}
.rule {{ margin-top:10px; margin-bottom:10px; font-size:2px; }}
.gap {{ margin-top:0; margin-bottom:0; font-size:2px; line-height:100%; }}
.grid {{ border-collapse:collapse; border-style:solid; border-color:{theme.border}; }}
th {{ background-color:{theme.raised}; font-weight:600; }}
.code-head {{ color:{theme.muted}; font-size:{small}px; text-align:right; margin:10px 12px 0 12px; }}
.code-head a {{ color:{theme.muted}; }}
.code {{ font-family:{MONOSPACE}; font-size:{code}px; color:{theme.code_text}; white-space:pre-wrap;
  margin:0 12px 0 12px; line-height:140%; }}
.code-end {{ font-size:4px; margin:0 12px 10px 12px; line-height:100%; }}
.you {{ color:{theme.accent}; font-weight:600; font-size:{small}px; white-space:pre-wrap;
  margin-top:26px; margin-bottom:2px; }}
.model {{ color:{theme.muted}; font-weight:600; font-size:{small}px; margin-top:26px; margin-bottom:2px; }}
.small {{ font-weight:400; }}
.you a, .footer a {{ color:{theme.muted}; }}
.fold {{ color:{theme.muted}; font-size:{small}px; margin-top:2px; margin-bottom:2px; line-height:120%; }}
.fold a {{ color:{theme.muted}; }}
.result, .why, .thought {{ color:{theme.muted}; font-size:{small}px; line-height:125%; }}
.result {{ color:{theme.text}; margin:8px 0 0 14px; }}
.address {{ color:{theme.muted}; font-size:{small}px; margin:0 0 0 14px; line-height:125%; }}
.address a {{ color:{theme.muted}; }}
.snippet {{ color:{theme.text}; font-size:{small}px; margin:2px 0 0 14px; line-height:125%; }}
.why {{ margin:8px 0 6px 14px; }}
.thought {{ margin:0 0 0 14px; }}
.waiting {{ color:{theme.muted}; font-size:{size}px; margin-top:6px; }}
.notice {{ color:{theme.muted}; font-size:{small}px; margin-top:4px; margin-bottom:4px; }}
.error {{ color:{theme.error}; margin:6px 14px 6px 14px; }}
.error a {{ color:{theme.error}; font-weight:600; }}
.sources {{ color:{theme.muted}; font-size:{small}px; margin-top:8px; margin-bottom:2px; }}
.footer {{ color:{theme.muted}; font-size:{small}px; margin-top:6px; margin-bottom:0; }}
.empty {{ color:{theme.muted}; font-size:{size}px; text-align:center; margin-top:10px; }}
"""


_HEADINGS = ((1, 1.5, 16), (2, 1.3, 14), (3, 1.15, 12), (4, 1.0, 10), (5, 1.0, 10), (6, 0.9, 10))
