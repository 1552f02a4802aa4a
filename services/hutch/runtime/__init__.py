"""What every process has: settings, logs, metrics, health, drain. Knows no game."""
