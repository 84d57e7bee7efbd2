import { sql } from "kysely";
import type { Caller } from "../../access/caller.ts";
import { zoneFor, type Zone } from "../../access/zone-access.ts";
import { fromJson, queries, type EntityManager } from "../../database/database.ts";
import type { Chain } from "../../dns/dnssec/chain.ts";
import { dsText, type Ds } from "../../dns/dnssec/keys.ts";
import { knownKind } from "../../dns-providers/kinds.ts";
import { writeEntry } from "../../notifications/audit/audit.ts";
import type { Notifications, TypedNotice } from "../../notifications/notify.ts";
import type { DelegationCheck } from "../delegation/check.ts";
import type { Delegations } from "../delegation/service.ts";
import { betweenChecks } from "../delegation/store.ts";
import { dsToPublish, judgeDnssec, stateOf, type DnssecFinding, type dnssecStates } from "./findings.ts";
import { observeDnssec, type DnssecSeen } from "./observe.ts";

interface Parts {
  /** Null: checks are turned off. */
  check: DelegationCheck | null;
  delegations: Pick<Delegations, "whyNotChecked">;
  notifications: Pick<Notifications, "notifyAll">;
  anchors: readonly Ds[];
  now: () => Date;
}

/** What a look saw, in the form that is stored. */
interface StoredDnssec {
  /** ISO 8601; null: nobody looked yet, and only `lastDs` is known. */
  checkedAt: string | null;
  state: (typeof dnssecStates)[number] | null;
  keys:
    | { keyTag: number; algorithm: number; role: "ksk" | "zsk" | "csk"; published: boolean; active: boolean }[]
    | null;
  dsToPublish: string[];
  parentDs: string[] | null;
  cds: string[] | null;
  chain: Chain["result"];
  chainReason: string;
  /** ISO 8601. */
  signaturesExpireAt: string | null;
  findings: DnssecFinding[];
  /** The codes of findings that were reported, and are not known to have ended. */
  reported: ReportedCode[];
  /**
   * The TTL of the last DS records of the parent zone in seconds, and since when it has none, as ISO 8601; null: it has some, or never had.
   * `notedAt`: no check saw any, and the registrar's were last changed then.
   */
  lastDs?: { ttl: number; goneAt: string | null; notedAt?: string } | null;
}

/** Assumed of DS records whose TTL is not known: a day, as most registries have. */
const usualTtl = 86_400;

const never = {
  checkedAt: null,
  signaturesExpireAt: null,
  state: null,
  keys: null,
  dsToPublish: [],
  parentDs: null,
  cds: null,
  chain: "unknown",
  chainReason: null,
  findings: [],
} as const;

/** The DNSSEC of domains: validates, stores and shows it. */
export class Dnssec {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Returns the result of the last check. @throws AppError NOT_FOUND */
  async get(em: EntityManager, caller: Caller, id: string) {
    return await this.#view(em, await zoneFor(em, caller, id, "read"));
  }

