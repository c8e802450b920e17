"""Reading pages: how many, how much of each, and who fetches them."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from llamachat.config.keys import find_option
from llamachat.core.text import tr, trn
from llamachat.ui.labels import WrapLabel
from llamachat.ui.search_settings.fields import AmberLine, Choice, Field, Number, Switch, Text
from llamachat.ui.search_words import address_warning, reader_name, reader_sentence
from llamachat.websearch.budget import FirstUse


class ReadingFields(QWidget):
    """A switch; what belongs to it is there while it is on. `first_use_wanted`: it was just switched on."""

    first_use_wanted = Signal()

    def __init__(self, results: Number) -> None:
        """results: how many results a search gives the model, which first use sets too."""
        super().__init__()
        self._results = results
        self.switch = Switch("", tr("Read pages that were found"), note=tr("Their text takes the place of snippets."))
        self.suited = WrapLabel()
        self.pages = Number("read_pages", tr("Pages of a search"))
        self.limit = Number(
            "page_text_limit",
            tr("Characters of a page"),
            step=1000,
            note=tr("All pages of a search take a tenth of the model's context at most, with 0 (all) a quarter."),
        )
        choices = find_option("page_reader")[0].choices
        self.reader = Choice(
            "page_reader",
            tr("Who fetches them"),
            {choice: reader_name(choice) for choice in choices},
            notes={choice: reader_sentence(choice) for choice in choices},
        )
        self.jina_url = Text("jina_url", tr("Address of Jina Reader"), placeholder=tr("the public one of Jina AI"))
        self.warning = AmberLine()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        for widget in (self.switch, self.suited, *self.fields, self.warning):
            column.addWidget(widget)
        self.switch.box.toggled.connect(self._switch)
        for field in self.fields:
            field.edited.connect(self._look)
        self._look()

    @property
    def fields(self) -> tuple[Field, ...]:
        """Those that stand in config.toml, in their order on the page."""
        return self.pages, self.limit, self.reader, self.jina_url

    def forget_first_use(self) -> None:
        """Say nothing more of the numbers that were set."""
        self.suited.setText("")
        self._look()

    def take_first_use(self, first: FirstUse, context_tokens: int | None) -> None:
        """Set the numbers that suit the context, but for those that somebody has set before."""
        if not self.switch.value:
            return
        self.pages.set_value(first.pages)
        for field, number in ((self._results, first.results), (self.limit, first.page_chars)):
            if field.value == find_option(field.key)[0].default:
                field.set_value(number)
        results, pages = self._results.value, self.pages.value
        numbers = tr("{results}, {pages}, {chars} characters a page").format(
            results=trn("{count} result", "{count} results", results).format(count=results),
            pages=trn("{count} page", "{count} pages", pages).format(count=pages),
            chars=f"{self.limit.value:,}",
        )
        if context_tokens:
            text = tr("Set for a context of {tokens} tokens: {numbers}.").format(
                tokens=f"{context_tokens:,}", numbers=numbers
            )
        else:
            text = tr("The server does not say how long its context is. Set: {numbers}.").format(numbers=numbers)
        self.suited.setText(text)
        self._look()

    def _switch(self, on: bool) -> None:
        if on and not self.pages.value:
            self.pages.set_value(self.pages.in_force or 1)
            if not self.pages.in_force:
                self.first_use_wanted.emit()
        elif not on:
            self.suited.setText("")
            self.pages.set_value(0)

    def _look(self) -> None:
        on = self.pages.value > 0
        self.switch.set_value(on)
        for field in self.fields:
            field.setVisible(on)
        self.jina_url.setVisible(on and self.reader.value != "direct")
        self.suited.setVisible(on and bool(self.suited.text()))
        self.warning.say(address_warning(self.reader.value, self.jina_url.value) if on else "")
