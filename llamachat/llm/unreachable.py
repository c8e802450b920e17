"""What goes wrong on the way to a model server -> one ServerError with the address and a next step. No I/O."""

from __future__ import annotations

from urllib.parse import urlsplit

from llamachat.core.errors import ServerCause, ServerError
from llamachat.core.text import tr
from llamachat.core.web_address import host_of, is_loopback_host

_DEFAULT_PORT = 8080


def unreachable(base_url: str, cause: BaseException, *, timeout_s: float) -> ServerError:
    """No connection, or one on which nobody speaks HTTP. `cause` is the system's error, told by its kind.

    timeout_s: how long the connection was waited for.
    """
    kind = type(cause).__name__
    told = {"address": base_url, "host": host_of(base_url), "seconds": round(timeout_s)}
    if kind == "SSLCertVerificationError":
        return _error(
            tr("The certificate of {address} is not accepted: {reason}.").format(
                **told, reason=getattr(cause, "verify_message", "") or tr("it cannot be verified")
            ),
            tr("Use the name the certificate is made out to, or add its authority to the system's certificates."),
        )
    if kind.startswith("SSL"):
        return _error(
            tr("{address} does not speak TLS.").format(**told),
            tr("If the server has no certificate, write the address with http:// instead of https://."),
        )
    if kind in ("gaierror", "UnicodeError"):
        return _error(
            tr("There is no machine named {host}.").format(**told), tr("Check the address of the model server.")
        )
    if kind == "RemoteProtocolError":
        sentence = tr("What answers at {address} is no web server.").format(**told)
        step = tr("Check the port; a server with a certificate needs https:// in its address.")
        return ServerError(sentence, step, cause=ServerCause.NOT_A_SERVER)
    if "timeout" in kind.lower():
        sentence = tr("No model server answers at {address} within {seconds} seconds.").format(**told)
    else:
        sentence = tr("No model server answers at {address}.").format(**told)
    return _error(sentence, _how_to_start(base_url))


def no_answer(timeout_s: float) -> ServerError:
    """The connection stands and nothing comes."""
    return ServerError(
        tr("The model server has sent nothing for {seconds} seconds.").format(seconds=round(timeout_s)),
        tr("Try again; if the machine is slow, raise request_timeout."),
        cause=ServerCause.TIMEOUT,
    )


def too_slow(within_s: float) -> ServerError:
    """The time for all of the answer is over, though bytes may come."""
    return ServerError(
        tr("The model server had not answered in full after {seconds} seconds.").format(seconds=round(within_s)),
        tr("Try again; if it stays so, look at the server, and at what stands in between, such as a proxy."),
        cause=ServerCause.TIMEOUT,
    )


def broke_off() -> ServerError:
    """The connection went down in the middle."""
    return ServerError(
        tr("The connection to the model server broke off."),
        tr("Try again; if the server has stopped, start it anew."),
        cause=ServerCause.CUT_OFF,
    )


def packed() -> ServerError:
    """The answer is packed, which nobody asked for, in a way that is not unpacked."""
    return ServerError(
        tr("The answer of the model server is packed in a way that cannot be read."),
        tr("Look at what stands between this program and the server, such as a proxy; its compression can go."),
        cause=ServerCause.NOT_A_SERVER,
    )


def _error(sentence: str, step: str) -> ServerError:
    return ServerError(sentence, step, cause=ServerCause.UNREACHABLE)


def _how_to_start(base_url: str) -> str:
    try:
        port = urlsplit(base_url).port or _DEFAULT_PORT
    except ValueError:
        port = _DEFAULT_PORT
    command = f"llama-server -m model.gguf --port {port}"
    if is_loopback_host(host_of(base_url)):
        return tr("Start one with: {command}").format(command=command)
    return tr("Start one there with: {command}").format(command=f"{command} --host 0.0.0.0")
