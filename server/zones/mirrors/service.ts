import { sql, type RawBuilder, type Selectable, type SqlBool } from "kysely";
import type { z } from "zod";
import type { Caller } from "../../access/caller.ts";
import { visibleDomains } from "../../access/visible-domains.ts";
import { onePage } from "../../database/query-helpers.ts";
import type { Tables } from "../../database/tables/all.ts";
import { qualifiedName } from "../../dns/names/names.ts";
import type { listMirrorsInput, MirrorState, createMirrorInput } from "./schemas.ts";
import { zoneFor, readsEverything } from "../../access/zone-access.ts";
import type { Audit } from "../../notifications/audit/audit.ts";
import { announceZoneChange } from "../changes/zone-watchers.ts";
import { hasSerial, raiseSerial } from "../changes/state/store-signing.ts";
import { queries, type EntityManager } from "../../database/database.ts";
import type { OnDrift } from "../../database/tables/domains.ts";
import { recordLabel } from "../../dns/record.ts";
import { knownKind } from "../../dns-providers/kinds.ts";
import type { ConnectedConfig, ProviderConfigs } from "../../dns-providers/provider-configs.ts";
import { providerZoneOf, throughProvider } from "../../dns-providers/provider.ts";
import {
  conflictOf,
  movedMeanwhile,
  refuseLeavingCatalog,
  refuseSharedZone,
  refuseUnnamable,
} from "../domains/identity.ts";
import { refuseServed } from "../domains/adopt-zone.ts";
import { AppError, badField, notFound } from "../../platform/errors.ts";
import { newId } from "../../platform/ids.ts";
import { lossWarning } from "../records/editing/reviewed-plan.ts";
import { compareMirror, type Compared, type Followed } from "./comparison.ts";
import type { MirrorReconciler } from "./reconciler.ts";

type MirrorRow = Selectable<Tables["mirrors"]> & { kind: string };

/** Mirrors of one domain. */
const mostMirrors = 8;
const listed = 100;

interface Parts {
  providerConfigs: ProviderConfigs;
  reconciler: MirrorReconciler;
  audit: Audit;
  now: () => Date;
}

export type NewMirror = z.infer<typeof createMirrorInput>;

