#!/bin/sh
# Patroni runs this once, on the first primary, with a connection string of the superuser.
set -eu
: "${ZONEWRIGHT_PASSWORD:?}"
# psql reads the password from the environment, so that no list of processes shows it.
psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --dbname="$1" <<'SQL'
\set password `printf %s "$ZONEWRIGHT_PASSWORD"`
create role zonewright login password :'password';
create database zonewright owner zonewright;
SQL
