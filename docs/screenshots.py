"""Pictures of every state of the window, one PNG each: `python -m docs.screenshots [FOLDER]`.

The real window over its real store and a real SearXNG; the model server answers as scripted, so that an answer can be
held in its middle. Without a folder README's pictures are written, docs/screenshot.png and docs/transcript-*.png, and
no others. The transcript alone, with every construct: `python -m tests.gallery FOLDER`.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from PySide6.QtCore import QUrl
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QWidget

from llamachat.config.paths import Paths
from llamachat.storage.conversations import list_conversations
from llamachat.ui.application import make_application
from llamachat.ui.shortcut_overview import ShortcutOverview
from tests.end2end.stage import NOWHERE, Stage, stage
from tests.fakes.scripted_llama import Answer, ScriptedLlama, says, searches, thinks
from tests.gallery.ending_states import ending_states
from tests.gallery.file_states import FILE_STATES
from tests.gallery.finding_states import finding_states
from tests.gallery.old_chats import make_history
from tests.gallery.pictures import WIDTH_PX, drawing_formulas, open_page
from tests.gallery.prompt_states import prompt_states
from tests.gallery.queue_states import queue_states
from tests.gallery.search_settings_states import search_settings_states
from tests.gallery.search_states import search_states
from tests.gallery.shape_states import shape_states
from tests.gallery.temporary_states import temporary_states
from tests.gallery.transfer_states import transfer_states
from tests.gallery.turns import STATES
from tests.integration.searxng_server import start_searxng

FOLDER = Path(__file__).resolve().parent
SIZE = (1120, 760)
NOWHERE_NEAR = (5000, 5000)  # where the pointer is: over no window
QUESTION = "When was the Tidewater Lighthouse first lit, and how high is it? Add a table, and Python for its age."
THOUGHT = """The user asks about a lighthouse that I do not know, so I should search for it first.

Then a table with the facts that were asked for, and a short piece of code."""
ANSWER = """The Tidewater Lighthouse was **first lit on 4 May 1871** [1]. Its tower has 213 steps and stands 52 \
metres above high water [2].

| What | Value |
|---|---|
| First lit | 4 May 1871 |
| Height | 52 m above high water |
| Steps | 213 |

How old it is today:

```python
from datetime import date

lit = date(1871, 5, 4)
print((date.today() - lit).days // 365)  # whole years
```

