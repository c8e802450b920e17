"""What the child draws, what it refuses, and that what it gives refers to nothing."""

from __future__ import annotations

import json
import re

import pytest

from llamachat.engines.formula_child import CannotDrawError, answer, draw
from llamachat.engines.formulas import can_draw_formulas

pytestmark = [
    pytest.mark.skipif(not can_draw_formulas(), reason="ziamath is not installed"),
    pytest.mark.filterwarnings("ignore:path is deprecated:DeprecationWarning"),  # ziamath's, when it is imported
]

SHAPE = r'<(?:path|rect|ellipse)(?: [a-z-]+="[A-Za-z0-9#., +-]*")+/>'

USUAL = [
    "x",
    "a_1 b^2",
    r"\frac{a+b}{c}",
    r"\int_0^\infty e^{-x^2}\,dx = \frac{\sqrt\pi}{2}",
    r"\begin{aligned} a &= b + c \\ &= d \end{aligned}",
    r"\begin{pmatrix} a & b \\ c & d\end{pmatrix}",
    r"f(x) = \begin{cases} 1 & x>0 \\ 0 & \text{otherwise}\end{cases}",
    r"\sum_{n=1}^N \binom{N}{n} x^n",
    r"\mathbb{R}^n \to \mathcal{L}",
    r"\operatorname{argmax}_\theta \log p_\theta(x)",
    r"\hat{x} \vec{v} \overline{y} \cancel{z} \boxed{w}",
    r"a < b > c \neq d",
    r"x \tag{1}",
    r"\textcolor{red}{x}",
    r"\begin{alignat*}{2} a &= b \\ c &= d \end{alignat*}",
    r"\begin{gather*} a \\ b \end{gather*}",
    r"\begin{equation} a \label{eq:a} \end{equation}",
]
REFUSED = [
    r"\foo{x}",
    r"\frac{1}{",
    r"\text{速}",
    r"\color{url(http://a.example/)} x",
    r"\url{file:///etc/passwd}",
    r"\includegraphics{/etc/passwd}",
    r"\fontfamily{/usr/share/fonts/font.ttf} x",
    r"\def\a{\a\a}\a",
    r"\rule{9999em}{9999em}",
    r"\phantom{x}",
    r"\mathop{}",
    "{" * 10_000 + "x" + "}" * 10_000,
    "x^{" * 200 + "x" + "}" * 200,
]


@pytest.mark.parametrize("tex", USUAL)
@pytest.mark.parametrize("display", [True, False])
def test_usual_formulas_are_drawn_with_nothing_but_shapes(tex: str, display: bool) -> None:
    drawn = draw(tex, display=display)
    assert re.fullmatch(f"(?:{SHAPE})+", str(drawn["svg"]))
    assert float(drawn["width"]) > 0.3


@pytest.mark.parametrize("tex", REFUSED, ids=lambda tex: tex[:30])
def test_what_cannot_be_drawn_as_it_was_meant_is_refused(tex: str) -> None:
    assert list(json.loads(answer(json.dumps({"tex": tex, "display": True})))) == ["error"]


def test_a_link_draws_its_text_and_leads_nowhere() -> None:
    drawn = draw(r"\href{javascript:alert(1)}{y}", display=False)
    assert re.fullmatch(f"(?:{SHAPE})+", str(drawn["svg"]))


def test_measures_are_those_of_the_letters() -> None:
    flat, deep, tall = (draw(tex, display=False) for tex in ("x", "x_i", r"\frac{x}{y}"))
    assert float(flat["descent"]) < 0.05 < float(deep["descent"]) < float(tall["descent"])
    assert 0.4 < float(flat["ascent"]) < 0.6  # an x is about half an em high


def test_equations_get_no_numbers_that_depend_on_what_was_drawn_before() -> None:
    numbered, plain = (
        draw(rf"\begin{{{name}}} a &= b \end{{{name}}}", display=True) for name in ("align", "aligned")
    )
    assert numbered == plain
    assert float(draw(r"x \tag{7}", display=True)["width"]) > float(draw("x", display=True)["width"]) + 2


def test_a_colour_is_a_name_or_a_number() -> None:
    assert 'fill="#ff0000"' in str(draw(r"\color{#ff0000} x", display=False)["svg"])
    with pytest.raises(CannotDrawError):
        draw(r"\color{rgb(1,2,3)} x", display=False)
