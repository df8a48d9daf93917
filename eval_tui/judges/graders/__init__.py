"""Graders: entries of `graders:` as columns beside the judges (D37-D40).

A module for each implementation makes its `Grade` from a spec; `load` finds it. `contract` turns the
rows that it emits into the score of a cell; running commands is the engine's business, behind
`bench.Bench`.
"""
