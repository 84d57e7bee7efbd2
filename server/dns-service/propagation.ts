import { sql, type SqlBool } from "kysely";
import type { z } from "zod";
import { visibleDomains } from "../access/visible-domains.ts";
import { onePage } from "../database/query-helpers.ts";
import { qualifiedName } from "../dns/names/names.ts";
import type { listSecondariesInput } from "./schemas.ts";
import type { Caller } from "../access/caller.ts";
import { zoneFor } from "../access/zone-access.ts";
import { writeEntry } from "../notifications/audit/audit.ts";
import { announceZoneChange } from "../zones/changes/zone-watchers.ts";
import { queries, type EntityManager } from "../database/database.ts";
import type { Endpoint } from "../dns-providers/primary/lists.ts";
import { serialDistance, serialOf } from "../dns/wire/serials.ts";
import { AppError } from "../platform/errors.ts";
import type { DnsService } from "./service.ts";
import { countCatalogs, type ServedZone, identityOf, mayBeForeign, shownEndpoint } from "./zones.ts";

/** Milliseconds after which a secondary is asked again. */
const freshMilliseconds = 60_000;
/** How much a serial rises at least, so that no serial from before is taken for one of the new count. */
const leastRaise = 1_000;
/** RFC 1982 §3.1: the most by which a serial may rise. */
const mostRaise = 2 ** 31 - 1;

/** Reports how far zones have reached their secondaries, and mends their serials. */
export class Propagation {
  readonly #service: DnsService;
  readonly #now: () => Date;

  constructor(service: DnsService, now: () => Date) {
    this.#service = service;
    this.#now = now;
  }

  /** @throws AppError NOT_FOUND */
  async get(em: EntityManager, caller: Caller, domainId: string) {
    await zoneFor(em, caller, domainId, "read");
    return await this.#view(em, domainId);
  }

  /** Returns a page of what is known of the secondaries of all domains that the caller may see. Asks none of them. */
  async listAll(em: EntityManager, caller: Caller, filter: z.output<typeof listSecondariesInput>) {
    const visible = await visibleDomains(em, caller);
    const { page, limit, behind } = filter;
    const found = queries(em)
      .selectFrom("primary_secondaries as s")
      .innerJoin("domains", "domains.id", "s.zone_id")
      .select(["s.identity", "s.address", "s.key_name", "s.asked_at", "s.notified_at", "s.transferred_at", "s.error"])
      .select(["s.behind_since", "s.behind_reported", "domains.id", "domains.name", "domains.view"])
      // A driver may return a bigint as text.
      .select(sql<string | null>`s.serial`.as("serial_text"))
      .select(sql<string | null>`s.transferred_serial`.as("transferred_text"))
      .where((eb) => visible.condition(eb))
      .$if(behind !== undefined, (query) => query.where(behind === "true" ? isBehind : sql<SqlBool>`not ${isBehind}`))
      .orderBy(sql`s.error is not null`, "desc")
      .orderBy("s.behind_since", (order) => order.asc().nullsLast())
      .orderBy("domains.name")
      .orderBy("domains.view")
      .orderBy("s.identity");
    const { rows, total } = await onePage(found, { page, limit });
    const zones = await this.#service.zonesOf(em, [...new Set(rows.map(({ id }) => id))]);
    const zonesOf = Map.groupBy(zones, ({ id }) => id);
    const secondaries = rows.map((row) => {
      const own = zonesOf.get(row.id) ?? [];
      const serials = { serial: serialIn(row.serial_text), transferred_serial: serialIn(row.transferred_text) };
      const theirs = serialAt(own, { identity: row.identity, ...serials });
      const zoneSerial = own[0]?.soa.serial ?? null;
      return {
        domainId: row.id,
        domainName: qualifiedName(row),
        address: row.address,
        keyName: row.key_name,
        notified: row.identity.startsWith("notify:"),
        serial: theirs,
        zoneSerial,
        inSync: own[0] !== undefined && !isLost(row) && isInSync(own[0], theirs, serials.transferred_serial),
        behindSince: row.behind_since,
        lastNotifyAt: row.notified_at,
        lastQueryAt: row.asked_at,
        lastTransferAt: row.transferred_at,
        error: row.error,
      };
    });
    return { secondaries, total, page, limit };
  }

