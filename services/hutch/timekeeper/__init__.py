"""The timekeeper: plays the default when time runs out."""

from hutch.runtime import polling as polling  # before gRPC is imported
