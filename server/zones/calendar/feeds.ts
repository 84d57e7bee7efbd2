import { LockMode } from "@mikro-orm/core";
import { sql } from "kysely";
import { type Caller, narrowingOf } from "../../access/caller.ts";
import { visibleDomains } from "../../access/visible-domains.ts";
import type { WaysIn } from "../../accounts/auth/ways-in.ts";
import { lockOwnAccount } from "../../accounts/users/account.ts";
import { queries, type EntityManager } from "../../database/database.ts";
import { CalendarFeed } from "../../database/tables/credentials.ts";
import { absoluteName, qualifiedName, toUnicodeName } from "../../dns/names/names.ts";
import type { Audit } from "../../notifications/audit/audit.ts";
import { AppError, badField, notFound } from "../../platform/errors.ts";
import { newId, hashOf, newOpaqueToken } from "../../platform/ids.ts";
import { presentName } from "../change-requests/request.ts";
import { visibleRequests } from "../change-requests/view.ts";
import { inSlices, type Steps } from "../../platform/slices.ts";

const feedsPerUser = 20;
const day = 24 * 60 * 60_000;
/** How long an expiry date stays in the calendar once it has passed. */
const daysBack = 90;
/** Events of each sort in one calendar, the earliest first. */
const mostEvents = 10_000;
/** The form has four digits for a year. */
const latest = new Date("9999-12-31T00:00:00Z");
/** A feed's `lastUsedAt` may lag behind by this. */
const useDelay = 5 * 60_000;

interface Parts {
  audit: Audit;
  waysIn: WaysIn;
  siteUrl: string;
  /** Whether the service has a console, which events link to. */
  console: boolean;
  now: () => Date;
}

/** Manages the caller's own calendar feeds, and writes the calendars. */
export class CalendarFeeds {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async list(em: EntityManager, { userId }: Caller) {
    const feeds = await em.find(CalendarFeed, { userId }, { orderBy: { id: "desc" } });
    return { feeds: feeds.map(view) };
  }

  /** @throws AppError BAD_REQUEST for a domain that the caller may not see, CONFLICT at the limit of feeds per user */
  async create(em: EntityManager, caller: Caller, wish: { name: string; domainIds?: string[] | null | undefined }) {
    const { audit, waysIn, siteUrl, now } = this.#parts;
    const { name, domainIds = null } = wish;
    if (domainIds !== null) await requireVisible(em, caller, domainIds);
    return await em.transactional(async (tx) => {
      // The lock serializes parallel calls, so that they cannot exceed the limit together.
      await lockOwnAccount(tx, caller);
      if ((await tx.count(CalendarFeed, { userId: caller.userId })) >= feedsPerUser) {
        throw new AppError(
          "CONFLICT",
          `You have reached the limit of ${feedsPerUser} calendar feeds. Delete one that is no longer used.`,
        );
      }
      const token = newOpaqueToken();
      const id = newId();
      const feed = tx.create(CalendarFeed, {
        id,
        userId: caller.userId,
        name,
        tokenHash: hashOf(token),
        domainIds,
        createdAt: now(),
      });
      await tx.flush();
      const after = { name, domainIds };
      await audit.record(tx, caller, { action: "feed.create", targetType: "feed", targetId: id, after });
      await waysIn.changed(tx, caller, caller.userId, { event: "security.feed_created", feedId: id, name });
      return { token, url: `${siteUrl}/api/calendar/${token}.ics`, ...view(feed) };
    });
  }

  /** @throws AppError NOT_FOUND */
  async delete(em: EntityManager, caller: Caller, id: string): Promise<void> {
    await em.transactional(async (tx) => {
      const own = { id, userId: caller.userId };
      const feed = await tx.findOne(CalendarFeed, own, { lockMode: LockMode.PESSIMISTIC_WRITE });
      if (!feed) throw notFound("calendar feed");
      tx.remove(feed);
      await tx.flush();
      const before = { name: feed.name, domainIds: feed.domainIds ?? null };
      await this.#parts.audit.record(tx, caller, { action: "feed.delete", targetType: "feed", targetId: id, before });
    });
  }

  /**
   * Returns the owner of a feed as a caller, limited to the feed's domains, and the feed's name. Their rights are those of now.
   * @throws AppError NOT_FOUND if the token is unknown, or the owner is disabled
   */
  async open(
    em: EntityManager,
    token: string,
    call: Pick<Caller, "ip" | "requestId">,
  ): Promise<{ caller: Caller; name: string }> {
    const now = this.#parts.now();
    const row = await queries(em)
      .selectFrom("calendar_feeds as feed")
      .innerJoin("users", "users.id", "feed.user_id")
      .select(["feed.id", "feed.name", "feed.domain_ids", "feed.last_used_at"])
      .select(["users.id as user_id", "users.username", "users.role"])
      .where("feed.token_hash", "=", hashOf(token))
      .where("users.disabled_at", "is", null)
      .executeTakeFirst();
    if (!row)
      throw new AppError(
        "NOT_FOUND",
        "This calendar does not exist or was revoked. Create a new feed in your account.",
      );
    if (!row.last_used_at || now.getTime() - row.last_used_at.getTime() >= useDelay) {
      await queries(em).updateTable("calendar_feeds").set({ last_used_at: now }).where("id", "=", row.id).execute();
    }
    const caller: Caller = {
      ...call,
      userId: row.user_id,
      username: row.username,
      role: row.role,
      sessionId: null,
      tokenId: row.id,
      permissions: new Set(),
      narrowing: narrowingOf({ domain_ids: row.domain_ids ?? null, host_pattern: null, record_types: null }),
      at: now,
    };
    return { caller, name: row.name };
  }

