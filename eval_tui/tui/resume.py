"""Keeps the person's place in each eval: taken when an eval leaves the screen, put back when it returns."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from eval_tui.tui.face import Driver
from eval_tui.tui.screens.base import LiveScreen
from eval_tui.tui.screens.grid import GridScreen
from eval_tui.tui.state import Place, State, load_state, save_state

NOWHERE: Final = Place()


class Resume:
    """What is known of where the person was, and the file that it is kept in."""

    def __init__(self, driver: Driver, path: str = "") -> None:
        """`path` is the state's file; empty: nothing is read or written."""
        self._driver, self._path = driver, path
        self.state = load_state(path) if path else State()
        self._shown = ""
        """The config whose place was put back."""

    @property
    def kept(self) -> bool:
        """Whether anything is kept beyond the end."""
        return bool(self._path)

    def before(self, screens: Sequence[LiveScreen]) -> None:
        """The grid is about to be laid out anew: if another eval comes, keep the place in this one."""
        grid = _grid(screens)
        if grid is not None and self._shown and self._shown != self._config:
            self._keep(self._shown, grid, run="")

    def after(self, screens: Sequence[LiveScreen]) -> None:
        """It was laid out: if that is another eval, go to where the person was in it."""
        config, grid = self._config, _grid(screens)
        if grid is not None and config and config != self._shown and self._driver.grid.rows:
            self._shown = config
            grid.put_back(self.state.places.get(config, NOWHERE))

    def save(self, screens: Sequence[LiveScreen], theme: str) -> None:
        """Write down where the person is now."""
        grid = next((one for one in screens if isinstance(one, GridScreen)), None)
        if not self._path or grid is None or not self._shown:
            return
        self._keep(self._shown, grid, run=self._run)
        self.state = replace(self.state, theme=theme, spoken=grid.spoken, welcomed=True)
        save_state(self._path, self.state)

    def _keep(self, config: str, grid: GridScreen, run: str) -> None:
        self.state = self.state.with_place(config, replace(grid.place, run=run))

    @property
    def _config(self) -> str:
        config = self._driver.config
        return os.path.relpath(config.path, config.root) if config is not None else ""

    @property
    def _run(self) -> str:
        """The folder of the run in view, unless it is the newest and followed."""
        return "" if self._driver.status.following else self._driver.run_dir


def _grid(screens: Sequence[LiveScreen]) -> GridScreen | None:
    """The grid, if it is the one being seen: what is hidden is not laid out."""
    return next((one for one in screens if isinstance(one, GridScreen) and one.is_current), None)
