import { sql } from "kysely";
import { jsonRows, queries, type Database, type EntityManager } from "../../database/database.ts";
import type { Outbox } from "../../notifications/channels/outbox.ts";
import type { Digest, ZoneFilter } from "../../database/tables/notifications.ts";
import { coversDomain, dueAt } from "../../notifications/channels/kind.ts";
import { newId } from "../../platform/ids.ts";
import type { Logger } from "../../platform/log.ts";
import {
  changedMetadata,
  heardChanges,
  reportedChange,
  changeMessage,
  digestMessage,
  type ReportedChange,
} from "./changes.ts";

/** The job that reports what a crash left, and the digests that are due. */
export const reportJobName = "changes.report";

const reportsAtOnce = 20;
/** Changes that a digest lists; it counts all. */
const listedInDigest = 100;
/** Changes soon after another are reported in one run. */
const coalescingMilliseconds = 200;

interface Parts {
  database: Database;
  outbox: Outbox;
  siteUrl: string;
  log: Logger;
  now: () => Date;
}

interface Channel {
  id: string;
  channel: string;
  filter: ZoneFilter;
  digest: Digest;
}

/** Reports changes of zones to the channels that hear of them, each at least once: by itself, or with others in a digest. */
export class ChangeReporter {
  readonly #parts: Parts;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;
  #running: Promise<void> = Promise.resolve();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Reports what was committed by now, shortly. */
  soon(): void {
    if (this.#stopped) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#running = this.#running
        .then(() => this.#report())
        .catch((error: unknown) => {
          this.#parts.log.warn({ err: error }, "changes could not be reported to channels; a job retries");
        });
    }, coalescingMilliseconds);
    this.#timer.unref();
  }

  /** Reports everything that is due. */
  async run(signal: AbortSignal): Promise<void> {
    await this.#report(signal);
    await this.#sendDigests(signal);
  }

  /** Ends reporting, also of what is committed from now on. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  async #report(signal?: AbortSignal): Promise<void> {
    for (;;) {
      if (signal?.aborted) return;
      const count = await this.#parts.database.fork().transactional((tx) => this.#reportSome(tx));
      if (count < reportsAtOnce) return;
    }
  }

  /** Hands some changes to the channels that hear of them. @returns how many changes there were */
  async #reportSome(tx: EntityManager): Promise<number> {
    const { rows } = await sql<{ id: string; change_set_id: string; token_id: string | null; due_at: Date }>`
      delete from change_reports where id in (
        select id from change_reports where channel_id is null order by id limit ${reportsAtOnce} for update skip locked
      ) returning change_set_id, token_id, due_at, id
    `.execute(queries(tx));
    const channels = rows.length === 0 ? [] : await hearing(tx);
    const waiting: { id: string; change_set_id: string; token_id: string | null; channel_id: string; due_at: Date }[] =
      [];
    for (const { change_set_id: changeSetId, token_id: tokenId, due_at: at } of channels.length === 0
      ? []
      : byId(rows)) {
      const change = await reportedChange(tx, { changeSetId, tokenId });
      if (!change) continue;
      for (const channel of channels) {
        const { filter, digest } = channel;
        if (!coversDomain(filter, change.domain) || heardChanges(change, filter).length === 0) continue;
        if (digest === "immediate")
          await this.#deliver(tx, channel, changeMessage(this.#metadata(change, filter), this.#parts.now()));
        else
          waiting.push({
            id: newId(),
            change_set_id: changeSetId,
            token_id: tokenId,
            channel_id: channel.id,
            due_at: dueAt(digest, at),
          });
      }
    }
    await store(tx, waiting);
    return rows.length;
  }

  async #sendDigests(signal: AbortSignal): Promise<void> {
    const { database, now } = this.#parts;
    const { rows } = await sql<{ channel_id: string }>`
      select distinct channel_id from change_reports where channel_id is not null and due_at <= ${now()}
    `.execute(queries(database.fork()));
    for (const { channel_id: channelId } of rows) {
      if (signal.aborted) return;
      await database.fork().transactional((tx) => this.#sendDigest(tx, channelId));
    }
  }

  async #sendDigest(tx: EntityManager, channelId: string): Promise<void> {
    const { now, siteUrl } = this.#parts;
    // Its row is locked, so that another instance does not send the rest as a digest of its own.
    const channel = (await hearing(tx, channelId))[0];
    const { rows } = await sql<{ id: string; change_set_id: string; token_id: string | null }>`
      delete from change_reports where channel_id = ${channelId}::uuid and due_at <= ${now()}
      returning id, change_set_id, token_id
    `.execute(queries(tx));
    if (!channel || rows.length === 0) return;
    const listed = [];
    for (const { change_set_id: changeSetId, token_id: tokenId } of byId(rows).slice(0, listedInDigest)) {
      const change = await reportedChange(tx, { changeSetId, tokenId });
      if (change) listed.push(this.#metadata(change, channel.filter));
    }
    if (listed.length > 0) await this.#deliver(tx, channel, digestMessage(listed, rows.length, now(), siteUrl));
  }

  #metadata(change: ReportedChange, filter: ZoneFilter) {
    return changedMetadata(change, filter, this.#parts.siteUrl);
  }

  async #deliver(tx: EntityManager, channel: Channel, message: Parameters<Outbox["deliver"]>[2]): Promise<void> {
    await this.#parts.outbox.deliver(tx, channel, message);
  }
}

function byId<Row extends { id: string }>(rows: readonly Row[]): Row[] {
  return rows.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

/** Returns the enabled channels that hear of changes. @param only locks and returns one of them */
async function hearing(tx: EntityManager, only?: string): Promise<Channel[]> {
  const rows = await queries(tx)
    .selectFrom("notification_channels")
    .select(["id", "channel", "zone_filter", "digest"])
    .where("enabled", "=", true)
    .where(sql<boolean>`'zone.changed' = any (events)`)
    .$if(only !== undefined, (query) => query.where("id", "=", only ?? "").forUpdate())
    .orderBy("id")
    .execute();
  return rows.map(({ id, channel, zone_filter: filter, digest }) => ({ id, channel, filter: filter ?? {}, digest }));
}

async function store(tx: EntityManager, waiting: readonly object[]): Promise<void> {
  if (waiting.length === 0) return;
  // A channel that was deleted meanwhile is left out, instead of failing the others.
  await sql`
    insert into change_reports (id, change_set_id, token_id, channel_id, due_at)
    select row.* from ${jsonRows(waiting)} as row (id uuid, change_set_id uuid, token_id uuid, channel_id uuid, due_at timestamptz)
    where exists (select from notification_channels where id = row.channel_id for key share)
  `.execute(queries(tx));
}
