"""With --ascii nothing of ours is beyond ASCII, on any screen."""

from __future__ import annotations

from eval_tui.engine.grid import CaseView, EvalInfo, FileEntry, RunInfo
from eval_tui.tui.app import EvalApp
from tests.tui.fake import sample_driver
from tests.tui.seeing import screen_text

STEPS = (
    (),
    ("r",),
    ("question_mark",),
    ("escape", "m"),
    ("escape", "E"),
    ("escape", "P"),
    ("escape", "slash", "c"),
    ("escape", "s"),
    ("ctrl+p",),
    ("escape", "a"),
    ("n", "z"),
    ("z", "enter"),
    ("2",),
    ("3",),
    ("4",),
    ("5",),
    ("6",),
    ("slash", "a"),
    ("escape", "question_mark"),
    ("escape", "V"),
)


async def test_every_screen_is_plain():
    driver = sample_driver(40)
    driver.run_list = (RunInfo("run-2", "/x", 0.0, 3, newest=True),)
    driver.run_dir = "/x"
    driver.eval_list = (EvalInfo("wiki", "/project/eval.yaml"),)
    files = tuple(FileEntry(f"{'n' * 60}{i}.md", 10, False, "/x") for i in range(40))
    event = {"type": "user", "message": {"role": "user", "content": "hello " * 100}}
    for case in driver.grid.rows:
        driver.views[case.case] = CaseView(
            case=case.case,
            case_dir="/x",
            input_path="/x/input.yaml",
            inputs="a: 1\n" * 100,
            annotations_path="",
            annotations="",
            files=files,
            events=(event,) * 40,
            events_path="/x/events.json",
            conversation="",
            stdout="out",
            stderr="err",
            metrics={},
            notes=(),
        )
    app = EvalApp(driver, ascii=True)
    async with app.run_test(size=(90, 24), notifications=True) as pilot:
        for keys in STEPS:
            await pilot.press(*keys)
            await pilot.pause()
            assert screen_text(app).isascii(), f"after {keys}:\n{screen_text(app)}"
