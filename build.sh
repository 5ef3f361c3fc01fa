#!/bin/sh
# Starts the build engine, which does everything: ./build.sh --help
exec python3 "$(dirname -- "$0")/eng/build.py" "$@"
