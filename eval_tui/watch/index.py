"""What the watcher last knew of every entry, and finding out what differs now.

Nothing here waits or knows of events: long work is a generator that yields after each small step,
so that the caller decides how much of it is done at a time.
"""

from __future__ import annotations

import os
import stat
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from eval_tui.watch.links import Places
from eval_tui.watch.marks import is_known, is_newer, leads_up, mark_of, status_of
from eval_tui.watch.names import TEMPORARY, is_temporary
from eval_tui.watch.scope import Kind, Scope

ENTRIES_A_STEP = 64
LINKED_FOLDERS = 2000
"""At most so many folders are looked into behind one link to a folder."""
ABSENT = 0
"""The mark of an entry that is asked for and does not exist."""


@dataclass(slots=True)
class Folder:
    """One folder that is listed, or of which some entries are watched."""

    kind: Kind | None
    """None: only the entries that were asked for."""
    link: str = ""
    """The link to a folder through which it was reached, or empty."""
    since_ns: int = 0
    """Until its first listing is done: entries older than this are taken as known."""
    files: dict[str, int] = field(default_factory=dict[str, int])
    """Name -> mark, a hash of the signature. Plain numbers, since there may be 100,000."""
    subs: dict[str, int] = field(default_factory=dict[str, int])
    """Name of a subfolder -> mark of its identity."""


