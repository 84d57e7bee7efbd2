import { Migration } from "@mikro-orm/migrations";

const statements = [
  `alter table domains
    add column provider_signed boolean not null default false,
    add column server_managed_count int not null default 0`,
  `create table server_managed_records (
    record_id uuid primary key,
    domain_id uuid not null references domains on delete cascade,
    record_type text not null collate "C",
    name text not null collate "C",
    value text not null,
    ttl int not null,
    read_at timestamptz not null
  )`,
  "create index server_managed_records_order_idx on server_managed_records (domain_id, name, record_type, record_id)",
  // Until now their signatures were stored like other records. Without a fingerprint the next check reads them anew.
  `update domains set provider_signed = true, provider_fingerprint = null
    from provider_configs config
    where config.id = domains.provider_config_id and config.kind = 'rfc2136' and exists (
      select 1 from records
      where records.domain_id = domains.id and records.until is null
        and records.record_type = 'RRSIG' and records.name = '@'
        and records.value ~* '^(soa|type6) |^\\\\# [0-9]+ 0006'
    )`,
];

/** Records that a signing name server maintains: as last read, beside the versions. */
export class ServerManagedRecords extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
