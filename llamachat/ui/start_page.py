"""The page for when no model server answers: test an address, start a server, or use the built-in engine."""

from __future__ import annotations

from urllib.parse import urlsplit

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont, QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QLineEdit, QPushButton, QScrollArea, QVBoxLayout, QWidget

from llamachat.app import App
from llamachat.config.scan import join_key
from llamachat.core.cancel import CancelToken
from llamachat.core.check_step import CheckStep
from llamachat.core.errors import UserFacingError
from llamachat.core.text import clean, tr
from llamachat.core.web_address import is_loopback_host
from llamachat.storage.database import Database
from llamachat.ui.engine_panel import EnginePanel
from llamachat.ui.icons import IconButton
from llamachat.ui.labels import WrapLabel
from llamachat.ui.step_list import StepList
from llamachat.ui.tasks import Lane


def start_command(base_url: str) -> str:
    """How to start a server where the program looks for one on this machine, else at the usual port."""
    url = urlsplit(base_url if "://" in base_url else f"http://{base_url}")
    try:
        port = url.port if is_loopback_host(url.hostname or "") else None
    except ValueError:
        port = None
    return f"llama-server -m model.gguf --port {port or 8080}"


class StartPage(QScrollArea):
    """A page of three ways. `connected` comes when one of them led to a server."""

    connected = Signal()
    left = Signal()  # back to the chat

    def __init__(
        self, app: App, *, tasks: Lane[Database], network: Lane[CancelToken], engine: Lane[CancelToken]
    ) -> None:
        super().__init__()
        self._app, self._tasks, self._network = app, tasks, network
        self.setObjectName("start")
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.reason = WrapLabel()
        self.reason.setObjectName("lesser")
        self.address = QLineEdit()
        self.address.setAccessibleName(tr("Address of the model server"))
        self.test = QPushButton(tr("Test"))
        self.use = QPushButton(tr("Use this server"))
        self.back = QPushButton(tr("Back to the chat"))
        self.steps = StepList()
        self.engine = EnginePanel(app, engine)
        self._lay_out()
        self.use.hide()
        self.test.clicked.connect(self.run_test)
        self.address.returnPressed.connect(self.run_test)
        self.address.textEdited.connect(lambda _: self.use.hide())
        self.use.clicked.connect(self._save)
        self.engine.started.connect(self.connected)
        self.back.clicked.connect(self.left)

    def _lay_out(self) -> None:
        inside = QWidget()
        inside.setObjectName("start")
        inside.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        column = QVBoxLayout()
        column.setSpacing(14)
        row = QHBoxLayout()
        row.addWidget(_heading(tr("Connect to a model server")), 1)
        row.addWidget(self.back)
        column.addLayout(row)
        column.addWidget(self.reason)
        for card in (self._address_card(), self._command_card(), self._engine_card()):
            column.addWidget(card)
        column.addStretch(1)
        frame = QWidget()
        frame.setLayout(column)
        frame.setMaximumWidth(680)
        outside = QHBoxLayout(inside)
        outside.setContentsMargins(24, 28, 24, 16)
        outside.addWidget(frame, 1)
        self.setWidget(inside)

    def _address_card(self) -> QFrame:
        card, column = _card(tr("Your server"))
        row = QHBoxLayout()
        row.addWidget(self.address, 1)
        row.addWidget(self.test)
        row.addWidget(self.use)
        column.addLayout(row)
        column.addWidget(self.steps)
        return card

    def _command_card(self) -> QFrame:
        card, column = _card(tr("Start one with llama.cpp"))
        text = start_command(self._app.config.active_server().base_url)
        command = QLabel(text)
        command.setObjectName("command")
        command.setAccessibleName(tr("Command: {command}").format(command=text))
        command.setTextFormat(Qt.TextFormat.PlainText)
        command.setMinimumWidth(80)
        command.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        copy = IconButton("copy", tr("Copy the command"))
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(text))
        row = QHBoxLayout()
        row.addWidget(command, 1)
        row.addWidget(copy)
        column.addLayout(row)
        return card

    def _engine_card(self) -> QFrame:
        card, column = _card(tr("Or use the built-in engine"))
        column.addWidget(self.engine)
        return card

    def explain(self, text: str, *, can_leave: bool) -> None:
        """Say how things are, and whether there is something to go back to."""
        self.reason.setText(text)
        self.reason.setVisible(bool(text))
        self.back.setVisible(can_leave)
        self.engine.refresh()

    @property
    def in_use(self) -> bool:
        """Whether something was typed or begun here that would be lost with the page."""
        return self.address.isModified() or self.engine.starting

    def offer_address(self) -> None:
        """Fill in the address of the settings where none was typed."""
        if not self.address.text():
            self.address.setText(self._app.config.active_server().base_url)

    def run_test(self) -> None:
        """Try the address, step by step."""
        address = clean(self.address.text()).strip()
        self.use.hide()
        self.use.setDefault(False)
        self.test.setEnabled(False)
        self.steps.clear()

        def check(cancel: CancelToken) -> bool:
            probe, good = self._app.models.probe(address), False
            try:
                for step in probe.check(cancel=cancel):
                    good = step.ok
                    self._show(step)
            finally:
                probe.close()
            return good

        self._network.read(check, self._tested, self._test_failed, key="test")

    def _show(self, step: CheckStep) -> None:
        """From the lane's thread."""
        self._network.post(lambda: self.steps.add(step))

    def _tested(self, good: bool) -> None:
        self.test.setEnabled(True)
        self.use.setVisible(good)
        if good:
            self.use.setDefault(True)
            self.use.setFocus()

    def _test_failed(self, error: UserFacingError) -> None:
        self.test.setEnabled(True)
        self.steps.add(CheckStep(error.sentence, ok=False, detail=error.next_step))

    def _save(self) -> None:
        address = clean(self.address.text()).strip()
        server = self._app.config.server
        key = join_key(("servers", server, "base_url")) if server else "base_url"

        def save(_: Database) -> None:
            self._app.set_setting(key, address)
            self._app.close()  # the built-in engine would go on answering in the server's place

        self._tasks.write(save, lambda _: self.connected.emit(), self._test_failed)


def _heading(text: str) -> WrapLabel:
    label = WrapLabel(text)
    font = label.font()
    font.setPointSizeF(font.pointSizeF() * 1.7)
    font.setWeight(QFont.Weight.DemiBold)
    label.setFont(font)
    return label


def _card(title: str) -> tuple[QFrame, QVBoxLayout]:
    card = QFrame()
    card.setObjectName("card")
    column = QVBoxLayout(card)
    column.setContentsMargins(18, 14, 18, 16)
    column.setSpacing(10)
    label = QLabel(title)
    label.setObjectName("subheading")
    column.addWidget(label)
    return card, column
