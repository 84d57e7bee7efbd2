import { Migration } from "@mikro-orm/migrations";

/**
 * Refuses a zone at a provider configuration that another table has already. Its lock makes calls at the same time wait for each other; there
 * are few different ones, because a server holds a limited number at once, and a statement may insert many domains.
 */
const refusal = (taken: string) => `
  perform pg_advisory_xact_lock(100, mod(hashtextextended(new.provider_config_id::text || ' ' || new.provider_zone, 0), 1024)::integer);
  if exists (${taken}) then
    raise exception 'the zone is in use at this provider configuration' using errcode = 'unique_violation';
  end if;`;

const statements = [
  // What is known of the calls to a mirror: until when its provider may not show them, and whether one of them has no known end.
  "alter table mirrors add column settles_at timestamptz",
  // The next comparison has the provider serve what an earlier version may have left stored only.
  "alter table mirrors add column unconfirmed boolean not null default true",
  "alter table mirrors alter column unconfirmed set default false",
  // A domain's own zone is not its mirror, although an earlier version could make it one.
  "delete from mirrors m using domains d where d.id = m.domain_id and d.provider_config_id = m.provider_config_id",
  // Unique indexes see one table each.
  `create function mirror_takes_zone() returns trigger language plpgsql as $$
    begin
      ${refusal("select from domains d where d.provider_config_id = new.provider_config_id and d.provider_zone = new.provider_zone")}
      return new;
    end $$`,
  `create trigger mirrors_take_zones before insert on mirrors for each row execute function mirror_takes_zone()`,
  `create function domain_takes_zone() returns trigger language plpgsql as $$
    begin
      if tg_op = 'UPDATE' and (old.provider_config_id, old.provider_zone) = (new.provider_config_id, new.provider_zone) then
        return new;
      end if;
      -- Its own mirror becomes the main provider.
      ${refusal("select from mirrors m where m.provider_config_id = new.provider_config_id and m.provider_zone = new.provider_zone and m.domain_id <> new.id")}
      return new;
    end $$`,
  `create trigger domains_take_zones before insert or update of provider_config_id, provider_zone on domains
    for each row execute function domain_takes_zone()`,
];

/** What is known of the calls to a mirror, and no zone that is both a domain's and a mirror. */
export class MirrorGuards extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
