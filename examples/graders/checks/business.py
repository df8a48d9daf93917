"""The agent's total of the customer's invoice against the ledger, in cents.

    business.py LEDGER

Prints a score for each of two metrics. The case is described in the file that EVAL_TUI_CONTEXT names;
the current folder is a copy of the case's.
"""

import json
import os
import sys

sys.path.insert(0, "out")

with open(os.environ["EVAL_TUI_CONTEXT"]) as file:
    customer = json.load(file)["aeh"]["annotations"]["customer"]
with open(sys.argv[1]) as file:
    invoice = json.load(file)[customer]

from total import total  # noqa: E402

print(f"[INFO] {customer}: {len(invoice['rows'])} rows")
found, expected = total(invoice["rows"]), invoice["total"]
off = abs(found - expected)
print(
    json.dumps(
        [
            {
                "metric": "matches_ledger",
                "value": 1 if off == 0 else 0,
                "pass": off == 0,
                "detail": f"the total is {found}, the ledger has {expected}",
            },
            {"metric": "cents_off", "value": off},
        ]
    )
)
