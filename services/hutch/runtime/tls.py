"""TLS: certificates of servers and clients, as gRPC credentials.

A server reads its files again for every connection that finds them changed, so certificates are
renewed without a restart.
"""

from __future__ import annotations

from pathlib import Path

import grpc
import structlog

from hutch.runtime.secret_files import Stamp, stamp

log = structlog.get_logger(__name__)


class CertificateError(ValueError):
    """A certificate or key that cannot be read. The message names the file, and holds no key."""


def server_credentials(
    certificate: Path, key: Path, client_ca: Path | None
) -> grpc.ServerCredentials:
    """What a server shows. With `client_ca`, clients must show a certificate that it signed.

    Raises `CertificateError`.
    """
    files = [certificate, key, *([] if client_ca is None else [client_ca])]
    seen = [_stamp(path) for path in files]

    def configured() -> grpc.ServerCertificateConfiguration:
        trusted = None if client_ca is None else _read(client_ca)
        return grpc.ssl_server_certificate_configuration(
            [(_read(key), _read(certificate))], trusted
        )

    def changed() -> grpc.ServerCertificateConfiguration | None:
        nonlocal seen
        try:
            now = [_stamp(path) for path in files]
            if now == seen:
                return None
            configuration = configured()
        except CertificateError as fault:
            log.error("certificate_unusable", error=str(fault))
            return None
        seen = now
        return configuration

    return grpc.dynamic_ssl_server_credentials(
        configured(),
        changed,  # type: ignore[arg-type]  # None stands for: as before
        require_client_authentication=client_ca is not None,
    )


def channel_credentials(
    ca: Path, certificate: Path | None = None, key: Path | None = None
) -> grpc.ChannelCredentials:
    """What a client trusts, and with a certificate what it shows. Raises `CertificateError`."""
    return grpc.ssl_channel_credentials(
        root_certificates=_read(ca),
        private_key=None if key is None else _read(key),
        certificate_chain=None if certificate is None else _read(certificate),
    )


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as fault:
        raise CertificateError(f"{path} cannot be read: {fault.strerror}.") from None


def _stamp(path: Path) -> Stamp:
    try:
        return stamp(path)
    except OSError as fault:
        raise CertificateError(f"{path} cannot be read: {fault.strerror}.") from None
