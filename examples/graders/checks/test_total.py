"""The tests of `out/total.py`, which is looked for in the current folder: a copy of the case's."""

import sys
import unittest

sys.path.insert(0, "out")


class Total(unittest.TestCase):
    def test_nothing_costs_nothing(self) -> None:
        from total import total

        self.assertEqual(total([]), 0)

    def test_rows_are_added_up(self) -> None:
        from total import total

        self.assertEqual(total([{"net": 1000, "tax": 20}, {"net": 500, "tax": 0}]), 1700)

    def test_a_refund_is_taken_off(self) -> None:
        from total import total

        self.assertEqual(total([{"net": 1000, "tax": 0}, {"net": -400, "tax": 0}]), 600)


if __name__ == "__main__":
    unittest.main()
