"""The gateway: the public API over gRPC."""
