"""Watching files and folders: events are hints, comparing signatures tells what changed."""

from eval_tui.watch.watcher import Change, Mode, Watcher

__all__ = ["Change", "Mode", "Watcher"]
