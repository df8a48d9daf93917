"""Every look at the file system that record code takes, with what was seen noted per part.

A record is made of parts (`conversation`, `files/report.md`, ...). While a part is being made, each
file read, each candidate that did not exist and each folder listed is noted with its signature, taken
before the look. These notes are what maps a changed path to the parts that it can change.
"""

from __future__ import annotations

import codecs
import contextlib
import os
import stat
from collections.abc import Generator

from eval_tui.record.errors import PartUnreadable

Sig = tuple[int, int, int, int] | None
"""(size in bytes, mtime_ns, ctime_ns, inode) of a file or folder; None when it does not exist.
ctime is what betrays a rewrite of the same size with the same mtime."""

MAX_READ = 100_000_000
"""Bytes of a document or text above which it is refused instead of being taken into memory."""

_CHUNK = 1 << 16
_stat = os.stat
"""Taken before a worker's observer wraps it: what a record looks at is noted here."""


def signature(path: str) -> Sig:
    """The present signature of `path`, links followed; None when nothing is there."""
    try:
        return _sig(_stat(path))
    except (OSError, ValueError):
        return None


class Disk:
    """The file system as one record sees it: each file is read once, each look is noted."""

    def __init__(self) -> None:
        self._looks: dict[str, dict[str, Sig]] = {}
        """What was looked at while a part itself was being made."""
        self._rests_on: dict[str, set[str]] = {}
        """The parts that a part was made from."""
        self._stack: list[str] = []
        self._bytes: dict[str, bytes] = {}

    @property
    def sources(self) -> dict[str, dict[str, Sig]]:
        """Part -> {absolute path: signature as seen}; None for what was looked for in vain.

        A part that was made from others has their sources too.
        """
        return {name: self._sources(name) for name in self._looks if not name.startswith("\0")}

    @property
    def looked_at(self) -> set[str]:
        """The paths of all `sources` together."""
        found: set[str] = set()
        return found.union(*self._looks.values())

    @property
    def opened(self) -> tuple[str, ...]:
        """The files whose whole content was read so far."""
        return tuple(self._bytes)

    def enter(self, name: str) -> None:
        """From here to `leave`, looks belong to the part `name`, which the one being made uses."""
        self.use(name)
        self._looks.setdefault(name, {})
        self._stack.append(name)

    def leave(self) -> None:
        """The part entered last is made."""
        self._stack.pop()

    @contextlib.contextmanager
    def part(self, name: str) -> Generator[None, None, None]:
        """`enter` and `leave` around a block."""
        self.enter(name)
        try:
            yield
        finally:
            self.leave()

    def use(self, name: str) -> None:
        """The part being made rests on the part `name`."""
        if self._stack:
            self.link(self._stack[-1], name)

    def link(self, part: str, name: str) -> None:
        """The part `part` rests on the part `name`."""
        self._looks.setdefault(part, {})
        self._rests_on.setdefault(part, set()).add(name)

    def _sources(self, name: str) -> dict[str, Sig]:
        found: dict[str, Sig] = {}
        seen: set[str] = set()
        todo = [name]
        while todo:
            part = todo.pop()
            if part not in seen:
                seen.add(part)
                found = {**self._looks.get(part, {}), **found}
                todo.extend(self._rests_on.get(part, ()))
        return found

    def look(self, path: str) -> os.stat_result | None:
        """`os.stat` of `path` with links followed, or None; noted."""
        try:
            found = _stat(path)
        except (OSError, ValueError):
            found = None
        self._note(path, _sig(found) if found else None)
        return found

    def exists(self, path: str) -> bool:
        """Whether something is at `path`; a dangling link is nothing."""
        return self.look(path) is not None

    def is_file(self, path: str) -> bool:
        """Whether a regular file is at `path`, links followed."""
        found = self.look(path)
        return found is not None and stat.S_ISREG(found.st_mode)

    def read(self, path: str) -> bytes | None:
        """The bytes of `path`, or None when nothing is there.

        Raises PartUnreadable for what is no regular file (never opened: a FIFO would block for
        ever), for what is larger than `MAX_READ` and for what cannot be read.
        """
        found = self.look(path)
        if path in self._bytes:
            return self._bytes[path]
        if found is None:
            return None
        with self._open(path, found) as file:
            _refuse_large(path, found)
            try:
                data = file.read()
            except OSError as error:
                raise PartUnreadable(path, _words(error)) from None
        self._bytes[path] = data
        return data

    def read_text(self, path: str) -> str | None:
        """The text of a file as UTF-8 with line ends as `\\n`; None when it is no text.

        Stops at the first chunk that is no UTF-8, so a large binary file costs little.
        Raises PartUnreadable when the file is gone, no regular file, text larger than `MAX_READ`
        or cannot be read.
        """
        found = self.look(path)
        if found is None:
            raise PartUnreadable(path, "it disappeared while the record was read")
        decoder = codecs.getincrementaldecoder("utf-8")()
        pieces: list[str] = []
        with self._open(path, found) as file:
            try:
                while chunk := file.read(_CHUNK):
                    pieces.append(decoder.decode(chunk))
                    _refuse_large(path, found)
                pieces.append(decoder.decode(b"", final=True))
            except UnicodeDecodeError:
                return None
            except OSError as error:
                raise PartUnreadable(path, _words(error)) from None
        return newlines("".join(pieces))

    def read_start(self, path: str, size: int) -> bytes:
        """The first `size` bytes of a regular file. Raises PartUnreadable."""
        found = self.look(path)
        if found is None:
            raise PartUnreadable(path, "it disappeared while the record was read")
        with self._open(path, found) as file:
            try:
                return file.read(size)
            except OSError as error:
                raise PartUnreadable(path, _words(error)) from None

    def list(self, path: str) -> list[os.DirEntry[str]]:
        """The entries of a folder by name; empty when it is none or cannot be listed. Noted."""
        try:
            return self.list_all(path)
        except PartUnreadable:
            return []

    def list_all(self, path: str) -> list[os.DirEntry[str]]:
        """The entries of a folder by name; empty when there is none. Noted.

        Raises PartUnreadable for a folder that is there and cannot be listed: unreadable is not
        empty (D10).
        """
        self.look(path)
        try:
            with os.scandir(path) as entries:
                return sorted(entries, key=lambda entry: entry.name)
        except (FileNotFoundError, NotADirectoryError, ValueError):
            return []
        except OSError as error:
            raise PartUnreadable(path, _words(error)) from None

    @contextlib.contextmanager
    def _open(self, path: str, found: os.stat_result) -> Generator[_File, None, None]:
        if not stat.S_ISREG(found.st_mode):
            raise PartUnreadable(path, f"it is {_kind(found.st_mode)}, not a file")
        try:
            # Not blocking: what was a file a moment ago may have become a FIFO.
            fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError as error:
            raise PartUnreadable(path, _words(error)) from None
        try:
            if not stat.S_ISREG(os.fstat(fd).st_mode):
                raise PartUnreadable(path, "it is not a file any more")
            yield _File(fd)
        finally:
            os.close(fd)

    def _note(self, path: str, sig: Sig) -> None:
        if self._stack:
            # The first look counts: an older signature can only cause one more verification.
            self._looks[self._stack[-1]].setdefault(path, sig)