  /** Checks a domain now. @throws AppError NOT_FOUND, FORBIDDEN */
  async check(em: EntityManager, caller: Caller, id: string) {
    const zone = await zoneFor(em, caller, id, "write");
    if (this.#parts.delegations.whyNotChecked(zone) === null) {
      const seen = await this.look(em, zone);
      await em.transactional(async (tx) => {
        await writeEntry(tx, this.#parts.now(), caller, {
          action: "domain.check_dnssec",
          targetType: "domain",
          targetId: zone.id,
          before: {},
          after: { chain: seen?.chain.result ?? null },
        });
      });
    }
    return await this.#view(em, zone);
  }

  /** Checks a domain and stores the result; null if it is not checked. Must not run in a transaction. */
  async look(em: EntityManager, zone: Pick<Zone, "id" | "name" | "view">): Promise<DnssecSeen | null> {
    if (this.#parts.delegations.whyNotChecked(zone) !== null) return null;
    const seen = await this.observe(zone.name);
    if (seen) await em.transactional((tx) => this.store(tx, zone.id, seen));
    return seen;
  }

  /**
   * Returns since when the parent zone has no DS records, and the TTL of those that it had: a `goneAt` of null if it had some when it was last
   * asked. Null if it never had any, as far as is known. `notedAt` is when they were last changed at the registrar, if no check saw any.
   */
  async lastDs(
    em: EntityManager,
    id: string,
  ): Promise<{ goneAt: Date | null; notedAt: Date | null; ttl: number } | null> {
    const row = await queries(em)
      .selectFrom("delegations")
      .select("dnssec")
      .where("domain_id", "=", id)
      .executeTakeFirst();
    const last = storedIn(row?.dnssec)?.lastDs ?? null;
    if (last === null) return null;
    const { goneAt, notedAt, ttl } = last;
    return { goneAt: goneAt === null ? null : new Date(goneAt), notedAt: notedAt ? new Date(notedAt) : null, ttl };
  }

  /** Remembers that the registrar has or had DS records: they may be published and gone again before anybody looks. */
  async noteDs(em: EntityManager, id: string): Promise<void> {
    const noted = { ttl: usualTtl, goneAt: null, notedAt: this.#parts.now().toISOString() };
    const first = JSON.stringify({ ...never, reported: [], lastDs: noted });
    // Resolvers may have the records with a longer TTL that a look saw. What a look saw stays so until a look finds none.
    await sql`
      insert into delegations (domain_id, next_check_at, dnssec)
      select id, ${this.#parts.now()}::timestamptz, ${first}::jsonb from domains where id = ${id} for key share
      on conflict (domain_id) do update set dnssec = jsonb_set(
        coalesce(delegations.dnssec, excluded.dnssec),
        '{lastDs}',
        case
          when delegations.dnssec->'lastDs'->'goneAt' = 'null' and delegations.dnssec->'lastDs'->'notedAt' is null
            then delegations.dnssec->'lastDs'
          else excluded.dnssec->'lastDs'
        end || jsonb_build_object('ttl', greatest(${usualTtl}::integer, (delegations.dnssec->'lastDs'->>'ttl')::integer))
      )
    `.execute(queries(em));
  }

  /** Looks at a zone from outside; null if checks are turned off. Takes 20 seconds at most. Must not run in a transaction. */
  async observe(zone: string, stop?: AbortSignal): Promise<DnssecSeen | null> {
    const { check, anchors, now } = this.#parts;
    if (!check) return null;
    const seen = await check.resolve((resolver) => observeDnssec(resolver, zone, { anchors, now: now() }), stop);
    stop?.throwIfAborted();
    return seen;
  }

  /** Stores a look and sends its notifications, within a transaction. */
  async store(tx: EntityManager, id: string, seen: DnssecSeen): Promise<void> {
    const now = this.#parts.now();
    const next = new Date(now.getTime() + betweenChecks);
    // Creates the row if it is missing, and locks it. Nothing is stored of a domain that was deleted.
    const { rows } = await sql<{ name: string; ownerId: string | null; hadRegistrar: boolean; dnssec: unknown }>`
      with domain as (
        select id, name, owner_id,
          registrar_config_id is not null or coalesce(registration->>'ds', '[]') <> '[]' as had_registrar
        from domains where id = ${id} for key share
      ), locked as (
        insert into delegations (domain_id, next_check_at) select id, ${next}::timestamptz from domain
        on conflict (domain_id) do update set domain_id = excluded.domain_id
        returning dnssec
      )
      select domain.name, domain.owner_id as "ownerId", domain.had_registrar as "hadRegistrar", locked.dnssec from domain cross join locked
    `.execute(queries(tx));
    const [domain] = rows;
    if (!domain) return;
    const stored = storedIn(domain.dnssec);
    const before = stored?.reported ?? [];
    const facts = { ...factsOf(seen, before, now), lastDs: lastDsOf(seen, stored, domain.hadRegistrar, now) };
    await queries(tx)
      .updateTable("delegations")
      .set({ dnssec: sql`${JSON.stringify(facts)}::jsonb` })
      .where("domain_id", "=", id)
      .execute();
    const notices = facts.findings
      .filter(isOwnFault)
      .flatMap(({ code, message }) =>
        isReported(code) && !before.includes(code)
          ? [dnssecNotice({ id, name: domain.name, ownerId: domain.ownerId }, { code, message }, facts)]
          : [],
      );
    await this.#parts.notifications.notifyAll(tx, notices);
  }

  async #view(em: EntityManager, zone: Zone) {
    const row = await queries(em)
      .selectFrom("domains")
      .innerJoin("provider_configs", "provider_configs.id", "domains.provider_config_id")
      .leftJoin("delegations", "delegations.domain_id", "domains.id")
      .select(["domains.soa_signed", "delegations.dnssec", "provider_configs.kind"])
      .where("domains.id", "=", zone.id)
      .executeTakeFirstOrThrow();
    const stored = storedIn(row.dnssec);
    const { checkedAt, signaturesExpireAt, ...facts } = stored ?? never;
    const fromFile = row.soa_signed ? ("file" as const) : null;
    return {
      domainId: zone.id,
      notCheckedBecause: this.#parts.delegations.whyNotChecked(zone),
      checkedAt: checkedAt === null ? null : new Date(checkedAt),
      canSet: knownKind(row.kind).turnsSigning === true,
      signedBy: zone.signed ? ("provider" as const) : fromFile,
      signaturesExpireAt: signaturesExpireAt === null ? null : new Date(signaturesExpireAt),
      state: facts.state,
      keys: facts.keys && [...facts.keys],
      dsToPublish: [...facts.dsToPublish],
      parentDs: facts.parentDs && [...facts.parentDs],
      cds: facts.cds && [...facts.cds],
      chain: facts.chain,
      chainReason: facts.chainReason,
      findings: [...facts.findings],
    };
  }
}

