"""The adapter to Atropos; the only package that imports atroposlib and wandb."""