class _File:
    """Reads from a file descriptor; closing it is the opener's business."""

    def __init__(self, fd: int) -> None:
        self._fd = fd

    def read(self, size: int = -1) -> bytes:
        if size >= 0:
            return os.read(self._fd, size)
        pieces: list[bytes] = []
        wanted = max(os.fstat(self._fd).st_size + 1, _CHUNK)
        while piece := os.read(self._fd, wanted):
            pieces.append(piece)
        return b"".join(pieces)


def newlines(text: str) -> str:
    """The text with `\\r\\n` and `\\r` as `\\n`."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def lenient_text(data: bytes) -> tuple[str, int]:
    """UTF-8 text with line ends as `\\n`, and how many bytes or runs of bytes had to be replaced."""
    try:
        return newlines(data.decode("utf-8")), 0
    except UnicodeDecodeError:
        text = data.decode("utf-8", "replace")
        return newlines(text), text.count("\ufffd") - data.count(b"\xef\xbf\xbd")


def _sig(found: os.stat_result) -> Sig:
    return (found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino)


def _refuse_large(path: str, found: os.stat_result) -> None:
    size = found.st_size
    if size > MAX_READ:
        words = f"it is too large ({size:,} bytes; up to {MAX_READ:,} are read)"
        raise PartUnreadable(path, words)


def _words(error: OSError) -> str:
    if isinstance(error, PermissionError):
        return "no permission to read it"
    if isinstance(error, FileNotFoundError):
        return "it disappeared while the record was read"
    return error.strerror or type(error).__name__


def _kind(mode: int) -> str:
    if stat.S_ISDIR(mode):
        return "a folder"
    if stat.S_ISFIFO(mode):
        return "a named pipe"
    if stat.S_ISSOCK(mode):
        return "a socket"
    return "a device"
