import { sql } from "kysely";
import { arrayLiteral, jsonRows, queries, type Database, type EntityManager } from "../../database/database.ts";
import type { Outbox } from "../../notifications/channels/outbox.ts";
import type { Digest, ZoneFilter } from "../../database/tables/notifications.ts";
import { coversDomain, dueAt } from "../../notifications/channels/kind.ts";
import { newId } from "../../platform/ids.ts";
import type { Logger } from "../../platform/log.ts";
import { zoneChangesOf, zoneCountsOf, type HistoryChange } from "../changes/history.ts";
import { qualifiedName } from "../../dns/names/names.ts";
import type { ZoneChanged, NotificationContent } from "../../platform/events.ts";

const listedChanges = 50;
/** A record's value in the text of a message. */
const longestValue = 200;
/** In UTF-16 code units, as other notifications. */
const longestContent = 1_000;

/** A change of a zone, with what a message says of it. */
interface ReportedChange {
  changeSetId: string;
  domain: { id: string; name: string; tags: readonly string[]; groupName: string | null };
  kind: string;
  message: string | null;
  actor: string | null;
  means: ZoneChanged["means"];
  meansName: string | null;
  at: Date;
  revision: number;
  creates: number;
  updates: number;
  deletes: number;
  /** Its changes of records by the types that channels name, once read. */
  byTypes: Map<string, HeardChanges | null>;
}

/** Changes of the records that a channel hears of, and how many there are. */
interface HeardChanges {
  /** The first 100. */
  changes: readonly HistoryChange[];
  creates: number;
  updates: number;
  deletes: number;
}

/** Reads a change set; null if its domain or its versions are gone. */
async function reportedChange(
  em: EntityManager,
  { changeSetId, tokenId }: { changeSetId: string; tokenId: string | null },
): Promise<ReportedChange | null> {
  const set = await queries(em)
    .selectFrom("change_sets as c")
    .innerJoin("domains as d", "d.id", "c.domain_id")
    .leftJoin("users as u", "u.id", "c.actor_id")
    .leftJoin("personal_tokens as t", (join) => join.on("t.id", "=", tokenId))
    .leftJoin("tsig_keys as k", "k.key_name", "c.tsig_key")
    .leftJoin("change_requests as r", "r.id", "c.change_request_id")
    .select(["c.id", "c.kind", "c.message", "c.revision", "c.creates", "c.updates", "c.deletes", "c.finished_at"])
    .select(["d.id as domain_id", "d.name", "d.view", "d.tags", "d.group_name", "u.username", "c.created_at"])
    .select(["t.name as token_name", "k.name as key_label", "c.tsig_key", "r.number as request_number", "c.actor_id"])
    .where("c.id", "=", changeSetId)
    .executeTakeFirst();
  if (!set || set.revision === null) return null;
  return {
    changeSetId,
    domain: { id: set.domain_id, name: qualifiedName(set), tags: set.tags, groupName: set.group_name },
    kind: set.kind,
    message: set.message,
    actor: set.username,
    ...meansOf(set, tokenId),
    at: set.finished_at ?? set.created_at,
    revision: set.revision,
    creates: set.creates,
    updates: set.updates,
    deletes: set.deletes,
    byTypes: new Map(),
  };
}

/** Returns the changes of the types that a channel hears of, read once for all channels that name the same types; null if there are none. */
async function heardChanges(
  em: EntityManager,
  { domain, revision, byTypes, creates, updates, deletes }: ReportedChange,
  { recordTypes }: ZoneFilter,
): Promise<HeardChanges | null> {
  const types = recordTypes?.toSorted().join(" ") ?? "";
  const known = byTypes.get(types);
  if (known !== undefined) return known;
  const changes = await zoneChangesOf(em, domain.id, revision, recordTypes ?? []);
  const counts = recordTypes ? await zoneCountsOf(em, domain.id, revision, recordTypes) : { creates, updates, deletes };
  const heard = changes.length === 0 ? null : { changes, ...counts };
  byTypes.set(types, heard);
  return heard;
}

/** Returns what a channel hears of a change; null: nothing. */
async function heardBy(em: EntityManager, { filter }: Channel, change: ReportedChange): Promise<HeardChanges | null> {
  return coversDomain(filter, change.domain) ? await heardChanges(em, change, filter) : null;
}

/** Returns what programs get of a change. */
function changedMetadata(change: ReportedChange, heard: HeardChanges, siteUrl: string): ZoneChanged {
  const { changeSetId, domain, kind, message, actor, means, meansName, revision } = change;
  const { changes, creates, updates, deletes } = heard;
  return {
    domainId: domain.id,
    domainName: domain.name,
    changeSetId,
    revision,
    kind,
    message,
    actor,
    means,
    meansName,
    creates,
    updates,
    deletes,
    changes: changes.slice(0, listedChanges),
    at: change.at.toISOString(),
    url: new URL(`/d/${encodeURIComponent(domain.name)}/records`, siteUrl).href,
  };
}

/** Returns the message about one change. */
export function changeMessage(changed: ZoneChanged, now: Date): NotificationContent {
  const { domainName, message, url } = changed;
  const head = `${madeBy(changed)} changed ${recordCount(changed)}${message === null ? "." : `: “${message}”`}`;
  return {
    event: "zone.changed",
    title: `${domainName} changed`,
    content: fitting([head, ...changeLines(changed)], url),
    level: "info",
    metadata: { ...changed },
    createdAt: now,
  };
}

