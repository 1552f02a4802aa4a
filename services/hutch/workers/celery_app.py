"""The Celery app: how hints travel, and nothing about what is done with them."""

from __future__ import annotations

from functools import partial
from typing import Any

from celery import Celery
from celery.app.amqp import AMQP
from kombu.connection import Connection

from hutch.workers.seals import HEADER, Seals
from hutch.workers.sifting import Sieve

#: A queue for each purpose, and the task that is called with what is in it.
BOTS = "bots"
PLAY = "hutch.play"
ANALYTICS = "analytics"
TALLY = "hutch.tally"


class BrokerConnection(Connection):
    """Looks for a broker that is away every second. Left to itself it would look less and less
    often, and bots would wait for half a minute when the broker is back."""

    def ensure_connection(self, *args: Any, **options: Any) -> Any:
        """As for kombu, with shorter waits."""
        waits = {"interval_start": 0.2, "interval_step": 0.2, "interval_max": 1.0}
        return super().ensure_connection(*args, **(waits | options))  # type: ignore[no-untyped-call]


class HintAMQP(AMQP):  # type: ignore[misc]
    """Takes messages without acknowledging them: the broker forgets a message that it hands out.

    A hint that dies with its worker comes again from Redis, sooner than any broker redelivers. An
    acknowledgement, on the other hand, that fails while the broker restarts would leave a worker
    deaf: the message counts as unacknowledged for ever, and no other is fetched.

    With `seals`, messages that are sent carry one, and those that carry none are not taken.
    """

    Connection = BrokerConnection
    Consumer = Sieve

    def __init__(self, app: Celery, seals: Seals | None) -> None:
        super().__init__(app)
        self._seals = seals

    def TaskConsumer(self, channel: Any, *args: Any, **options: Any) -> Any:  # noqa: N802
        """As for Celery, without acknowledgements."""
        consumer = super().TaskConsumer(channel, *args, no_ack=True, **options)
        consumer.seals = self._seals
        return consumer

    def as_task_v2(self, task_id: str, name: str, *call: Any, **options: Any) -> Any:
        """As for Celery, sealed. `call` begins with the arguments."""
        message = super().as_task_v2(task_id, name, *call, **options)
        if self._seals is not None:
            message.headers[HEADER] = self._seals.seal(name, call[0] or ())
        return message


def celery_app(broker_url: str, seals: Seals | None = None) -> Celery:
    """An app that sends to, or takes from, that broker; with seals, only what is sealed."""
    amqp = partial(HintAMQP, seals=seals)
    app = Celery("hutch", broker=broker_url, amqp=amqp, set_as_current=False)
    app.conf.update(
        accept_content=["json"],
        task_serializer="json",
        task_ignore_result=True,
        task_default_queue=BOTS,
        worker_prefetch_multiplier=1,
        worker_hijack_root_logger=False,
        worker_redirect_stdouts=False,
        worker_enable_remote_control=False,
        worker_send_task_events=False,
        worker_soft_shutdown_timeout=10,
        worker_cancel_long_running_tasks_on_connection_loss=False,
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        broker_transport_options={
            "socket_timeout": 5,
            "socket_connect_timeout": 5,
            "socket_keepalive": True,
            "health_check_interval": 10,
            "retry_on_timeout": True,
        },
    )
    return app
