"""The reference of the first frame: a Textual app with an empty grid, and nothing else."""

from textual.app import App, ComposeResult
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widgets import Static


class Empty(ScrollView):
    """A line API widget without lines."""

    def on_mount(self) -> None:
        self.virtual_size = Size(100, 100)

    def render_line(self, y: int) -> Strip:
        return Strip.blank(self.size.width)


class Bare(App[None]):
    def compose(self) -> ComposeResult:
        yield Static("bare", markup=False)
        yield Empty()
        yield Static("ready", markup=False)


if __name__ == "__main__":
    Bare().run()