  /** Returns what a caller sees of expiry dates, ends of certificates and scheduled change requests, as a calendar. */
  async calendar(em: EntityManager, caller: Caller, name: string): Promise<string> {
    const events = [
      ...(await this.#expiries(em, caller)),
      ...(await this.#certificates(em, caller)),
      ...(await this.#scheduled(em, caller)),
    ];
    return await inSlices(calendarText(name, events));
  }

  async #expiries(em: EntityManager, caller: Caller): Promise<CalendarEvent[]> {
    const visible = await visibleDomains(em, caller);
    const rows = await queries(em)
      .selectFrom("domains")
      .select(["id", "name", "view", "expires_at", "expiry_source", "registrar", "updated_at"])
      .where("status", "=", "active")
      .where("expires_at", ">=", new Date(caller.at.getTime() - daysBack * day))
      .where("expires_at", "<", latest)
      .where((eb) => visible.condition(eb))
      .orderBy("expires_at")
      .orderBy("name")
      .limit(mostEvents)
      .execute();
    return rows.flatMap(({ id, name, view, expires_at: at, ...row }) => {
      if (!at) return [];
      const sources = {
        manual: "set by hand",
        rdap: "from RDAP",
        whois: "from WHOIS",
        registrar: "from the registrar",
      };
      const details = [
        ...(row.registrar === null ? [] : [`Registrar: ${row.registrar}`]),
        `The registration ends at ${at.toISOString()}${row.expiry_source ? ` (${sources[row.expiry_source]})` : ""}.`,
      ];
      return {
        uid: `${id}-expiry@zonewright`,
        summary: `${toUnicodeName(qualifiedName({ name, view }))} expires`,
        description: details.join("\n"),
        url: this.#link(`/d/${encodeURIComponent(qualifiedName({ name, view }))}`),
        changedAt: row.updated_at,
        at,
        allDay: true,
      };
    });
  }

  /** Ends of certificates in domains that the caller sees as a whole: one event for a certificate of any number of hosts. */
  async #certificates(em: EntityManager, caller: Caller): Promise<CalendarEvent[]> {
    const visible = await visibleDomains(em, caller);
    const rows = await queries(em)
      .selectFrom("tls_hosts as h")
      .innerJoin("domains", "domains.id", "h.domain_id")
      .select(["domains.id", "domains.name", "domains.view", "h.fingerprint"])
      .select((eb) => [
        eb.fn.max("h.not_after").as("at"),
        sql<string | null>`min(h.host || ':' || h.port)`.as("place"),
        eb.fn.max("h.issuer").as("issuer"),
        eb.fn.max("h.checked_at").as("checked_at"),
        eb.fn.countAll<string>().as("hosts"),
      ])
      .where("domains.status", "=", "active")
      .where("h.not_after", ">=", new Date(caller.at.getTime() - daysBack * day))
      .where("h.not_after", "<", latest)
      .where((eb) => eb.and([visible.condition(eb), visible.wholly()]))
      .groupBy(["domains.id", "h.fingerprint"])
      .orderBy("at")
      .orderBy("domains.name")
      .limit(mostEvents)
      .execute();
    return rows.flatMap(({ id, name, view, place, at, issuer, hosts, checked_at: changedAt }) => {
      if (!at || place === null) return [];
      const others = Number(hosts) - 1;
      const host = toUnicodeName(absoluteName(place.replace(/:\d+$/, ""), name));
      return {
        uid: `${id}-${place}-certificate@zonewright`,
        summary: `Certificate of ${host}${others > 0 ? ` and ${others} more` : ""} expires`,
        description: [
          ...(issuer === null ? [] : [`Issuer: ${issuer}`]),
          `The certificate is valid until ${at.toISOString()}.`,
        ].join("\n"),
        url: this.#link(`/d/${encodeURIComponent(qualifiedName({ name, view }))}/registration`),
        changedAt: changedAt ?? at,
        at,
        allDay: true,
      };
    });
  }

  async #scheduled(em: EntityManager, caller: Caller): Promise<CalendarEvent[]> {
    const { found } = await visibleRequests(em, caller);
    const rows = await found
      .select(["r.id", "r.number", "r.title", "r.state", "r.apply_at", "r.created_at"])
      .select(presentName("r").as("domain_name"))
      .where("r.closed_at", "is", null)
      .where("r.apply_at", "is not", null)
      .orderBy("r.apply_at")
      .limit(mostEvents)
      .execute();
    return rows.flatMap(({ id, number, title, domain_name: domain, state, apply_at: at, created_at: changedAt }) => {
      if (!at) return [];
      return {
        uid: `${id}-request@zonewright`,
        summary: `${toUnicodeName(domain)}: ${title}`,
        description: `Change request ${number}, ${state === "approved" ? "approved" : "not approved yet"}.`,
        url: this.#link(`/requests/${id}`),
        changedAt,
        at,
        allDay: false,
      };
    });
  }

