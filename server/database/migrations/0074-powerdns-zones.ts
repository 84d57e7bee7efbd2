import { Migration } from "@mikro-orm/migrations";

/** Settings of zones that clients of PowerDNS's API set, and read back. */
export class PowerdnsZoneSettings extends Migration {
  override up(): void {
    this.addSql(
      "create table powerdns_zones (domain_id uuid primary key references domains on delete cascade, settings jsonb not null)",
    );
  }
}
