"""What the case was given and what is expected of it: `input.yaml` and `annotations.yaml`."""

from __future__ import annotations

import os
from collections.abc import Hashable, Mapping
from typing import cast

from eval_tui.record.context import Context, stays_inside
from eval_tui.record.documents import read_document
from eval_tui.record.errors import PartUnreadable
from eval_tui.record.parts import Fixed, Part, Plain
from eval_tui.record.yamlish import dump_block, load_yaml

_LONGEST_REFERENCE = 255


def inputs_part(ctx: Context) -> Part:
    """The case's input as text: the case folder's `input.yaml`, else the dataset's."""
    return ctx.once("inputs", lambda: Fixed(_inputs(ctx)))


def input_path(ctx: Context) -> str:
    """The `input.yaml` in force, or empty."""
    for path in _input_candidates(ctx):
        if ctx.disk.exists(path):
            return path
    return ""


def annotations_path(ctx: Context) -> str:
    """Where the case's annotations are or would be; empty without a dataset."""
    return os.path.join(ctx.dataset_folder, "annotations.yaml") if ctx.dataset_folder else ""


def annotations_part(ctx: Context) -> Part:
    """The case's annotations, a mapping; empty when there are none.

    Raises PartUnreadable for a document that does not parse or is no mapping (D10).
    """
    return ctx.once("annotations", lambda: Plain(_annotations(ctx)))


def annotation_files(ctx: Context) -> dict[str, str]:
    """Record key `annotation_<key>_content` -> path of the text file that the annotation names."""
    return ctx.once("\0annotation_files", lambda: _annotation_files(ctx))


def annotation_content(ctx: Context, key: str) -> Part:
    """The text of the file that an annotation names. Raises PartUnreadable."""
    return Fixed(_text_at(ctx, annotation_files(ctx)[key]))


def check_inside_dataset(ctx: Context, path: str) -> None:
    """Raises PartUnreadable when a path, links resolved, leads out of the dataset."""
    if not stays_inside(path, ctx.spec.dataset_dir):
        raise PartUnreadable(path, "it leads out of the dataset and is not read")


def _input_candidates(ctx: Context) -> list[str]:
    folders = [ctx.folder, *([ctx.dataset_folder] if ctx.dataset_folder else [])]
    return [os.path.join(folder, "input.yaml") for folder in folders]


def shown_inputs(ctx: Context) -> str:
    """The case's input for reading, without the marks that judges get around its keys."""
    return _inputs(ctx, "{}: {}")


def _inputs(ctx: Context, form: str = "**{}**: {}") -> str:
    path = input_path(ctx)
    document = read_document(ctx, path, load_yaml) if path else None
    if document is None:
        return ""
    if isinstance(document, dict):
        entries = cast("Mapping[object, object]", document)
        return "\n\n".join(form.format(key, _entry(value)) for key, value in entries.items())
    return str(document)


def _entry(value: object) -> str:
    if isinstance(value, (dict, list)):
        return dump_block(cast(object, value)).strip()
    return str(value)


def _annotations(ctx: Context) -> Mapping[Hashable, object]:
    path = annotations_path(ctx)
    if not path or not ctx.disk.exists(path):
        return {}
    check_inside_dataset(ctx, path)
    return read_document(ctx, path, _mapping) or {}


def _mapping(data: bytes) -> Mapping[Hashable, object]:
    document = load_yaml(data)
    if document is None:
        return {}
    if not isinstance(document, dict):
        raise ValueError(f"it is {_named(document)}, not a mapping")
    return cast("Mapping[Hashable, object]", document)


def _annotation_files(ctx: Context) -> dict[str, str]:
    found: dict[str, str] = {}
    for key, value in cast("Mapping[object, object]", annotations_part(ctx).shared()).items():
        path = _referenced(ctx, value)
        if path is None:
            continue
        try:
            text = _text_at(ctx, path)
        except PartUnreadable:
            continue
        if text is not None:
            found[f"annotation_{key}_content"] = path
    return found


def _text_at(ctx: Context, path: str) -> str | None:
    return ctx.once(f"\0text/{path}", lambda: ctx.disk.read_text(path))


def _referenced(ctx: Context, value: object) -> str | None:
    """The file in the dataset that an annotation's text names, if it names one."""
    if not isinstance(value, str) or not value or len(value) > _LONGEST_REFERENCE:
        return None
    if value.startswith("/") or "\n" in value or "\r" in value or value != value.strip():
        return None
    path = os.path.join(ctx.dataset_folder, value)
    if not ctx.disk.is_file(path):
        return None
    return path if stays_inside(path, ctx.spec.dataset_dir) else None


def _named(value: object) -> str:
    if isinstance(value, list):
        return "a list"
    return "text" if isinstance(value, str) else f"a {type(value).__name__}"
