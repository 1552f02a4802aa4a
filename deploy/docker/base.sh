#!/bin/sh
# Makes a base image from Debian packages, for machines where no image registry answers:
#     sudo deploy/docker/base.sh [TAG]
#     docker build --build-arg BASE=hutch-base:trixie --file deploy/docker/Dockerfile .
# Needs root, debootstrap and a Docker engine. Takes about half a minute.
set -eu

tag=${1:-hutch-base:trixie}
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT

debootstrap --variant=minbase --include=ca-certificates,python3,python3-venv trixie "$root"
rm -rf "$root"/var/cache/apt/* "$root"/var/lib/apt/lists/* "$root"/usr/share/doc/* \
    "$root"/usr/share/man/* "$root"/usr/share/locale/*
tar -C "$root" -c . |
    docker import --change 'ENV LANG=C.UTF-8' --change 'CMD ["python3"]' - "$tag"
