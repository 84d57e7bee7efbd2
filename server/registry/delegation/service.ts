import type { z } from "zod";
import type { servedInput } from "./schemas.ts";
import type { Caller } from "../../access/caller.ts";
import { zoneFor, type Zone } from "../../access/zone-access.ts";
import { writeEntry } from "../../notifications/audit/audit.ts";
import { queries, type EntityManager } from "../../database/database.ts";
import type { Notifications, TypedNotice } from "../../notifications/notify.ts";
import { absoluteName, parseOwner } from "../../dns/names/names.ts";
import { ruleFor } from "../../dns/record-types.ts";
import { isApexNs } from "../../dns/record.ts";
import { AppError, badField } from "../../platform/errors.ts";
import { whyNotPublic, type DelegationCheck } from "./check.ts";
import { dsText } from "../../dns/dnssec/keys.ts";
import { severities, type FindingCode } from "./findings.ts";
import type { Observation } from "./observe.ts";
import {
  pointersOf,
  findingOf,
  storeCheck,
  type ParentFacts,
  type ParentSet,
  type Report,
  type StoredFacts,
} from "./store.ts";
import type { Served } from "./served.ts";

const day = 24 * 3_600_000;
const longestSnooze = 366 * day;
const turnedOff = "The administrator turned the checks off (RESOLVER_ROOTS=off).";

/** An RRset to ask name servers for, as a client writes it. */
type AskedRecords = z.infer<typeof servedInput>;

interface Parts {
  /** Null: checks are turned off. */
  check: DelegationCheck | null;
  notifications: Notifications;
  now: () => Date;
}

/** What the world sees of domains: checks, stores and shows it. */
export class Delegations {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get enabled(): boolean {
    return this.#parts.check !== null;
  }

  /** Returns the result of the last check. @throws AppError NOT_FOUND */
  async get(em: EntityManager, caller: Caller, id: string) {
    return await this.#view(em, await zoneFor(em, caller, id, "read"));
  }

  /** Checks a domain now. @throws AppError NOT_FOUND, FORBIDDEN */
  async check(em: EntityManager, caller: Caller, id: string) {
    const zone = await zoneFor(em, caller, id, "write");
    if (this.whyNotChecked(zone) === null) {
      const seen = await this.observe(em, zone);
      await em.transactional(async (tx) => {
        if (seen) await this.store(tx, zone.id, seen);
        await writeEntry(tx, this.#parts.now(), caller, {
          action: "domain.check_delegation",
          targetType: "domain",
          targetId: zone.id,
          before: {},
          after: { parent: seen?.parent.kind ?? null },
        });
      });
    }
    return await this.#view(em, zone);
  }

  /** Asks the domain's name servers whether they serve records that the caller may see. @throws AppError NOT_FOUND, FORBIDDEN, BAD_REQUEST, UNAVAILABLE */
  async checkServed(em: EntityManager, caller: Caller, { id, recordType, absent = false, ...asked }: AskedRecords) {
    const zone = await zoneFor(em, caller, id, "read");
    const name = ownerIn(asked.name, zone.name);
    if (!zone.rights.sees.includes({ name, recordType }) && !isApexNs({ name, recordType }))
      throw new AppError(
        "FORBIDDEN",
        `You may not see the ${recordType} records of ${name}. Ask for a name that you may see.`,
      );
    const values = asked.values === undefined ? null : canonicalValues(asked.values, recordType);
    const { check } = this.#parts;
    const notCheckedBecause = this.whyNotChecked(zone);
    const seen: Served =
      check === null || notCheckedBecause !== null
        ? { served: false, error: null, servers: [] }
        : await check.served(zone.name, { name: absoluteName(name, zone.name), type: recordType, values, absent });
    return { domainId: zone.id, domainName: zone.name, name, recordType, notCheckedBecause, ...seen };
  }

  /** @throws AppError NOT_FOUND, FORBIDDEN, BAD_REQUEST */
  async snooze(
    em: EntityManager,
    caller: Caller,
    { id, code, name, until }: { id: string; code: FindingCode; name: string; until: Date | null },
  ) {
    const zone = await zoneFor(em, caller, id, "manage");
    const now = this.#parts.now();
    if (until !== null && until <= now) throw badField(["until"], "This must be in the future, or null.");
    if (until !== null && until.getTime() - now.getTime() > longestSnooze) {
      throw badField(["until"], "This must be at most a year ahead.");
    }
    await em.transactional(async (tx) => {
      const snoozed = await queries(tx)
        .updateTable("delegation_findings")
        .set({ snoozed_until: until })
        .where("domain_id", "=", zone.id)
        .where("code", "=", code)
        .where("name", "=", name.toLowerCase())
        .where("present", "=", true)
        .returning("subject")
        .execute();
      if (snoozed.length === 0) {
        throw new AppError("NOT_FOUND", "The domain has no such finding. Take code and name from its delegation.");
      }
      await writeEntry(tx, now, caller, {
        action: "domain.snooze_delegation",
        targetType: "domain",
        targetId: zone.id,
        before: {},
        after: { code, name, until },
      });
    });
    return await this.#view(em, zone);
  }

  /** Looks at a zone from outside; null if checks are turned off. Must not run in a transaction. */
  async observe(em: EntityManager, { id, name }: { id: string; name: string }, stop?: AbortSignal) {
    if (!this.#parts.check) return null;
    const today = Math.floor(this.#parts.now().getTime() / day);
    return await this.#parts.check.observe(name, await pointersOf(em, id, today), stop);
  }

  /** Asks named servers about a zone; null if checks are turned off. */
  async probe(zone: string, names: readonly string[]) {
    return (await this.#parts.check?.probe(zone, names)) ?? null;
  }

  /** Stores a check and sends its notifications, within a transaction. */
  async store(tx: EntityManager, id: string, seen: Observation): Promise<void> {
    const stored = await storeCheck(tx, id, seen, this.#parts.now());
    if (!stored) return;
    const { domain, changed, dangling, facts } = stored;
    await this.#parts.notifications.notifyAll(tx, [
      ...(changed.length > 0 && facts.parent ? [delegationChanged(domain, changed, facts.parent)] : []),
      ...(dangling.records.length > 0 ? [danglingRecords(domain, dangling)] : []),
    ]);
  }

  /** Returns why a domain is not checked; null if it is. */
  whyNotChecked(zone: Pick<Zone, "name" | "view">): string | null {
    return whyNotPublic(zone) ?? (this.enabled ? null : turnedOff);
  }

  async #view(em: EntityManager, zone: Zone) {
    const whyNot = this.whyNotChecked(zone);
    const row = await queries(em)
      .selectFrom("delegations")
      .select(["checked_at", "changed_at", "next_check_at", "facts"])
      .where("domain_id", "=", zone.id)
      .executeTakeFirst();
    const facts = (row?.facts ?? null) as StoredFacts | null;
    return {
      domainId: zone.id,
      notCheckedBecause: whyNot,
      checkedAt: row?.checked_at ?? null,
      nextCheckAt: whyNot === null ? (row?.next_check_at ?? null) : null,
      changedAt: row?.changed_at ?? null,
      parent: facts?.parent
        ? {
            ...facts.parent,
            seenAt: new Date(facts.parent.seenAt),
            ds: facts.parent.ds?.map(dsText) ?? null,
          }
        : null,
      parentError: facts?.parentError ?? null,
      apex: facts?.apex ?? null,
      servers: facts?.servers ?? [],
      targets: facts?.targets ?? null,
      findings: await this.#findings(em, zone),
    };
  }

  async #findings(em: EntityManager, { id, rights }: Zone) {
    const rows = await queries(em)
      .selectFrom("delegation_findings")
      .select(["code", "name", "record_type", "subject", "severity", "message"])
      .select(["first_seen_at", "last_seen_at", "snoozed_until"])
      .where("domain_id", "=", id)
      .where("present", "=", true)
      .orderBy("code")
      .orderBy("name")
      .orderBy("record_type")
      .orderBy("subject")
      .execute();
    const now = this.#parts.now();
    return rows
      .filter(({ name, record_type: recordType }) =>
        recordType === "" ? rights.sees.includesAllAt(name) : rights.sees.includes({ name, recordType }),
      )
      .map(({ code, name, record_type: recordType, subject, ...row }) =>
        Object.assign(findingOf({ code: code as FindingCode, name, recordType, subject }), {
          severity: row.severity as (typeof severities)[number],
          message: row.message,
          firstSeenAt: row.first_seen_at,
          lastSeenAt: row.last_seen_at,
          snoozedUntil: row.snoozed_until !== null && row.snoozed_until > now ? row.snoozed_until : null,
        }),
      )
      .toSorted((one, other) => severities.indexOf(one.severity) - severities.indexOf(other.severity));
  }
}