/** Further provider configurations that follow a domain: adding, listing, reconciling, removing. */
export class Mirrors {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Returns how far the mirrors of a domain follow it. @throws AppError NOT_FOUND */
  async list(em: EntityManager, caller: Caller, id: string) {
    const { revision, rights } = await zoneFor(em, caller, id, "read");
    const rows = await queries(em)
      .selectFrom("mirrors as m")
      .innerJoin("provider_configs as c", "c.id", "m.provider_config_id")
      .selectAll("m")
      .select("c.kind")
      .where("m.domain_id", "=", id)
      .orderBy("m.id")
      .execute();
    const showsErrors = rights.owns || readsEverything(caller.role);
    const mirrors = rows.map((row) => this.#view(row, { revision, showsErrors }));
    return { revision, mirrors };
  }

  /** Returns a page of the mirrors of all domains that the caller may see. */
  async listAll(em: EntityManager, caller: Caller, filter: z.output<typeof listMirrorsInput>) {
    const visible = await visibleDomains(em, caller);
    const { page, limit, state, providerConfigId } = filter;
    const found = queries(em)
      .selectFrom("mirrors as m")
      .innerJoin("provider_configs as c", "c.id", "m.provider_config_id")
      .innerJoin("domains", "domains.id", "m.domain_id")
      .selectAll("m")
      .select(["c.kind", "domains.name", "domains.view", "domains.owner_id"])
      .select("domains.revision as current")
      .where((eb) => visible.condition(eb))
      .$if(state !== undefined, (query) => query.where(inState(state ?? "failing")))
      .$if(providerConfigId !== undefined, (query) => query.where("m.provider_config_id", "=", providerConfigId ?? ""))
      .orderBy(sql`m.failures > 0`, "desc")
      .orderBy("m.behind_since", (order) => order.asc().nullsLast())
      .orderBy("m.id");
    const { rows, total } = await onePage(found, { page, limit });
    const mirrors = rows.map((row) => {
      const owns = row.owner_id === caller.userId && caller.narrowing === null;
      const facts = { revision: row.current, showsErrors: owns || readsEverything(caller.role) };
      return Object.assign(this.#view(row, facts), { domainId: row.domain_id, domainName: qualifiedName(row) });
    });
    return { mirrors, total, page, limit };
  }

  /** @param about the domain's revision, and whether the error is shown, which may name records that others may not see */
  #view(row: MirrorRow, { revision, showsErrors }: { revision: number; showsErrors: boolean }) {
    const { behind_since: since } = row;
    return {
      id: row.id,
      providerConfigId: row.provider_config_id,
      kind: row.kind,
      state: stateOf(row, revision),
      onDrift: row.on_drift,
      strict: row.strict,
      revision: row.revision,
      lastAppliedAt: row.last_applied_at,
      lagSeconds: since ? Math.max(0, Math.round((this.#parts.now().getTime() - since.getTime()) / 1_000)) : 0,
      differences: row.differences,
      foreign: row.foreign_records,
      unsupported: row.unsupported,
      error: row.error !== null && !showsErrors ? "Ask the domain's owner." : row.error,
    };
  }

  /**
   * Adds a mirror, or returns the plan of its first reconciliation.
   * @throws AppError NOT_FOUND, FORBIDDEN, BAD_REQUEST if it cannot hold the zone, CONFLICT if it is used by another zone or follows already,
   * CONFIRMATION_REQUIRED above the safety threshold, PROVIDER_ERROR
   */
  async create(em: EntityManager, caller: Caller, input: NewMirror) {
    const { id, providerConfigId, onDrift = "restore", strict = false, dryRun = false, force = false } = input;
    const { providerConfigs, reconciler } = this.#parts;
    const zone = await zoneFor(em, caller, id, "manage");
    if (force && onDrift === "report")
      throw badField(["force"], "`force` deletes records that `onDrift: report` leaves alone. Send only one of them.");
    refuseOwn(zone.providerConfigId, providerConfigId);
    const target = await providerConfigs.usable(em, caller, providerConfigId);
    const providerZone = providerZoneOf(target.kind, zone);
    await this.#refuse(em, caller, zone, target, providerZone);
    const compared = await this.#compare(em, id, target, providerZone);
    refuseUnsupported(compared, target);
    const { changes, foreign, present } = compared;
    const deleted = onDrift === "restore" ? [...changes.filter(({ action }) => action === "delete"), ...foreign] : [];
    const plan = {
      create: changes.filter(({ action }) => action === "create").length,
      update: changes.filter(({ action }) => action === "update").length,
      delete: deleted.length,
      deletes: deleted.slice(0, listed).flatMap(({ before }) => (before ? [recordLabel(before)] : [])),
    };
    if (dryRun) return { dryRun, mirrorId: null, ...plan };
    const warning = force || deleted.length === 0 ? null : lossWarning(deleted, present);
    if (warning !== null) throw new AppError("CONFIRMATION_REQUIRED", warning);
    const mirrorId = newId();
    const { makesSerials = false } = target.kind;
    const placed = { id, name: zone.name, view: zone.view, providerConfigId, providerZone };
    await this.#store(em, caller, { mirrorId, placed, onDrift, strict, makesSerials, force }).catch(
      async (error: unknown) => {
        throw await conflictOf(em.fork(), placed, error);
      },
    );
    reconciler.soon();
    return { dryRun, mirrorId, ...plan };
  }

  /** Reconciles a mirror now. @throws AppError NOT_FOUND, FORBIDDEN */
  async reconcile(
    em: EntityManager,
    caller: Caller,
    input: { id: string; mirrorId: string; force?: boolean | undefined },
  ) {
    const { id, mirrorId, force = false } = input;
    await this.#find(em, caller, input);
    const { audit, reconciler } = this.#parts;
    await em.transactional(async (tx) => {
      if (force)
        await queries(tx).updateTable("mirrors").set({ force_next: true }).where("id", "=", mirrorId).execute();
      await audit.record(tx, caller, { action: "mirror.reconcile", ...target(id), after: { mirrorId, force } });
    });
    await reconciler.reconcile(mirrorId);
    return await this.list(em.fork(), caller, id);
  }

  /**
   * Removes a mirror. The zone there stays; secondaries that follow a catalog zone drop it.
   * @throws AppError NOT_FOUND, FORBIDDEN, BAD_REQUEST with `deleteZone`, CONFIRMATION_REQUIRED without `force` for a member of a catalog zone
   */
  async delete(
    em: EntityManager,
    caller: Caller,
    input: { id: string; mirrorId: string; force: boolean; deleteZone: boolean },
  ) {
    const { provider_config_id: providerConfigId } = await this.#find(em, caller, input);
    if (input.deleteZone)
      throw badField(
        ["deleteZone"],
        "Zonewright does not delete zones at providers. Remove the mirror without `deleteZone`, then delete the zone there.",
      );
    const { id, mirrorId, force } = input;
    await em.transactional(async (tx) => {
      await refuseLeavingCatalog(tx, { domainId: id, configId: providerConfigId }, force);
      const { revision } = await queries(tx)
        .selectFrom("domains")
        .select("revision")
        .where("id", "=", id)
        .executeTakeFirstOrThrow(() => notFound("domain"));
      const gone = await queries(tx).deleteFrom("mirrors").where("id", "=", mirrorId).executeTakeFirst();
      if (gone.numDeletedRows === 0n) throw notFound("mirror");
      // Its catalog has a member less.
      announceZoneChange(tx, { domainId: id, revision, changeSetId: null });
      await this.#parts.audit.record(tx, caller, {
        action: "mirror.delete",
        ...target(id),
        before: { mirrorId, providerConfigId },
      });
    });
    return { success: true as const };
  }

  async #find(em: EntityManager, caller: Caller, { id, mirrorId }: { id: string; mirrorId: string }) {
    await zoneFor(em, caller, id, "manage");
    return await queries(em)
      .selectFrom("mirrors")
      .select(["id", "provider_config_id"])
      .where("id", "=", mirrorId)
      .where("domain_id", "=", id)
      .executeTakeFirstOrThrow(() => notFound("mirror"));
  }

