"""llamachat: a desktop window for language models served on one's own machine."""

__version__ = "0.1.0"
