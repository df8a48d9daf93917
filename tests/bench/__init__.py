"""How fast it is: `python -m tests.bench` prints a table. Not part of the test suite."""
