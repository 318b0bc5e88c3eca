"""Scores of reconstructions that the command line made: one table over frame folders and test worlds.

The engine that users run reconstructs (`reconstruct frames`); the row of the float network is PyTorch's.
"""
