"""TLS: certificates of servers and clients, as gRPC credentials.

A server reads its files again for every connection that finds them changed, so certificates are
renewed without a restart.
"""

from __future__ import annotations

import ssl
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
    told = ""

    def configured() -> grpc.ServerCertificateConfiguration:
        trusted = None if client_ca is None else _authority(client_ca)
        return grpc.ssl_server_certificate_configuration([_pair(certificate, key)], trusted)

    def changed() -> grpc.ServerCertificateConfiguration | None:
        nonlocal seen, told
        try:
            now = [_stamp(path) for path in files]
            if now == seen:
                return None
            configuration = configured()
        except CertificateError as fault:  # maybe but one of the files is new yet
            if str(fault) != told:
                log.error("certificate_unusable", error=str(fault))
            told = str(fault)
            return None
        seen, told = now, ""
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
    own_key = own_certificate = None
    if certificate is not None and key is not None:
        own_key, own_certificate = _pair(certificate, key)
    return grpc.ssl_channel_credentials(
        root_certificates=_authority(ca), private_key=own_key, certificate_chain=own_certificate
    )


def _pair(certificate: Path, key: Path) -> tuple[bytes, bytes]:
    """The key, and the certificate that it belongs to. gRPC would not say what is wrong."""
    pair = _read(key), _read(certificate)
    try:
        _context().load_cert_chain(certificate, key, password="")  # none is asked for
    except ssl.SSLError as fault:
        why = (fault.reason or "unreadable").lower().replace("_", " ")
        raise CertificateError(
            f"{certificate} and {key} are no certificate and its key: {why}."
        ) from None
    return pair


def _authority(path: Path) -> bytes:
    """The certificates of those who are trusted."""
    content = _read(path)
    try:
        _context().load_verify_locations(path)
    except ssl.SSLError:
        raise CertificateError(f"{path} holds no certificate.") from None
    return content


def _context() -> ssl.SSLContext:
    return ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)


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
