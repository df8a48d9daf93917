"""What a parser sees in a page."""

from __future__ import annotations

from html.parser import HTMLParser

_VOID = frozenset({"meta", "br", "input"})


class Page(HTMLParser):
    """Tags, attributes and text of a page, the grid in it, and what its cells unfold to."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.addresses: list[str] = []
        """What links and other attributes with an address lead to."""
        self.policy = ""
        self.text = self.title = ""
        self.grid: list[list[str]] = []
        """The words of the cells, without marks of what changed."""
        self.rewards: list[str] = []
        """The words of the column of rewards, where there is one."""
        self.details: dict[str, str] = {}
        self._open: list[tuple[str, dict[str, str]]] = []
        self._section: list[str] = []

    @classmethod
    def of(cls, text: str) -> Page:
        page = cls()
        page.feed(text)
        page.close()
        assert not page._open, f"not closed: {page._open}"
        return page

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.tags.add(tag)
        self.attributes |= given.keys()
        self.addresses += [given[name] for name in ("href", "src", "action") if name in given]
        if given.get("http-equiv") == "Content-Security-Policy":
            self.policy = given["content"]
        if tag == "tr" and given.get("id", "").startswith("r"):
            self.grid.append([])
        if tag == "td" and given.get("class", "").startswith("reward"):
            self.rewards.append("")
        elif tag == "td" and self._within("tr", "id"):
            self.grid[-1].append("")
        if tag not in _VOID:
            self._open.append((tag, given))

    def handle_endtag(self, tag: str) -> None:
        assert self._open and self._open[-1][0] == tag, f"</{tag}> in {self._open}"
        self._open.pop()
        if tag == "section":
            _close, head, *rest = self._section
            self.details[head] = " ".join(" ".join(rest).split())
            self._section = []
        if tag == "h2" and self._section:
            self._section[1:] = ["".join(self._section[1:])]

    def handle_data(self, data: str) -> None:
        self.text += data
        if self._within("title"):
            self.title += data
        if self._within("section") and (data.strip() or self._within("h2")):
            self._section.append(data)
        if any(
            name == "td" and given.get("class", "").startswith("reward")
            for name, given in self._open
        ):
            self.rewards[-1] += data
        elif self._within("td") and self._within("tr", "id") and not self._within("span"):
            self.grid[-1][-1] += data

    def _within(self, tag: str, attribute: str = "") -> bool:
        return any(
            name == tag and (not attribute or attribute in given) for name, given in self._open
        )
