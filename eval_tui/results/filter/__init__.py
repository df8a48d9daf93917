"""The language of the filter line: from text to a test of one case.

`parse` reads it, `match` applies it, `complete` offers what may come next. Nothing is evaluated
as code.
"""
