"""Widgets and screens with abstract methods."""

from __future__ import annotations

from abc import ABCMeta

from textual.message_pump import _MessagePumpMeta


class Abstract(ABCMeta, _MessagePumpMeta):
    """The metaclass of those that cannot be made while they lack any abstract method."""