function dsTexts(records: readonly Ds[] | null): string[] | null {
  return records?.map(dsText).toSorted() ?? null;
}

function storedIn(column: unknown): StoredDnssec | null {
  return fromJson(column) as StoredDnssec | null;
}

/**
 * Returns what is known of the last DS records after a look. @param mayHaveHad whether a signed zone that was not looked at before may have
 * had some: its registrar is known, or its registry said so
 */
function lastDsOf(
  { parentDs, dsTtl, apex }: DnssecSeen,
  before: StoredDnssec | null,
  mayHaveHad: boolean,
  now: Date,
): StoredDnssec["lastDs"] {
  const isFirst = (before?.parentDs ?? null) === null;
  // Assumes nothing while the parent zone is silent: the next answer counts as the first.
  const had = isFirst
    ? parentDs !== null && mayHaveHad && apex.keys?.length !== 0
    : (before?.parentDs ?? []).length > 0;
  const known = before?.lastDs ?? (had ? { ttl: usualTtl, goneAt: null } : null);
  if (parentDs === null) return known;
  // Resolvers may still have the records with the longer TTL of before.
  const former = known?.goneAt === null ? known.ttl : 0;
  if (parentDs.length > 0) return { ttl: Math.max(dsTtl ?? usualTtl, former), goneAt: null };
  return known && { ttl: known.ttl, goneAt: known.goneAt ?? now.toISOString() };
}

/** Not a fault of a zone above, which would be reported for each domain below it, and no DS records that may harm nobody. */
function isOwnFault({ code, severity }: DnssecFinding): boolean {
  return (code !== "broken" && code !== "ds_mismatch") || severity === "error";
}

/** @param before what was reported already, which stays so while nothing is known to the contrary */
function factsOf(seen: DnssecSeen, before: readonly ReportedCode[], now: Date): StoredDnssec {
  const { zone, apex, chain } = seen;
  const findings = judgeDnssec(seen, now);
  const keys = apex.keys ?? [];
  const present = findings
    .filter(isOwnFault)
    .map(({ code }) => code)
    .filter(isReported);
  const isKnown = apex.keys !== null && seen.parentDs !== null && chain.result !== "unknown";
  return {
    checkedAt: now.toISOString(),
    state: stateOf(seen, findings),
    keys:
      apex.keys?.map(({ tag, algorithm, entryPoint }) => {
        const signsRecords = apex.signers.includes(tag);
        const entry = signsRecords ? ("csk" as const) : ("ksk" as const);
        return {
          keyTag: tag,
          algorithm,
          role: entryPoint ? entry : ("zsk" as const),
          published: true,
          active: signsRecords || apex.keySigners.includes(tag),
        };
      }) ?? null,
    dsToPublish: dsToPublish(zone, keys, apex.keySigners).map(dsText),
    parentDs: dsTexts(seen.parentDs),
    cds: dsTexts(seen.cds),
    chain: chain.result,
    chainReason: chain.reason,
    signaturesExpireAt: apex.expiresAt?.toISOString() ?? null,
    findings,
    reported: isKnown ? present : [...new Set([...before, ...present])],
  };
}

/** The findings that are reported once they appear, and the titles of their notices. */
const titles = {
  ds_mismatch: (zone: string) => `The DS records of ${zone} match none of its keys`,
  broken: (zone: string) => `${zone} does not validate`,
  signatures_expiring: (zone: string) => `The signatures of ${zone} expire soon`,
} as const;

type ReportedCode = keyof typeof titles;

function isReported(code: string): code is ReportedCode {
  return Object.hasOwn(titles, code);
}

interface NoticeFacts {
  parentDs: string[] | null;
  dsToPublish: string[];
  signaturesExpireAt: string | null;
  chainReason: string;
}

type DnssecNotice = TypedNotice<"dnssec.ds_mismatch" | "dnssec.broken" | "dnssec.expiring_signatures">;

/** Reports a finding. The domain is in the default view, like all that are checked. */
export function dnssecNotice(
  { id, name, ownerId }: { id: string; name: string; ownerId: string | null },
  { code, message }: Pick<DnssecFinding, "message"> & { code: ReportedCode },
  { parentDs, dsToPublish, signaturesExpireAt, chainReason }: NoticeFacts,
): DnssecNotice {
  const notice = {
    title: titles[code](name),
    content: message,
    to: { userIds: ownerId === null ? [] : [ownerId], administrators: true },
  };
  const of = { domainId: id, domainName: name };
  switch (code) {
    case "ds_mismatch":
      return {
        ...notice,
        event: "dnssec.ds_mismatch",
        level: "error",
        metadata: { ...of, parentDs: parentDs ?? [], dsToPublish },
      };
    case "broken":
      return { ...notice, event: "dnssec.broken", level: "error", metadata: { ...of, reason: chainReason } };
    default:
      return {
        ...notice,
        event: "dnssec.expiring_signatures",
        level: "warning",
        metadata: { ...of, expiresAt: signaturesExpireAt },
      };
  }
}
