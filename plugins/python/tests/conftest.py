"""Hypothesis without a clock and without chance: the same examples in every run, however slow the machine is."""
from hypothesis import settings

settings.register_profile("same_everywhere", deadline=None, derandomize=True)
settings.load_profile("same_everywhere")
