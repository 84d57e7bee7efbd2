import { sql } from "kysely";
import { accessColumns, rightsIn, type Need, type Rights } from "../../access/zone-access.ts";
import type { Caller } from "../../access/caller.ts";
import { queries, type EntityManager } from "../../database/database.ts";
import { inOneTrip, statement, type Sent } from "../../database/statements.ts";
import type { ReverseMode, ReviewRequired } from "../../database/tables/domains.ts";
import type { ProviderConnections } from "../../dns-providers/connections.ts";
import { knownKind } from "../../dns-providers/kinds.ts";
import type { DnsProvider, ProviderKind } from "../../dns-providers/provider.ts";
import { isMirrored, isReported, type WatchedZone } from "./settle.ts";
import { AppError, notFound } from "../../platform/errors.ts";

/** A zone as a plan sees it, and what the caller may do in it. */
export interface ZoneContext {
  id: string;
  name: string;
  /** Empty: the default view. */
  view: string;
  /** The zone's name at its provider. */
  providerZone: string;
  /** The id of its provider configuration. */
  configId: string;
  revision: number;
  recordCount: number;
  fingerprint: string | null;
  /** Whether the provider signs the zone, as last read. */
  signed: boolean;
  /** Whether 0.1 stored TXT records of the zone and nobody has read since how they are split. */
  splitsUnread: boolean;
  /** Whether PTR records follow its addresses. */
  reverse: ReverseMode;
  /** Whose changes need a review; null: as the installation says. */
  reviewRequired: ReviewRequired | null;
  /** Whether TXT records at `_acme-challenge` need one, too. */
  reviewAcme: boolean;
  /** What the caller may do here. */
  rights: Rights;
  /** Null if its row was read without a lock. */
  locked: WatchedZone | null;
  /** The time of the call. */
  at: Date;
  kind: ProviderKind;
  /** Null for a kind without a back end. */
  provider: DnsProvider | null;
  /** Whether nothing serves the zone yet, so that its name servers may get their addresses later. */
  isUnserved?: boolean;
}

/** Who reads which zone, and what for. */
interface Reading {
  domainId: string;
  caller: Caller;
  need: Need;
}

/** Reads a zone and what the caller may do in it. @throws AppError NOT_FOUND, FORBIDDEN */
export async function readZoneContext(
  em: EntityManager,
  connections: ProviderConnections,
  reading: Reading,
): Promise<ZoneContext> {
  const row = await zoneQuery(em, reading).executeTakeFirst();
  if (!row) throw notFound("domain");
  const rights = rightsIn(row, reading.caller, reading.need);
  return zoneContext(row, rights, reading.caller, connections);
}

/**
 * Reads a zone, locks its row for the transaction, and sends the statements `ahead` together with that: they run when the row is locked.
 * @throws AppError as `readZoneContext`; UNAVAILABLE while the zone is being moved
 */
export async function lockZone(
  tx: EntityManager,
  connections: ProviderConnections,
  { ahead, ...reading }: Reading & { ahead?: ((tx: EntityManager) => readonly Sent[]) | undefined },
): Promise<ZoneContext> {
  const sent = ahead?.(tx) ?? [];
  // A statement that waits for a lock sees other rows as they were before it waited. What is read by the next one is true while the lock is held.
  const lock = () => statement`select id from domains where id = ${reading.domainId} for update`;
  const read = () =>
    zoneQuery(tx, reading)
      .select([isMirrored.as("mirrored"), isReported.as("reported")])
      .compile();
  const [, found, ...answers] = await inOneTrip(tx, [lock, read, ...sent.map((each) => each.statement)]);
  for (const [index, { answered }] of sent.entries()) answered(answers[index] ?? { rows: [], numAffectedRows: 0n });
  const [row] = (found?.rows ?? []) as (ZoneRow & { leased: boolean; mirrored: boolean; reported: boolean })[];
  if (!row) throw notFound("domain");
  const rights = rightsIn(row, reading.caller, reading.need);
  const zone = zoneContext(row, rights, reading.caller, connections);
  // Without a provider, only a move holds a lease.
  if (!zone.provider && row.leased) throw moving();
  return { ...zone, locked: { revision: row.revision, mirrored: row.mirrored, reported: row.reported } };
}

type ZoneRow = NonNullable<Awaited<ReturnType<ReturnType<typeof zoneQuery>["executeTakeFirst"]>>>;

function zoneQuery(em: EntityManager, { domainId, caller }: Reading) {
  return queries(em)
    .selectFrom("domains")
    .innerJoin("provider_configs", "provider_configs.id", "domains.provider_config_id")
    .select([
      "domains.id",
      "domains.name",
      "domains.view",
      "domains.provider_zone",
      "domains.revision",
      "domains.record_count",
      "domains.provider_fingerprint",
      "domains.provider_signed",
      "domains.splits_unread",
      "domains.reverse",
      "domains.review_required",
      "domains.review_acme",
      "provider_configs.id as config_id",
      "provider_configs.kind",
      "provider_configs.config",
    ])
    .select(sql<boolean>`coalesce(domains.lease_until > now(), false)`.as("leased"))
    .select(
      sql<{ name: string; kind: string }[] | null>`(
        select json_agg(json_build_object('name', c.name, 'kind', c.kind) order by m.id) from mirrors m
        join provider_configs c on c.id = m.provider_config_id where m.domain_id = domains.id and m.strict
      )`.as("strict_mirrors"),
    )
    .select(accessColumns(caller))
    .where("domains.id", "=", domainId);
}

function zoneContext(row: ZoneRow, rights: Rights, { at }: Caller, connections: ProviderConnections): ZoneContext {
  const { kind: ownKind, provider } = connections.connect({ ...row, id: row.config_id });
  const strictMirrors = row.strict_mirrors?.map((mirror) => ({ name: mirror.name, kind: knownKind(mirror.kind) }));
  const kind = strictMirrors ? { ...ownKind, strictMirrors } : ownKind;
  return {
    id: row.id,
    name: row.name,
    view: row.view,
    providerZone: row.provider_zone,
    configId: row.config_id,
    revision: row.revision,
    recordCount: row.record_count,
    fingerprint: row.provider_fingerprint,
    signed: row.provider_signed,
    splitsUnread: row.splits_unread,
    reverse: row.reverse,
    reviewRequired: row.review_required,
    reviewAcme: row.review_acme,
    rights,
    locked: null,
    at,
    kind,
    provider,
  };
}

function moving(): AppError {
  return new AppError("UNAVAILABLE", "The zone is being moved to another provider. Try again in a few seconds.", {
    retryAfterSeconds: 3,
  });
}
