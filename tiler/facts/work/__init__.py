"""Kinds of work of operations of devices: one table by libraries and formats, to which users add rules."""

from tilescope.tiler.facts.work.classifier import KERNELS, OTHER_TASKS, Classifier, classifier
from tilescope.tiler.facts.work.kinds import Origin, Work, origins_of, work_of, works_of

__all__ = ["KERNELS", "OTHER_TASKS", "Classifier", "Origin", "Work", "classifier", "origins_of", "work_of", "works_of"]
