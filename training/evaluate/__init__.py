"""Scores of reconstructions that the command line made: one table over frame folders and test worlds.

Nothing here reconstructs: `reconstruct frames` does, with the engine that users run.
"""