/** @throws AppError BAD_REQUEST */
function ownerIn(name: string, zone: string): string {
  const owner = parseOwner(name, zone);
  if (!owner.ok) throw badField(["name"], owner.message);
  return owner.value;
}

/** @throws AppError BAD_REQUEST */
function canonicalValues(values: readonly string[], recordType: string): string[] {
  const canonical = values.map((value, index) => {
    const written = ruleFor(recordType).write(value, null);
    if (!written.ok) throw badField(["values", index], written.message);
    return written.value.value;
  });
  return [...new Set(canonical)];
}

interface Subject {
  id: string;
  /** In the default view, like all that are checked. */
  name: string;
  ownerId: string | null;
}

const setNames: Readonly<Record<ParentSet, string>> = { nameServers: "NS", ds: "DS", glue: "glue" };
const mostListed = 20;
const lastOfDay = " No more notifications of this kind come today; other domains may have such records, too.";

export function delegationChanged(
  { id, name, ownerId }: Subject,
  changed: readonly ParentSet[],
  parent: ParentFacts,
): TypedNotice<"domain.delegation_changed"> {
  const { nameServers } = parent;
  const ds = parent.ds?.map(dsText) ?? null;
  const present = nameServers.length === 0 ? "It is no longer delegated." : `It has ${nameServers.join(", ")} now.`;
  return {
    event: "domain.delegation_changed",
    title: `The delegation of ${name} changed`,
    content: `The ${changed.map((set) => setNames[set]).join(" and ")} records of ${name} in the parent zone changed. ${present} If no one here changed them, check the registrar's account.`,
    level: "warning",
    metadata: { domainId: id, domainName: name, changed, nameServers, ds },
    to: recipients(ownerId),
  };
}

export function danglingRecords(
  { id, name, ownerId }: Subject,
  { records, isLast }: Report,
): TypedNotice<"domain.dangling"> {
  const [first] = records;
  const total = records.length;
  const example = first ? `${first.recordType} of ${absoluteName(first.name, name)} points to ${first.target}.` : "";
  return {
    event: "domain.dangling",
    title:
      total === 1
        ? `A record of ${name} points to a name that does not resolve`
        : `${total} records of ${name} point to names that do not resolve`,
    content: `${example} Delete such records, or point them elsewhere.${isLast ? lastOfDay : ""}`,
    level: "warning",
    metadata: { domainId: id, domainName: name, total, records: records.slice(0, mostListed) },
    to: recipients(ownerId),
  };
}

function recipients(ownerId: string | null) {
  return { userIds: ownerId === null ? [] : [ownerId], administrators: true };
}
