"""How easy a reply is to read."""

import re


def reading_ease(outputs):
    reply = outputs["files"]["output/reply.md"]
    sentences = [part for part in re.split(r"[.?!:]\s", reply) if part.strip()]
    average = len(reply.split()) / len(sentences)
    # Seven words to a sentence are fine; each one more costs four points. Nothing keeps this above
    # zero: a monster of a sentence falls off the scale that eval.yaml declares.
    return round(100 - 4 * max(0.0, average - 7), 1), f"{average:.1f} words to a sentence"
