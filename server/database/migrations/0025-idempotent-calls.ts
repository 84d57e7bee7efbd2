import { Migration } from "@mikro-orm/migrations";

const statements = [
  `create table idempotent_calls (
    id text primary key,
    request_hash text not null,
    runs_until timestamptz,
    answer text,
    etag text,
    created_at timestamptz not null
  )`,
  "create index idempotent_calls_created_idx on idempotent_calls (created_at)",
];

/** Answers of calls that came with an Idempotency-Key. */
export class IdempotentCalls extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}
