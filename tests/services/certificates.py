"""A certificate authority of a test's own, and what it signs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

LOOPBACK = x509.SubjectAlternativeName(
    [x509.IPAddress(ip_address("127.0.0.1")), x509.DNSName("localhost")]
)


class Certificate(NamedTuple):
    """The files of a certificate and its key."""

    certificate: Path
    key: Path


class Authority:
    """Signs certificates for this machine. `file` is its own."""

    def __init__(self, folder: Path, name: str = "test") -> None:
        self._folder = folder
        self._name = _named(f"{name} CA")
        self._key = ec.generate_private_key(ec.SECP256R1())
        self.file = folder / f"{name}-ca.pem"
        itself = (
            _begun(self._name, self._name, self._key)
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .sign(self._key, hashes.SHA256())
        )
        self.file.write_bytes(itself.public_bytes(serialization.Encoding.PEM))

    def signed(self, name: str) -> Certificate:
        """A fresh certificate for 127.0.0.1; the same name replaces the files of the one before."""
        key = ec.generate_private_key(ec.SECP256R1())
        certificate = (
            _begun(_named(name), self._name, key)
            .add_extension(LOOPBACK, critical=False)
            .sign(self._key, hashes.SHA256())
        )
        made = Certificate(self._folder / f"{name}.pem", self._folder / f"{name}.key")
        made.key.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
        )
        made.certificate.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
        return made


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _begun(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey
) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(minutes=5))
        .not_valid_after(now + timedelta(hours=1))
    )
