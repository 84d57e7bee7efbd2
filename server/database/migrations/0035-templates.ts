import { Migration } from "@mikro-orm/migrations";

const statements = [
  `create table templates (
    id uuid primary key,
    provider_id text not null collate "C",
    provider_name text not null,
    service_id text not null collate "C",
    service_name text not null,
    revision int not null,
    template text not null,
    created_by uuid,
    created_at timestamptz not null,
    updated_at timestamptz not null
  )`,
  "create unique index templates_key on templates (lower(provider_id), lower(service_id))",
  // Built-in templates have no row, so nothing refers to one.
  `create table domain_templates (
    id uuid primary key,
    domain_id uuid not null references domains on delete cascade,
    template_id uuid not null,
    template_revision int not null,
    provider_id text not null,
    service_id text not null,
    service_name text not null,
    host text not null collate "C",
    instance text not null,
    variables jsonb not null,
    groups jsonb,
    written jsonb not null,
    linked boolean not null,
    revision int not null,
    applied_by uuid,
    applied_at timestamptz not null
  )`,
  "create unique index domain_templates_key on domain_templates (domain_id, template_id, host, instance)",
  "create index domain_templates_domain_idx on domain_templates (domain_id, id)",
  "create index domain_templates_linked_idx on domain_templates (template_id, domain_id) where linked",
];

/** Templates, and where they were applied. */
export class Templates extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