/** Returns the message about the changes since the last one. @param total all of them; `listed` are the first */
function digestMessage(listed: readonly ZoneChanged[], total: number, now: Date, siteUrl: string): NotificationContent {
  const names = [...new Set(listed.map(({ domainName }) => domainName))];
  const [first = ""] = names;
  const lines = listed.map((changed) => {
    const why = changed.message === null ? "" : `: “${changed.message}”`;
    return `${changed.at.slice(0, 16).replace("T", " ")} ${changed.domainName}: ${recordCount(changed)} by ${madeBy(changed)}${why}`;
  });
  const where = names.length === 1 ? first : `${names.length}${total > listed.length ? " or more" : ""} zones`;
  return {
    event: "zone.changed",
    title: total === 1 ? `1 change in ${where}` : `${total} changes in ${where}`,
    content: fitting(lines, siteUrl),
    level: "info",
    metadata: { digest: true, total, changes: listed },
    createdAt: now,
  };
}

/** Returns by which means a change was made, and their name. */
function meansOf(
  set: {
    actor_id: string | null;
    request_number: number | null;
    token_name: string | null;
    tsig_key: string | null;
    key_label: string | null;
  },
  tokenId: string | null,
): Pick<ReportedChange, "means" | "meansName"> {
  if (set.request_number !== null) return { means: "request", meansName: `#${set.request_number}` };
  if (set.tsig_key !== null) return { means: "key", meansName: set.key_label ?? set.tsig_key };
  if (tokenId !== null) return { means: "token", meansName: set.token_name };
  return { means: set.actor_id === null ? "service" : "session", meansName: null };
}

/** Returns one line for each changed record, as a patch shows it. */
function changeLines({ changes }: ZoneChanged): string[] {
  return changes.map(({ before, after }) => {
    const { name, recordType } = after ?? before ?? { name: "", recordType: "" };
    const values = [before?.value, after?.value].flatMap((value) => (value === undefined ? [] : [clipped(value)]));
    const sign = before === null ? "+" : after === null ? "−" : "~";
    return `${sign} ${name} ${recordType} ${[...new Set(values)].join(" → ")}`;
  });
}

/** Returns who made a change, and by which means. */
function madeBy({ actor, means, meansName }: Pick<ZoneChanged, "actor" | "means" | "meansName">): string {
  const who = actor ?? "Zonewright";
  if (means === "token") return meansName === null ? `${who} (a deleted token)` : `${who} (token “${meansName}”)`;
  if (means === "key") return `${who} (TSIG key “${meansName}”)`;
  return means === "request" ? `${who} (change request ${meansName ?? ""})` : who;
}

function recordCount({ creates, updates, deletes }: Pick<ZoneChanged, "creates" | "updates" | "deletes">): string {
  const total = creates + updates + deletes;
  return total === 1 ? "1 record" : `${total} records`;
}

/** Joins as many lines as fit, says how many are left out, and ends with the address. */
function fitting(lines: readonly string[], url: string): string {
  const room = longestContent - url.length - 40;
  const shown: string[] = [];
  let length = 0;
  for (const line of lines) {
    if (length + line.length + 1 > room) break;
    shown.push(line);
    length += line.length + 1;
  }
  const left = lines.length - shown.length;
  return [...shown, ...(left > 0 ? [`And ${left} more.`] : []), url].join("\n");
}

function clipped(value: string): string {
  return value.length <= longestValue ? value : `${value.slice(0, longestValue - 1).toWellFormed()}…`;
}

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
        const { digest } = channel;
        const heard = await heardBy(tx, channel, change);
        if (!heard) continue;
        if (digest === "immediate")
          await this.#deliver(tx, channel, changeMessage(this.#metadata(change, heard), this.#parts.now()));
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
    // The filter, a tag or a group may have changed since.
    const admitted = await admittedChanges(
      tx,
      channel.filter,
      rows.map((row) => row.change_set_id),
    );
    const due = byId(rows).filter((row) => admitted.has(row.change_set_id));
    const listed = [];
    for (const { change_set_id: changeSetId, token_id: tokenId } of due.slice(0, listedInDigest)) {
      const change = await reportedChange(tx, { changeSetId, tokenId });
      const heard = change && (await heardBy(tx, channel, change));
      if (heard) listed.push(this.#metadata(change, heard));
    }
    if (listed.length > 0) await this.#deliver(tx, channel, digestMessage(listed, due.length, now(), siteUrl));
  }

  #metadata(change: ReportedChange, heard: HeardChanges) {
    return changedMetadata(change, heard, this.#parts.siteUrl);
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
    .$if(only !== undefined, (query) => query.where("id", "=", only ?? "").forNoKeyUpdate())
    .orderBy("id")
    .execute();
  return rows.map(({ id, channel, zone_filter: filter, digest }) => ({ id, channel, filter: filter ?? {}, digest }));
}

/** Returns which change sets a filter admits. */
async function admittedChanges(tx: EntityManager, filter: ZoneFilter, ids: readonly string[]): Promise<Set<string>> {
  const { recordTypes } = filter;
  const isOfTypes = (edge: "since" | "until") => sql`exists (
    select from records where domain_id = d.id and ${sql.ref(edge)} = c.revision and record_type = any(${arrayLiteral(recordTypes ?? [])}::text[])
  )`;
  const { rows } = await sql<{ change_set_id: string; id: string; tags: string[]; group_name: string | null }>`
    select c.id as change_set_id, d.id, d.tags, d.group_name
    from unnest(${arrayLiteral(ids)}::uuid[]) as reported (id)
    join change_sets c on c.id = reported.id
    join domains d on d.id = c.domain_id
    ${recordTypes === undefined ? sql`` : sql`where ${isOfTypes("since")} or ${isOfTypes("until")}`}
  `.execute(queries(tx));
  const covered = rows.filter((row) => coversDomain(filter, { id: row.id, tags: row.tags, groupName: row.group_name }));
  return new Set(covered.map((row) => row.change_set_id));
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
