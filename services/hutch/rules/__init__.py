"""The rules service: resolves what players do, and keeps nothing."""