  async #refuse(
    em: EntityManager,
    caller: Caller,
    { id, name, view }: { id: string; name: string; view: string },
    { id: providerConfigId, kind, provider }: ConnectedConfig,
    providerZone: string,
  ): Promise<void> {
    if (!provider && !kind.makesSerials)
      throw badField(["providerConfigId"], `${kind.name} cannot be a mirror: nobody serves its records.`);
    refuseUnnamable(kind, providerZone);
    await refuseSharedZone(em, { id, name, view, providerConfigId, providerZone }, caller.role === "admin");
    await refuseMore(em, id, providerConfigId);
    if (caller.role !== "admin") await refuseServed(provider, { name, providerZone });
  }

  async #compare(em: EntityManager, id: string, { kind, provider }: ConnectedConfig, zone: string): Promise<Compared> {
    return await throughProvider(compareMirror(em, await followed(em, id), { kind, provider, zone }));
  }

  async #store(
    em: EntityManager,
    caller: Caller,
    mirror: {
      mirrorId: string;
      /** The domain, and its zone at the mirror. */
      placed: { id: string; view: string; providerConfigId: string; providerZone: string };
      onDrift: OnDrift;
      strict: boolean;
      /** Whether secondaries transfer it from here. */
      makesSerials: boolean;
      force: boolean;
    },
  ): Promise<void> {
    const { mirrorId, placed, onDrift, strict, makesSerials, force } = mirror;
    const { id, view, providerConfigId, providerZone } = placed;
    const now = this.#parts.now();
    await em.transactional(async (tx) => {
      const { revision, ...found } = await queries(tx)
        .selectFrom("domains")
        .select(["revision", "view", "provider_config_id"])
        .where("id", "=", id)
        .forUpdate()
        .executeTakeFirstOrThrow(() => notFound("domain"));
      // It may have moved while the mirror was read.
      refuseOwn(found.provider_config_id, providerConfigId);
      if (found.view !== view) throw movedMeanwhile();
      await refuseMore(tx, id, providerConfigId);
      const returns = makesSerials && (await hasSerial(tx, id));
      await queries(tx)
        .insertInto("mirrors")
        .values({
          id: mirrorId,
          domain_id: id,
          provider_config_id: providerConfigId,
          provider_zone: providerZone,
          on_drift: onDrift,
          strict,
          wanted_revision: revision,
          behind_since: now,
          due_at: now,
          force_next: force,
          created_at: now,
        })
        .execute();
      if (returns) await raiseSerial(tx, id);
      if (makesSerials) announceZoneChange(tx, { domainId: id, revision, changeSetId: null });
      const after = { mirrorId, providerConfigId, onDrift, strict, force };
      await this.#parts.audit.record(tx, caller, { action: "mirror.create", ...target(id), after });
    });
  }
}

