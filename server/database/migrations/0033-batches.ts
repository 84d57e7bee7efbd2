import { Migration } from "@mikro-orm/migrations";

const statements = [
  "alter table change_sets add column reverts_id uuid",
  "alter table change_sets add column batch_item_id uuid",
  "create index change_sets_reverts_idx on change_sets (reverts_id) where reverts_id is not null",
  // No item of a batch is carried out twice.
  "create unique index change_sets_batch_item_key on change_sets (batch_item_id) where batch_item_id is not null",
  `create table batches (
    id uuid primary key,
    kind text not null,
    user_id uuid references users on delete set null,
    token_id uuid,
    ip text,
    request_id text,
    request jsonb not null,
    force boolean not null,
    reverts_id uuid,
    state text not null,
    reason text,
    announced int not null default 0,
    created_at timestamptz not null,
    finished_at timestamptz
  )`,
  "create index batches_user_idx on batches (user_id)",
  "create index batches_open_idx on batches (id) where finished_at is null",
  "create index batches_finished_idx on batches (finished_at) where finished_at is not null",
  "create index batches_reverts_idx on batches (reverts_id) where reverts_id is not null",
  `create table batch_items (
    id uuid primary key,
    batch_id uuid not null references batches on delete cascade,
    position int not null,
    domain_id uuid not null references domains on delete cascade,
    state text not null,
    plan_hash text,
    detail jsonb,
    change_set_id uuid,
    error text
  )`,
  "create unique index batch_items_position_key on batch_items (batch_id, position)",
  "create index batch_items_state_idx on batch_items (batch_id, state, position)",
  "create index batch_items_domain_idx on batch_items (domain_id)",
];

/** Changes of many domains, carried out one by one in the background; and which change set reverts which. */
export class Batches extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
