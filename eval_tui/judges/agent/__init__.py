"""Judges that are agents, without the run: what one is given, is told, and has answered.

Runs in the workers: standard library, PyYAML and Jinja2 only. Whether an agent runs, what it
costs and what is remembered belong to the engine.
"""
