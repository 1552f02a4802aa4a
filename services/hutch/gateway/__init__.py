"""The gateway: the public API over gRPC."""

from hutch.runtime import polling as polling  # before gRPC is imported
