import { Migration } from "@mikro-orm/migrations";

const statements = [
  // Null: as the installation says.
  "alter table domains add column review_required text",
  "alter table domains add column review_acme boolean not null default false",
  `create table change_requests (
    id uuid primary key,
    number int generated always as identity unique,
    domain_id uuid references domains on delete set null,
    domain_name text not null,
    author_id uuid references users on delete set null,
    token_id uuid,
    ip text,
    request_id text,
    state text not null,
    title text not null,
    note text,
    changes jsonb not null,
    reverse jsonb,
    force boolean not null,
    hosts text[] not null,
    plan jsonb not null,
    creates int not null,
    updates int not null,
    deletes int not null,
    changes_hash text not null,
    apply_at timestamptz,
    proposed boolean not null,
    applying_token uuid,
    applying_at timestamptz,
    reason text,
    comment_count int not null default 0,
    created_at timestamptz not null,
    closed_at timestamptz
  )`,
  "create index change_requests_domain_idx on change_requests (domain_id, id)",
  "create index change_requests_author_idx on change_requests (author_id, id)",
  "create index change_requests_state_idx on change_requests (state, id)",
  "create index change_requests_open_idx on change_requests (id) where closed_at is null",
  "create index change_requests_applying_idx on change_requests (applying_at) where applying_token is not null",
  "create index change_requests_due_idx on change_requests (apply_at) where closed_at is null and apply_at is not null",
  `create table change_request_reviews (
    id uuid primary key,
    change_request_id uuid not null references change_requests on delete cascade,
    user_id uuid references users on delete set null,
    token_id uuid,
    verdict text not null,
    changes_hash text,
    note text,
    created_at timestamptz not null
  )`,
  "create index change_request_reviews_request_idx on change_request_reviews (change_request_id, id)",
  "create index change_request_reviews_user_idx on change_request_reviews (user_id)",
  `create table change_request_comments (
    id uuid primary key,
    change_request_id uuid not null references change_requests on delete cascade,
    user_id uuid references users on delete set null,
    text text not null,
    created_at timestamptz not null
  )`,
  "create index change_request_comments_request_idx on change_request_comments (change_request_id, id)",
  "create index change_request_comments_user_idx on change_request_comments (user_id)",
  "alter table change_sets add column change_request_id uuid",
  // No request is carried out twice.
  "create unique index change_sets_request_key on change_sets (change_request_id) where change_request_id is not null",
];

/** Changes that somebody else reviews, and where a review is required. */
export class ChangeRequests extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
