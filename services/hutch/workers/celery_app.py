"""The Celery app: how hints travel, and nothing about what is done with them."""

from __future__ import annotations

from celery import Celery

#: Queues, one a purpose.
BOTS = "bots"
#: A message that a dead worker held comes back after this; hints come back earlier anyway.
VISIBILITY_SECONDS = 30
TASK_SECONDS = 20

PLAY = "hutch.play"


def celery_app(broker_url: str) -> Celery:
    """An app that sends to, or takes from, that broker."""
    app = Celery("hutch", broker=broker_url, set_as_current=False)
    app.conf.update(
        accept_content=["json"],
        task_serializer="json",
        task_ignore_result=True,
        task_acks_late=True,
        task_reject_on_worker_lost=True,
        task_default_queue=BOTS,
        task_soft_time_limit=TASK_SECONDS,
        task_time_limit=TASK_SECONDS + 5,
        worker_prefetch_multiplier=1,
        worker_hijack_root_logger=False,
        worker_redirect_stdouts=False,
        worker_enable_remote_control=False,
        worker_send_task_events=False,
        worker_soft_shutdown_timeout=10,
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        broker_transport_options={
            "visibility_timeout": VISIBILITY_SECONDS,
            "unacked_restore_interval": 1,
            "unacked_restore_throttle": 1,
            "unacked_mutex_expire": 10,
            "socket_timeout": 5,
            "socket_connect_timeout": 5,
            "socket_keepalive": True,
            "health_check_interval": 10,
            "retry_on_timeout": True,
        },
    )
    return app
