import { Migration } from "@mikro-orm/migrations";

/** Finds the NS records that point to a name, or to one below it, in a zone with any number of delegations. */
export class NameServers extends Migration {
  override up(): void {
    this.addSql(
      `create index records_name_servers_idx on records (domain_id, reverse(value) collate "C")
       where until is null and record_type = 'NS'`,
    );
  }
}