The last keeper, *Hanne Voss*, left when the lamp was automated in `1988`.
"""


class Scene:
    """What the pictures share: where they go, and the search."""

    def __init__(self, target: Path, scratch: Path, search_url: str) -> None:
        self._target, self._scratch, self._search_url = target, scratch, search_url
        self._count = 0

    @contextmanager
    def window(
        self, base_url: str, *, more: str = "", before: Callable[[Paths], None] | None = make_history
    ) -> Iterator[Stage]:
        """A window with a history of its own."""
        self._count += 1
        url = "" if "search_url" in more else f'search_url = "{self._search_url}"\n'
        config = f'base_url = "{base_url}"\nsearch_enabled = true\n{url}{more}'
        make_application()
        QCursor.setPos(*NOWHERE_NEAR)
        with stage(self._scratch / str(self._count), config, before=before) as shown:
            shown.window.resize(*SIZE)
            yield shown

    def shot(self, shown: Stage, name: str, widget: QWidget | None = None) -> None:
        """Write a picture."""
        shown.rest(0.3)
        (widget or shown.window).grab().save(str(self._target / f"{name}.png"))
        print(name, flush=True)

    def readme(self) -> None:
        """README's picture: a finished turn with its search unfolded."""
        with ScriptedLlama(*whole_answer()) as llama, self.window(llama.base_url) as shown:
            shown.window.resize(SIZE[0], 1080)
            shown.ask(QUESTION)
            unfold(shown, "search:{id}/0")
            self.shot(shown, "screenshot")

    def transcripts(self) -> None:
        """README's pictures of the transcript: one turn with everything in it, in both themes."""
        with drawing_formulas() as formulas:
            for theme in ("light", "dark"):
                with open_page(theme, WIDTH_PX, formulas) as page:
                    STATES["whole-turn-folded"](page.view)
                    page.save(self._target / f"transcript-{theme}.png")

    def finished(self) -> None:
        """A finished turn in both themes, folded, then unfolded and in the middle of it."""
        for theme in ("light", "dark"):
            with (
                ScriptedLlama(*whole_answer()) as llama,
                self.window(llama.base_url, more=f'theme = "{theme}"\n') as shown,
            ):
                shown.ask(QUESTION)
                self.shot(shown, f"finished-{theme}")
                unfold(shown, "search:{id}/0")
                unfold(shown, "reasoning:{id}")
                self.shot(shown, f"unfolded-{theme}")

    def streaming(self) -> None:
        """An answer in its middle, and the search before it."""
        half, gate, searching = len(says(ANSWER)) // 2, threading.Event(), threading.Event()
        first, second = whole_answer()
        answers: list[Answer] = [[*first[:4], searching, *first[4:]], [*second[:half], gate, *second[half:]]]
        with ScriptedLlama(*answers) as llama, self.window(llama.base_url) as shown:
            shown.ask(QUESTION, wait=False)
            shown.until(lambda: llama.asked)
            self.shot(shown, "streaming-thinking")
            searching.set()
            shown.until(lambda: len(llama.asked) == 2)
            shown.rest(1.0)
            self.shot(shown, "streaming-answer")
            gate.set()
            shown.until(shown.idle)

    def errors(self) -> None:
        """A server that is away, one that refuses, an answer that breaks off."""
        with self.window(NOWHERE) as shown:
            shown.ask("Is anybody there?")
            self.shot(shown, "error-away")
        refused = (400, "the request exceeds the available context size, try increasing it")
        with ScriptedLlama([refused]) as llama, self.window(llama.base_url) as shown:
            shown.ask("A question with a very long story before it.")
            self.shot(shown, "error-refused")
        cut_off: Answer = [*says("The tide turns twice a day because"), (0, "")]
        with ScriptedLlama(cut_off) as llama, self.window(llama.base_url, more='theme = "dark"\n') as shown:
            shown.ask("Why does the tide turn?")
            self.shot(shown, "error-cut-off-dark")

    def settings(self) -> None:
        """A settings file with mistakes."""
        with ScriptedLlama(says("x")) as llama, self.window(llama.base_url) as shown:
            broken = shown.config.read_text() + 'theme = "dark\n'
            shown.config.write_text(broken)
            shown.until(lambda: shown.window.notices.text("config"))
            self.shot(shown, "settings-broken")
            shown.config.write_text(f'base_url = "{llama.base_url}"\ntop_k = "many"\ntheme = "dark"\n')
            shown.until(lambda: "top_k" in shown.window.notices.text("config"))
            self.shot(shown, "settings-wrong-value-dark")

    def search_settings(self) -> None:
        """The window of the web search."""
        for theme in ("light", "dark"):
            more = f'theme = "{theme}"\n'
            with ScriptedLlama(*whole_answer()) as llama, self.window(llama.base_url, more=more) as shown:
                shown.ask(QUESTION)
                for name, dialog in search_settings_states(shown):
                    self.shot(shown, f"{name}-{theme}", dialog)

    def states(self) -> None:
        """The window in the states of the gallery, in both themes."""
        for theme in ("light", "dark"):

            def opened(base_url: str, more: str, theme: str = theme) -> AbstractContextManager[Stage]:
                return self.window(base_url, more=f'theme = "{theme}"\n{more}')

            for states in (search_states, queue_states):
                for name, shown in states(opened):
                    self.shot(shown, f"{name}-{theme}")
            for parts in (
                prompt_states,
                transfer_states,
                shape_states,
                ending_states,
                temporary_states,
                finding_states,
            ):
                for name, shown, widget in parts(opened):
                    self.shot(shown, f"{name}-{theme}", widget)

    def files(self) -> None:
        """What is said of a history that is damaged, or not ours to touch."""
        for theme in ("light", "dark"):
            for name, before in FILE_STATES.items():
                with (
                    ScriptedLlama(says("x")) as llama,
                    self.window(llama.base_url, more=f'theme = "{theme}"\n', before=before) as shown,
                ):
                    self.shot(shown, f"{name}-{theme}")

    def lists(self) -> None:
        """The history searched, a deletion, the menus, the shortcuts."""
        models = [("Qwen3-8B-Q4_K_M", "loaded"), ("gemma-3-12b-it", "unloaded"), ("gpt-oss-20b", "failed")]
        with ScriptedLlama(says("x"), models=models) as llama, self.window(llama.base_url) as shown:
            window = shown.window
            self.shot(shown, "empty")
            window.sidebar.field.setText("lighthouse")
            shown.until(lambda: window.sidebar.hits.rows.rows)
            window.sidebar.hits.choose_first()
            self.shot(shown, "history-search")
            window.sidebar.end_search()
            window.sidebar.delete(1)
            self.shot(shown, "undo")
            window.page.header.model.menu().popup(window.mapToGlobal(window.rect().center()))
            self.shot(shown, "models", window.page.header.model.menu())
            window.page.header.model.menu().close()
            overview = ShortcutOverview(window)
            overview.show()
            self.shot(shown, "shortcuts", overview)
            overview.close()

    def first_start(self) -> None:
        """No server: the page, a test that fails, one that works."""
        for theme in ("light", "dark"):
            with (
                ScriptedLlama(says("x")) as llama,
                self.window(NOWHERE, before=None, more=f'theme = "{theme}"\n') as shown,
            ):
                page = shown.window.start_page
                shown.until(page.isVisible)
                self.shot(shown, f"first-start-{theme}")
                page.run_test()
                shown.until(page.test.isEnabled)
                self.shot(shown, f"first-start-failed-{theme}")
                page.address.setText(llama.base_url)
                page.run_test()
                shown.until(page.use.isVisible)
                self.shot(shown, f"first-start-found-{theme}")


def whole_answer() -> tuple[list[dict[str, object]], list[dict[str, object]]]:
    """Thinking and a search, then the answer."""
    return [*thinks(THOUGHT), *searches("Tidewater Lighthouse")], says(ANSWER)


def unfold(shown: Stage, anchor: str) -> None:
    """Click on a line above the answer that was written last."""
    with shown.app.database() as db:
        answer = list_conversations(db, limit=1)[0].head_id
    shown.window.page.view.anchorClicked.emit(QUrl("x-llamachat-" + anchor.format(id=answer)))


def main() -> None:
    """Write all pictures, or README's."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folder", type=Path, nargs="?", default=FOLDER)
    parser.add_argument("--only", metavar="STATE", help="one of the methods of Scene")
    options = parser.parse_args()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    options.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch, start_searxng() as searxng:
        scene = Scene(options.folder, Path(scratch), searxng.url)
        if options.folder == FOLDER:
            scene.readme()
            scene.transcripts()
            return
        for state in (
            scene.finished,
            scene.streaming,
            scene.errors,
            scene.settings,
            scene.search_settings,
            scene.states,
            scene.files,
            scene.lists,
            scene.first_start,
            scene.transcripts,
        ):
            if options.only in (None, state.__name__):
                state()


if __name__ == "__main__":
    main()
