"""Workers: the dispatcher hands awaited bots out, Celery workers play them.

A Celery message is only a hint. The truth (who is awaited) is in Redis, so a hint that is lost
comes again, and one that is doubled or late finds nothing to do.
"""