  #link(path: string): string | null {
    return this.#parts.console ? this.#parts.siteUrl + path : null;
  }
}

/** @throws AppError BAD_REQUEST for a domain that the caller may not see */
async function requireVisible(em: EntityManager, caller: Caller, ids: readonly string[]): Promise<void> {
  const visible = await visibleDomains(em, caller);
  const rows = await queries(em)
    .selectFrom("domains")
    .select("id")
    .where("id", "in", ids)
    .where((eb) => visible.condition(eb))
    .execute();
  const seen = new Set(rows.map(({ id }) => id));
  const unseen = ids.findIndex((id) => !seen.has(id));
  if (unseen >= 0) throw badField(["domainIds", unseen], "No domain has this ID. Choose one that you may access.");
}

function view({ id, name, domainIds, createdAt, lastUsedAt }: CalendarFeed) {
  return { id, name, domainIds: domainIds ?? null, createdAt, lastUsedAt: lastUsedAt ?? null };
}

/** Calendars as text (RFC 5545). Pure. */

interface CalendarEvent {
  /** Stays the same when the event moves. */
  uid: string;
  summary: string;
  description: string;
  url: string | null;
  /** When it was last changed. */
  changedAt: Date;
  at: Date;
  /** Whether it takes the whole day of `at` in UTC, not a moment. */
  allDay: boolean;
}

/** How often clients are asked to fetch it. */
const refreshInterval = "PT6H";
/** Octets of a line without its end (RFC 5545 §3.1). */
const longestLine = 75;

/** Returns a calendar as text, an event at a step. */
export function* calendarText(name: string, events: Iterable<CalendarEvent>): Steps<string> {
  const head = [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//Zonewright//Zonewright//EN",
    "CALSCALE:GREGORIAN",
    // RFC 7986 §5.1, and what clients read instead.
    `NAME:${escaped(name)}`,
    `X-WR-CALNAME:${escaped(name)}`,
    `REFRESH-INTERVAL;VALUE=DURATION:${refreshInterval}`,
    `X-PUBLISHED-TTL:${refreshInterval}`,
  ];
  const parts = [printed(head)];
  for (const event of events) {
    parts.push(printed(eventLines(event)));
    yield;
  }
  return [...parts, printed(["END:VCALENDAR"])].join("");
}

function printed(lines: readonly string[]): string {
  return lines.map((line) => `${folded(line)}\r\n`).join("");
}

function eventLines({ uid, summary, description, url, changedAt, at, allDay }: CalendarEvent): string[] {
  return [
    "BEGIN:VEVENT",
    `UID:${escaped(uid)}`,
    `DTSTAMP:${moment(changedAt)}`,
    `LAST-MODIFIED:${moment(changedAt)}`,
    allDay ? `DTSTART;VALUE=DATE:${moment(at).slice(0, 8)}` : `DTSTART:${moment(at)}`,
    `SUMMARY:${escaped(summary)}`,
    `DESCRIPTION:${escaped(description)}`,
    ...(url === null ? [] : [`URL:${url}`]),
    // It takes nobody's time.
    "TRANSP:TRANSPARENT",
    "END:VEVENT",
  ];
}

/** Returns a time in UTC, such as `20310301T120000Z`. */
function moment(time: Date): string {
  return `${time.toISOString().slice(0, 19).replaceAll(/[-:]/g, "")}Z`;
}

/** Returns a value of type TEXT (RFC 5545 §3.3.11). Control characters are left out. */
function escaped(text: string): string {
  return text
    .replaceAll(/\r\n?/g, "\n")
    .replaceAll(/(?!\n)\p{Cc}/gu, "")
    .replaceAll(/[\\;,]/g, String.raw`\$&`)
    .replaceAll("\n", String.raw`\n`);
}

/** Breaks a line between characters, so that no part has more than 75 octets. */
function folded(line: string): string {
  if (Buffer.byteLength(line) <= longestLine) return line;
  let text = "";
  let octets = 0;
  for (const character of line) {
    const size = Buffer.byteLength(character);
    if (octets + size > longestLine) {
      text += "\r\n ";
      octets = 1;
    }
    text += character;
    octets += size;
  }
  return text;
}
