"""The API key of a search service: typed unseen, kept in the keyring, never read back into the window."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLineEdit, QPushButton, QWidget

from llamachat.core.cancel import CancelToken
from llamachat.core.errors import UserFacingError
from llamachat.core.text import tr
from llamachat.key_store import KeyStore
from llamachat.ui.labels import WrapLabel
from llamachat.ui.search_settings.fields import label_of
from llamachat.ui.tasks import Lane
from llamachat.websearch.registry import KEY_VARIABLES, PROVIDERS


class KeyFields(QWidget):
    """Shows whether there is a key; `save` keeps the one that is typed. The keyring is asked off the GUI thread."""

    edited = Signal()
    stored = Signal()  # a key was kept or forgotten
    failed = Signal(object)  # UserFacingError: one was not

    def __init__(self, keys: KeyStore, lane: Lane[CancelToken]) -> None:
        super().__init__()
        self._keys, self._lane = keys, lane
        self._provider, self._looks = "", False
        self.line = QLineEdit()
        self.line.setEchoMode(QLineEdit.EchoMode.Password)
        self.line.textChanged.connect(lambda _: self.edited.emit())
        self.forget = QPushButton(tr("Forget the key"))
        self.forget.setAutoDefault(False)
        self.forget.clicked.connect(self._forget)
        self.state = WrapLabel()
        self.state.setObjectName("lesser")
        self._lay_out()

    def _lay_out(self) -> None:
        label = label_of(self.line, tr("API key"))
        row = QHBoxLayout()
        row.addWidget(self.line, 1)
        row.addWidget(self.forget)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setColumnStretch(1, 1)
        grid.addWidget(label, 0, 0)
        grid.addLayout(row, 0, 1)
        grid.addWidget(self.state, 1, 1)

    @property
    def changed(self) -> bool:
        """Whether a key is typed."""
        return bool(self.line.text().strip()) and self._provider in KEY_VARIABLES

    def begin(self) -> None:
        """Drop what is typed, and look anew whether there is a key."""
        self._clear()
        self._looks = False

    def _clear(self) -> None:
        """Unlike the line's own `clear` this cannot be undone."""
        self.line.setText("")

    def choose(self, provider: str, *, looks: bool) -> None:
        """The key of this service; looks: find out whether there is one."""
        if (provider, looks) == (self._provider, self._looks):
            return
        if provider != self._provider:
            self._clear()
        self._provider, self._looks = provider, looks
        self.setVisible(provider in KEY_VARIABLES)
        self._say()
        if looks and provider in KEY_VARIABLES:
            self._lane.read(lambda _: self._keys.get(provider), lambda _: self._say(), self._fail, key="look")

    def save(self) -> None:
        """Keep the key that is typed."""
        name, key = self._provider, self.line.text()

        def kept(_: object) -> None:
            if name == self._provider:
                self._clear()
            self._say()
            self.stored.emit()

        self._lane.write(lambda _: self._keys.set(name, key), kept, self.failed.emit)

    def _forget(self) -> None:
        name = self._provider

        def forgotten(_: object) -> None:
            self._say()
            self.stored.emit()

        self._lane.write(lambda _: self._keys.forget(name), forgotten, self.failed.emit)

    def _say(self) -> None:
        if self._provider not in KEY_VARIABLES:
            return
        variable, known = KEY_VARIABLES[self._provider], self._keys.known(self._provider)
        from_environment = self._keys.in_environment(self._provider)
        self.forget.setVisible(bool(known) and not from_environment)
        self.line.setPlaceholderText(tr("another key") if known else "")
        adapter = PROVIDERS[self._provider]
        name, site = (adapter.name, adapter.keys_at) if adapter else ("", "")
        if from_environment:
            text = tr("The key comes from {variable}, which goes before the keyring.").format(variable=variable)
        elif known:
            text = tr("A key is kept in your keyring. It is not shown again.")
        else:
            text = tr(
                "{name} hands keys out at {site}. A key that you enter here is kept in your keyring, in no file; the "
                "environment variable {variable} goes before it."
            ).format(name=name, site=site, variable=variable)
        self._tell(text)

    def _fail(self, error: UserFacingError) -> None:
        self._tell(str(error))

    def _tell(self, text: str) -> None:
        self.state.setText(text)
        self.line.setAccessibleDescription(text)
