"""The rules service: resolves what players do, and keeps nothing."""

from hutch.runtime import polling as polling  # before gRPC is imported
