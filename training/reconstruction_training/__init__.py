"""The Super Resolution network in PyTorch: what the engine computes, differentiable, and its training."""