  /** Raises the serial above that of every secondary. @throws AppError NOT_FOUND, FORBIDDEN, CONFLICT */
  async raiseSerial(em: EntityManager, caller: Caller, domainId: string) {
    await zoneFor(em, caller, domainId, "manage");
    const zones = await this.#service.zones(em, domainId);
    const [zone] = zones;
    if (!zone) throw notPrimary();
    const known = (await secondariesOf(em, domainId)).flatMap((row) => serialAt(zones, row) ?? []);
    const ahead = Math.max(0, ...known.map((serial) => serialDistance(zone.soa.serial, serial)));
    const raise = Math.min(mostRaise, ahead + leastRaise);
    await em.transactional(async (tx) => {
      // After a restore from a backup, the consumers of their catalogs may be ahead, too.
      await countCatalogs(
        tx,
        zones.map(({ service }) => service),
      );
      await sql`
        update primary_zones set serial_base = serial_base + ${raise}, base_revision = domains.revision
        from domains where domains.id = primary_zones.domain_id and domain_id = ${domainId}::uuid
      `.execute(queries(tx));
      await writeEntry(tx, this.#now(), caller, {
        action: "domain.raise_serial",
        targetType: "domain",
        targetId: domainId,
        before: { serial: zone.soa.serial },
        after: { serial: serialOf(zone.soa.serial + raise) },
      });
      announceZoneChange(tx, { domainId, revision: zone.revision, changeSetId: null });
    });
    return await this.#view(em.fork(), domainId);
  }

  async #view(em: EntityManager, domainId: string) {
    const zones = await this.#service.zones(em, domainId);
    const [zone] = zones;
    if (!zone) return { serial: null, changedAt: null, secondaries: [] };
    await this.#service.secondaries.written();
    await this.#ask(em, zones);
    const rows = await secondariesOf(em, domainId);
    const { serial } = zone.soa;
    const listed = placesOf(zones).map(({ zone: { service }, endpoint }) => ({
      identity: identityOf(endpoint),
      address: shownEndpoint(endpoint),
      notified: true,
      signs: service.settings.signs(endpoint),
    }));
    const others = rows.flatMap(({ identity, address }) =>
      identity.startsWith("notify:") ? [] : [{ identity, address, notified: false, signs: false }],
    );
    return {
      serial,
      changedAt: await changedAt(em, domainId),
      secondaries: [...listed, ...others].map(({ identity, address, notified, signs }) => {
        const row = rows.find((one) => one.identity === identity);
        const theirs = row ? serialAt(zones, row) : null;
        const inSync = row !== undefined && !isLost(row) && isInSync(zone, theirs, row.transferred_serial);
        return {
          address,
          keyName: row?.key_name ?? null,
          notified,
          signs,
          serial: theirs,
          inSync,
          inSyncSince: inSync ? (row?.served_at ?? null) : null,
          lastNotifyAt: row?.notified_at ?? null,
          lastQueryAt: row?.asked_at ?? null,
          lastTransferAt: row?.transferred_at ?? null,
          lastTransferKind: row?.transfer_kind ?? null,
          lastTransferRecords: row?.transfer_records ?? null,
          lastTransferMilliseconds: row?.transfer_milliseconds ?? null,
          error: row?.error ?? null,
        };
      }),
    };
  }

  /** Asks secondaries that have not transferred for a minute: those that are not in sync, and others a minute after the last time. */
  async #ask(em: EntityManager, zones: readonly ServedZone[]): Promise<void> {
    const rows = await secondariesOf(em, zones[0]?.id ?? "");
    const before = this.#now().getTime() - freshMilliseconds;
    const stale = placesOf(zones).filter(({ zone, endpoint }) => {
      const row = rows.find(({ identity }) => identity === identityOf(endpoint));
      const isSame = row !== undefined && serialAt(zones, row) === zone.soa.serial;
      if (isSame && (row.looked_at?.getTime() ?? 0) >= before) return false;
      return (row?.transferred_at?.getTime() ?? 0) < before;
    });
    if (stale.length === 0) return;
    await Promise.all(stale.map(({ zone, endpoint }) => this.#service.look(zone, endpoint)));
    await this.#service.secondaries.written();
  }
}

const isBehind = sql<SqlBool>`(s.behind_since is not null or s.error is not null)`;

async function secondariesOf(em: EntityManager, zoneId: string) {
  const rows = await queries(em)
    .selectFrom("primary_secondaries")
    .selectAll()
    // A driver may return a bigint as text.
    .select(sql<string | null>`serial`.as("serial_text"))
    .select(sql<string | null>`transferred_serial`.as("transferred_text"))
    .where("zone_id", "=", zoneId)
    // Those that are notified come first, however many others transfer the zone.
    .orderBy(sql`identity like 'notify:%'`, "desc")
    .orderBy("identity")
    .limit(100)
    .execute();
  return rows.map((row) =>
    Object.assign(row, { serial: serialIn(row.serial_text), transferred_serial: serialIn(row.transferred_text) }),
  );
}

function serialIn(text: string | null): number | null {
  return text === null ? null : Number(text);
}

/** Returns the secondaries that a domain's zones are announced to, each once. */
function placesOf(zones: readonly ServedZone[]) {
  const all = zones.flatMap((zone) =>
    zone.service.settings.notify.map((endpoint): [string, { zone: ServedZone; endpoint: Endpoint }] => [
      identityOf(endpoint),
      { zone, endpoint },
    ]),
  );
  // The first of each, in the order of the configurations.
  return [...new Map(all.toReversed()).values()].toReversed();
}

/** Returns the serial of a domain that a secondary has; null if that is unknown. */
function serialAt(
  zones: readonly ServedZone[],
  row: { identity: string; serial: number | null; transferred_serial: number | null },
): number | null {
  const signs = zones.some(({ service: { settings } }) =>
    settings.notify.some((one) => identityOf(one) === row.identity && settings.signs(one)),
  );
  return signs ? row.transferred_serial : row.serial;
}

/** Returns whether a secondary has not answered for so long that the serial that it last had says nothing. */
function isLost(row: { error: string | null; behind_reported: boolean }): boolean {
  return row.error !== null && row.behind_reported;
}

/** @param transferred the serial that it transferred last */
function isInSync(zone: ServedZone, serial: number | null, transferred: number | null): boolean {
  return serial === zone.soa.serial && (transferred === serial || !mayBeForeign(zone));
}

async function changedAt(em: EntityManager, domainId: string): Promise<Date | null> {
  const row = await queries(em)
    .selectFrom("change_sets")
    .select("finished_at")
    .where("domain_id", "=", domainId)
    .where("revision", "is not", null)
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.finished_at ?? null;
}

function notPrimary(): AppError {
  return new AppError(
    "CONFLICT",
    "Only zones whose provider is of kind primary have a serial here. Move the domain to such a configuration first.",
  );
}