class Index:
    """The known marks, and what was found to differ: `changed` and `replaced_root`."""

    def __init__(self, watch: Callable[[str, bool], None], unwatch: Callable[[str], None]) -> None:
        self._watch, self._unwatch = watch, unwatch
        self._places = Places(watch, self._release)
        self._behind: dict[str, int] = {}
        self._kinds: dict[str, Kind | None] = {}
        self._asks: set[str] = set()
        self.scope = Scope()
        self.folders: dict[str, Folder] = {}
        self.changed: set[str] = set()
        self.replaced_root = False
        self.held: set[str] = set()
        """Paths that we are writing ourselves: not looked at for the moment."""
        self.todo: deque[str] = deque()
        """Folders to list."""

    # What to watch

    def rescope(self, scope: Scope, since_ns: int) -> Iterator[None]:
        """Take over another scope. Entries changed at or after `since_ns` are reported at once."""
        before, self.scope = self.scope, scope
        if (scope.roots, scope.ignored) == (before.roots, before.ignored):
            for path in before.files - scope.files:
                self._unask(path)
                yield
            self._asks.update(scope.files - before.files)
            return
        self._kinds = {}
        for path in tuple(self.folders):
            self._refit(path, since_ns)
            yield
        for path in scope.roots:
            self._ask(path, since_ns)
            yield
        for path, kind in scope.roots.items():
            if path not in self.folders or self.folders[path].kind is None:
                self._enter(path, kind, since_ns)
            yield
        self._asks = set(scope.files)

    def ask_files(self, since_ns: int) -> Iterator[None]:
        """Watch the single files that no listed folder covers; once the folders are listed."""
        while self._asks:
            path = self._asks.pop()
            if path in self.scope.files and not self._is_covered(path):
                self._ask(path, since_ns)
            yield

    def _is_covered(self, path: str) -> bool:
        """Whether a change of `path` shows in a listing anyway."""
        parent: str = os.path.dirname(path)
        name: str = os.path.basename(path)
        if self.scope.kind(parent, self._kinds) is None or is_temporary(name, False):
            return False
        direct = True
        while True:
            known = self.folders.get(parent)
            if known is not None and known.kind is not None:
                deep = known.kind in (Kind.CODE, Kind.WHOLE)
                # A subfolder that is there but not listed lies behind a link not followed.
                return direct or (deep and name not in known.subs)
            if parent in self.scope.roots:
                return True
            direct = False
            name = os.path.basename(parent)
            parent = os.path.dirname(parent)
            if not name:
                return False

    def _unask(self, path: str) -> None:
        self._asks.discard(path)
        parent, name = os.path.split(path)
        folder = self.folders.get(parent)
        if folder is not None and folder.kind is None and path not in self.scope.roots:
            folder.files.pop(name, None)
            folder.subs.pop(name, None)
            self._places.remove(path)
            if not folder.files and not folder.subs:
                self._drop(parent)

    def _refit(self, path: str, since_ns: int) -> None:
        folder = self.folders.get(path)
        if folder is None:
            return
        if folder.link:
            if os.path.dirname(folder.link) not in self.folders:
                self._drop(path)
            return
        kind = self.scope.kind(path, self._kinds)
        if kind is not folder.kind:
            self._drop(path)
            if kind:
                self._enter(path, kind, since_ns)
        elif kind is None:
            for name in (*folder.files, *folder.subs):
                if not self._is_asked(os.path.join(path, name)):
                    folder.files.pop(name, None)
                    folder.subs.pop(name, None)
                    self._places.remove(os.path.join(path, name))
            if not folder.files and not folder.subs:
                self._drop(path)

    def _is_asked(self, path: str) -> bool:
        return path in self.scope.files or path in self.scope.roots

    def concerns(self, folder: str, name: str) -> bool:
        """Whether a hint about this entry is worth a look."""
        if self._places.at(folder, name):
            return True
        known = self.folders.get(folder)
        if known is None or not name:
            return known is not None
        if name in known.files or name in known.subs:
            return True
        return known.kind is not None and not TEMPORARY.fullmatch(name)

    # Looking

    def look(self, folder: str, name: str) -> None:
        """Compare one entry with what is known of it, and everything that hangs on it."""
        moved = self._places.at(folder, name)
        if not name:
            # The folder itself went away or was replaced: what we watch is the old one.
            self._unwatch(folder)
            if folder in self.folders:
                self.todo.append(folder)
            folder, name = os.path.split(folder)
            moved |= self._places.at(folder, name)
        self._compare(folder, name)
        for path in moved:
            self._places.put(path)
            parent, base = os.path.split(path)
            if (known := self.folders.get(parent)) is not None:
                self._watch(parent, known.kind in (Kind.CODE, Kind.WHOLE))
            self._compare(parent, base)

    def list(self, path: str) -> Iterator[None]:
        """Compare all entries of one folder; its new subfolders are put on `todo`."""
        folder = self.folders.get(path)
        if folder is None:
            return
        # Watch first, then list: what appears in between is seen by one or the other.
        self._watch(path, folder.kind in (Kind.CODE, Kind.WHOLE))
        if folder.kind is None:
            for name in (*folder.files, *folder.subs):
                self.look(path, name)
                yield
            return
        seen: set[str] = set()
        since_ns = folder.since_ns
        try:
            with os.scandir(path) as entries:
                for entry in entries:
                    seen.add(entry.name)
                    if not is_known(folder.files, folder.subs, entry):
                        self._compare(path, entry.name, since_ns)
                    if len(seen) % ENTRIES_A_STEP == 0:
                        yield
        except OSError:
            self._compare(*os.path.split(path))
        folder.since_ns = 0
        for name in [name for name in (*folder.files, *folder.subs) if name not in seen]:
            self._compare(path, name)
        yield

    def keep(self, path: str) -> None:
        """Take what is on disk at `path` as known, without reporting it."""
        before = set(self.changed)
        self._compare(*os.path.split(path))
        self.changed = before

    # One entry

    def _compare(self, path: str, name: str, since_ns: int = 0) -> None:
        folder = self.folders.get(path)
        if folder is None:
            return
        full = os.path.join(path, name)
        if full in self.held:
            return
        asked = name in folder.files or name in folder.subs or self._is_asked(full)
        if folder.kind is None and not asked:
            return
        status, linked = status_of(full)
        if status is None:
            self._gone(folder, path, name)
            return
        is_folder = stat.S_ISDIR(status.st_mode)
        if not asked and is_temporary(name, is_folder):
            return
        if linked:
            self._places.put(full)
        if is_folder:
            self._found_folder(folder, path, name, status, linked, since_ns)
        else:
            self._found_file(folder, path, name, status, since_ns)

    def _found_file(
        self, folder: Folder, path: str, name: str, status: os.stat_result, since_ns: int
    ) -> None:
        if name in folder.subs:
            self._gone(folder, path, name)
        mark, known = mark_of(status), folder.files.get(name, ABSENT)
        if mark == known:
            return
        folder.files[name] = mark
        if is_newer(status, since_ns):
            self.changed.add(os.path.join(path, name))
            if known == ABSENT and folder.kind is not None:
                self.changed.add(path)

    def _found_folder(
        self,
        folder: Folder,
        path: str,
        name: str,
        status: os.stat_result,
        linked: bool,
        since_ns: int,
    ) -> None:
        full = os.path.join(path, name)
        mark = mark_of(status)
        if mark == folder.subs.get(name):
            return
        if name in folder.subs or name in folder.files:
            self._gone(folder, path, name)
            folder.files.pop(name, None)
        folder.subs[name] = mark
        if is_newer(status, since_ns):
            # It may have been moved here with old files in it.
            since_ns = 0
            self.changed.add(full)
            self.replaced_root |= full in self.scope.roots
            if folder.kind is not None:
                self.changed.add(path)
        kind = self.scope.roots.get(full)
        link = folder.link
        if kind is not None:
            link = ""
        elif folder.kind is not None:
            kind = self.scope.child(full, folder.kind)
            if linked:
                if link or leads_up(full):
                    return
                link = full
        if kind is not None:
            self._enter(full, kind, since_ns, link)

    def _gone(self, folder: Folder, path: str, name: str) -> None:
        full = os.path.join(path, name)
        asked = self._is_asked(full)
        known_file = folder.files.pop(name, ABSENT) != ABSENT
        known_folder = folder.subs.pop(name, None) is not None
        if asked:
            folder.files[name] = ABSENT
        else:
            self._places.remove(full)
        if known_folder:
            self.replaced_root |= full in self.scope.roots
            self._forget(full)
        if known_file or known_folder:
            self.changed.add(full)
            if folder.kind is not None:
                self.changed.add(path)

    def _forget(self, path: str) -> None:
        """Everything below `path` is gone: report it, and stop watching it."""
        stack = [path]
        while stack:
            top = stack.pop()
            folder = self.folders.get(top)
            if folder is None:
                continue
            files = [name for name, mark in folder.files.items() if mark != ABSENT]
            self.changed.update(os.path.join(top, name) for name in (*files, *folder.subs))
            stack.extend(os.path.join(top, name) for name in folder.subs)
            entries = [os.path.join(top, name) for name in (*folder.files, *folder.subs)]
            self._drop(top)
            for entry in entries:
                if self._is_asked(entry) and not self._is_covered(entry):
                    self._ask(entry, 0)

    # Folders

    def _enter(self, path: str, kind: Kind, since_ns: int, link: str = "") -> None:
        if link:
            self._behind[link] = self._behind.get(link, 0) + 1
            if self._behind[link] > LINKED_FOLDERS:
                return
        known = self.folders.setdefault(path, Folder(kind))
        known.kind, known.link, known.since_ns = kind, link, since_ns
        self.todo.append(path)

    def _drop(self, path: str) -> None:
        folder = self.folders.pop(path, None)
        if folder is None:
            return
        self._behind.pop(path, None)
        for name in (*folder.files, *folder.subs):
            self._places.remove(os.path.join(path, name))
        self._release(path)

    def _release(self, path: str) -> None:
        """Stop watching a folder unless something still needs it."""
        if path not in self.folders and path not in self._places:
            self._unwatch(path)

    def _ask(self, path: str, since_ns: int) -> None:
        """Watch one entry, whether or not its folder is listed."""
        parent, name = os.path.split(path)
        if not name:
            return
        folder = self.folders.setdefault(parent, Folder(None))
        self._places.put(path)
        if name in folder.files or name in folder.subs:
            return
        status, _ = status_of(path)
        if status is None:
            folder.files[name] = ABSENT
        elif stat.S_ISDIR(status.st_mode):
            folder.subs[name] = mark_of(status)
        else:
            self._found_file(folder, parent, name, status, since_ns)
