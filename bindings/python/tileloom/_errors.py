# SPDX-License-Identifier: Apache-2.0
"""The exceptions of tileloom, one for each exit code of the command line."""

from __future__ import annotations

__all__ = ["BadInput", "CannotRun", "CheckFailed", "Error", "InputOutputError"]


class Error(Exception):
    """Whatever tileloom refuses or finds wrong.

    Its text is the message of the command line, and the hint on lines of its own.

    Attributes:
        kind: ``"check_failed"``, ``"bad_input"``, ``"cannot_run"`` or ``"io"``.
        message: what was expected and what was found.
        hint: the way out, or an empty string.

    >>> import tileloom
    >>> try:
    ...     tileloom.Layout("(4,8):(8")
    ... except tileloom.Error as error:
    ...     print(error.kind, isinstance(error, ValueError))
    bad_input True
    """

    kind: str = ""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\nhint: {self.hint}" if self.hint else self.message

    def __reduce__(self) -> tuple[type[Error], tuple[str, str]]:
        return type(self), (self.message, self.hint)


class CheckFailed(Error):
    """A result is wrong, or a checked rule is broken."""

    kind = "check_failed"


class BadInput(Error, ValueError):
    """A value outside its range, malformed text, a request without an answer. Also a ``ValueError``."""

    kind = "bad_input"


class CannotRun(Error, RuntimeError):
    """Right input, but not here: no GPU, or an architecture that is not supported. Also a ``RuntimeError``."""

    kind = "cannot_run"


class InputOutputError(Error, OSError):
    """The operating system refused to read or write. Also an ``OSError``."""

    kind = "io"
