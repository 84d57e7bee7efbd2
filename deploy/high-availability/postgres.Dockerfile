# PostgreSQL with Patroni, and etcd: docker build -f postgres.Dockerfile -t zonewright-postgres .
FROM postgres:17-bookworm
RUN apt-get update \
  && apt-get install -y --no-install-recommends patroni python3-etcd etcd-server etcd-client \
  && rm -rf /var/lib/apt/lists/* \
  # Older ones can lose changes: see docs/operations/high-availability.md.
  && dpkg --compare-versions "$(dpkg-query --show --showformat='${Version}' patroni)" ge 3.0.3 \
  && install -d -o postgres -g postgres -m 0700 /var/lib/etcd
COPY --chmod=0755 create-database.sh /etc/patroni/
COPY patroni.yml /etc/patroni/
USER postgres
ENTRYPOINT []
CMD ["patroni", "/etc/patroni/patroni.yml"]
