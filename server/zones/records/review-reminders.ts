import { sql } from "kysely";
import { seesDomain } from "../../access/zone-access.ts";
import { jsonRows, queries, type Database, type EntityManager } from "../../database/database.ts";
import { qualifiedName } from "../../dns/names/names.ts";
import type { Notifications, TypedNotice } from "../../notifications/notify.ts";
import { recordLabel } from "../../dns/record.ts";

const mostInTransaction = 1_000;

interface Parts {
  database: Database;
  notifications: Notifications;
  now: () => Date;
}

type DueRow = DueRecord & { domain_id: string; owner_id: string | null };

/** Reminds of records whose review date has passed, once for each date. Keeps up with users who are gone, too. */
export class ReviewReminders {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Sends what is due. @param signal ends the run after the transaction in flight */
  async runOnce(signal?: AbortSignal): Promise<void> {
    const { database } = this.#parts;
    await clearGoneOwners(database.fork());
    for (let count = mostInTransaction; count === mostInTransaction;) {
      if (signal?.aborted) return;
      count = await database.fork().transactional((tx) => this.#remind(tx));
    }
  }

  async #remind(tx: EntityManager): Promise<number> {
    const { notifications, now } = this.#parts;
    const at = now();
    // A version that ends meanwhile is left to the next run, which finds its successor.
    const { rows } = await sql<DueRow>`
      update records set review_reminded = records.review_at
      from (
        select record_id, version from records
        where until is null and review_at is not null and review_at is distinct from review_reminded and review_at <= ${at}
        order by review_at limit ${mostInTransaction} for update skip locked
      ) due
      where records.record_id = due.record_id and records.version = due.version
      returning records.record_id as id, records.domain_id, records.owner_id, records.record_type as "recordType",
        records.name, records.value, records.review_at as "reviewAt"
    `.execute(queries(tx));
    const recipients = await recipientsOf(tx, rows, at);
    const groups = Map.groupBy(rows, ({ domain_id: domain, owner_id: owner }) => `${domain} ${owner}`);
    const notices = [...groups].flatMap(([key, records]) => {
      const found = recipients.get(key);
      const sorted = records.toSorted((one, other) => one.reviewAt.getTime() - other.reviewAt.getTime());
      return found ? [reviewDue({ id: found.id, name: found.name }, sorted, found.userId)] : [];
    });
    await notifications.notifyAll(tx, notices);
    return rows.length;
  }
}

/** A domain, and who is asked about records of it. */
interface Recipient {
  id: string;
  /** The domain's name, with its view. */
  name: string;
  /** Null: administrators. */
  userId: string | null;
}

/** Returns whom to remind of records of a domain with an owner, by both: that owner if they still see the domain, else the domain's owner. */
async function recipientsOf(tx: EntityManager, rows: readonly DueRow[], at: Date): Promise<Map<string, Recipient>> {
  const pairs = new Map(rows.map(({ domain_id: d, owner_id: o }) => [`${d} ${o}`, { d, o }]));
  if (pairs.size === 0) return new Map();
  const { rows: found } = await sql<{
    id: string;
    asked: string | null;
    name: string;
    view: string;
    user: string | null;
  }>`
    select d.id, r.o as asked, d.name, d.view, coalesce(u.id, d.owner_id) as "user"
    from ${jsonRows([...pairs.values()])} as r (d uuid, o uuid)
    join domains d on d.id = r.d
    left join users u on u.id = r.o and ${seesDomain("u", "d", at)}
  `.execute(queries(tx));
  return new Map(
    found.map(({ id, asked, user, ...domain }) => [
      `${id} ${asked}`,
      { id, name: qualifiedName(domain), userId: user },
    ]),
  );
}

/** Takes users from records who were deleted while a change that named them was being written. */
async function clearGoneOwners(em: EntityManager): Promise<void> {
  await sql`
    update records set owner_id = null
    where owner_id is not null and not exists (select from users where users.id = records.owner_id)
  `.execute(queries(em));
}

/** A record whose review date has passed. */
interface DueRecord {
  id: string;
  recordType: string;
  name: string;
  value: string;
  reviewAt: Date;
}

const mostListed = 20;

/** Reminds of records of a domain. @param userId whom; null: administrators */
export function reviewDue(
  domain: { id: string; name: string },
  records: readonly DueRecord[],
  userId: string | null,
): TypedNotice<"record.review_due"> {
  const [first] = records;
  const total = records.length;
  const what =
    total === 1 && first ? `${recordLabel(first)} of ${domain.name} is` : `${total} records of ${domain.name} are`;
  const example = total > 1 && first ? `Among them is ${recordLabel(first)}. ` : "";
  return {
    event: "record.review_due",
    title: `${what} due for review`,
    content: `${example}Check whether ${total === 1 ? "it is" : "they are"} still needed, then set another review date or none.`,
    level: "info",
    metadata: {
      domainId: domain.id,
      domainName: domain.name,
      total,
      records: records.slice(0, mostListed).map(({ id, recordType, name, value, reviewAt }) => ({
        recordId: id,
        recordType,
        name,
        value,
        reviewAt: reviewAt.toISOString(),
      })),
    },
    to: userId === null ? { administrators: true } : { userIds: [userId] },
  };
}
