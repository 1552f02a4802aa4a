from tests.redis_servers import namespace, own_redis_server, redis_server, store

__all__ = ["namespace", "own_redis_server", "redis_server", "store"]