function target(id: string) {
  return { targetType: "domain", targetId: id } as const;
}

interface StateColumns {
  revision: number | null;
  failures: number;
  unsupported: number;
}

function stateOf({ revision, failures, unsupported }: StateColumns, current: number): MirrorState {
  if (failures > 0) return "failing";
  if (revision === null || revision < current) return "behind";
  return unsupported > 0 ? "unsupported" : "in_sync";
}

/** Returns `stateOf` as an SQL condition on mirrors `m` and their domains. */
function inState(state: MirrorState): RawBuilder<SqlBool> {
  const isBehind = sql`(m.revision is null or m.revision < domains.revision)`;
  return {
    failing: sql<SqlBool>`m.failures > 0`,
    behind: sql<SqlBool>`(m.failures = 0 and ${isBehind})`,
    unsupported: sql<SqlBool>`(m.failures = 0 and not ${isBehind} and m.unsupported > 0)`,
    in_sync: sql<SqlBool>`(m.failures = 0 and not ${isBehind} and m.unsupported = 0)`,
  }[state];
}

async function followed(em: EntityManager, id: string): Promise<Followed> {
  const row = await queries(em)
    .selectFrom("domains")
    .innerJoin("provider_configs", "provider_configs.id", "domains.provider_config_id")
    .select(["domains.name", "domains.revision", "domains.provider_signed", "provider_configs.kind"])
    .where("domains.id", "=", id)
    .executeTakeFirstOrThrow(() => notFound("domain"));
  return { id, name: row.name, revision: row.revision, signed: row.provider_signed, kind: knownKind(row.kind) };
}

/** @throws AppError CONFLICT */
function refuseOwn(mainConfigId: string, providerConfigId: string): void {
  if (mainConfigId === providerConfigId)
    throw new AppError("CONFLICT", "This is the domain's own provider configuration. Choose another one.");
}

/** @throws AppError CONFLICT */
async function refuseMore(em: EntityManager, domainId: string, providerConfigId: string): Promise<void> {
  const present = await queries(em)
    .selectFrom("mirrors")
    .select("provider_config_id")
    .where("domain_id", "=", domainId)
    .execute();
  if (present.some((mirror) => mirror.provider_config_id === providerConfigId))
    throw new AppError("CONFLICT", "This provider configuration already follows the domain.");
  if (present.length >= mostMirrors)
    throw new AppError("CONFLICT", `The domain has ${mostMirrors} mirrors, which is the limit. Remove one first.`);
}

/** @throws AppError BAD_REQUEST */
function refuseUnsupported({ unsupported }: Compared, { kind }: ConnectedConfig): void {
  if (unsupported.length === 0) return;
  throw new AppError("BAD_REQUEST", `${kind.name} cannot store ${unsupported.length} of this zone's records.`, {
    issues: unsupported.slice(0, listed).map(({ record, reason }) => ({
      path: ["providerConfigId"],
      message: `${recordLabel(record)}: ${reason}`,
    })),
  });
}
