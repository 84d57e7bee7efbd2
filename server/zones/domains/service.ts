import type { z } from "zod";
import type { createDomainInput } from "./schemas.ts";
import { LockMode } from "@mikro-orm/core";
import { everyColumn } from "../../database/query-helpers.ts";
import { lockUsers, endCredentials } from "../../access/locks.ts";
import { accessColumns, rightsIn, zoneFor, type Zone } from "../../access/zone-access.ts";
import { domainGone } from "../../accounts/assignments/notices.ts";
import { writeEntry, changedFields } from "../../notifications/audit/audit.ts";
import type { AuditAction } from "../../notifications/audit/actions.ts";
import { announceZoneChange } from "../changes/zone-watchers.ts";
import { checkOverride, type ReviewPolicy } from "../changes/locks-and-reviews.ts";
import { withdrawForDomain } from "../change-requests/request.ts";
import type { Caller } from "../../access/caller.ts";
import { queries, type Database, type EntityManager } from "../../database/database.ts";
import type { ConnectedConfig, ProviderConfigs } from "../../dns-providers/provider-configs.ts";
import { AppError, notFound } from "../../platform/errors.ts";
import { newId } from "../../platform/ids.ts";
import type { Logger } from "../../platform/log.ts";
import { qualifiedName } from "../../dns/names/names.ts";
import { providerZoneOf } from "../../dns-providers/provider.ts";
import type { RegistrarConfigs } from "../../registry/registrars/configs.ts";
import type { Notifications } from "../../notifications/notify.ts";
import { Domain } from "../../database/tables/domains.ts";
import {
  adoptZone,
  refuseServed,
  zoneToAdopt,
  type Alongside,
  type BeforeReading,
  type NewZone,
} from "./adopt-zone.ts";
import { groupingOf, movedRights, spelledAsElsewhere } from "./named-by-assignments.ts";
import { restrictToVisibleRecords, countTags, findZoneOf, listWithLastChanges, type DomainFilter } from "./list.ts";
import {
  catalogOf,
  changeView,
  type MoveAbout,
  followsExpiry,
  givenView,
  newName,
  refuseLeavingCatalog,
  refuseTaken,
} from "./identity.ts";
import { moveZone } from "./move-zone.ts";
import type { MirrorReconciler } from "../mirrors/reconciler.ts";
import {
  applyPatch,
  auditedFields,
  mustBeUser,
  refuseGrant,
  refuseOwner,
  refuseRegistrar,
  refuseReviewSettings,
  setExpiry,
  unique,
  uniqueTags,
  type DomainPatch,
} from "./patch.ts";
import { expiringFrom } from "../../registry/expiry/store-finding.ts";
import { exportPortfolio, seesCost, sumCosts } from "./portfolio.ts";
import { listPortfolio, worstFindings } from "./portfolio-list.ts";
import { importPortfolio } from "./portfolio-import.ts";
import type { ImportPortfolioInput } from "./portfolio-schemas.ts";
import { detailView } from "./view.ts";

const defaultRemindDays = [30, 7, 1];

export type NewDomain = z.infer<typeof createDomainInput>;

/** Manages domains: their registration data, and the existence of their zones at the provider. */
export class Domains {
  readonly #database: Database;
  readonly #providerConfigs: ProviderConfigs;
  readonly #registrarConfigs: RegistrarConfigs;
  readonly #now: () => Date;
  readonly #notifications: Notifications;
  readonly #review: ReviewPolicy;
  readonly #log: Logger;
  readonly #mirrors: MirrorReconciler;

  constructor(
    database: Database,
    providerConfigs: ProviderConfigs,
    now: () => Date,
    notifications: Notifications,
    review: ReviewPolicy,
    registrarConfigs: RegistrarConfigs,
    log: Logger,
    mirrors: MirrorReconciler,
  ) {
    this.#database = database;
    this.#providerConfigs = providerConfigs;
    this.#now = now;
    this.#notifications = notifications;
    this.#review = review;
    this.#registrarConfigs = registrarConfigs;
    this.#log = log;
    this.#mirrors = mirrors;
  }

  list(em: EntityManager, caller: Caller, filter: DomainFilter) {
    return listWithLastChanges(em, caller, filter, this.#now());
  }

  /** Finds the domain that holds a host name. @throws AppError BAD_REQUEST, NOT_FOUND */
  zoneOf(em: EntityManager, caller: Caller, hostName: string) {
    return findZoneOf(em, caller, hostName, this.#now());
  }

  listPortfolio(em: EntityManager, caller: Caller, filter: DomainFilter) {
    return listPortfolio(em, caller, filter, this.#now());
  }

  worstFindings(em: EntityManager, caller: Caller) {
    return worstFindings(em, caller, this.#now());
  }

  exportPortfolio(em: EntityManager, caller: Caller) {
    return exportPortfolio(em, caller);
  }

  importPortfolio(em: EntityManager, caller: Caller, input: ImportPortfolioInput) {
    return importPortfolio(em, caller, input, { now: this.#now, log: this.#log });
  }

  costs(em: EntityManager, caller: Caller) {
    return sumCosts(em, caller);
  }

  tags(em: EntityManager, caller: Caller) {
    return countTags(em, caller);
  }

  /** @throws AppError NOT_FOUND */
  async get(em: EntityManager, caller: Caller, id: string) {
    const row = await queries(em)
      .selectFrom("domains")
      .innerJoin("provider_configs", "provider_configs.id", "domains.provider_config_id")
      .select(everyColumn("domains"))
      .select("provider_configs.kind")
      .select(accessColumns(caller))
      .where("domains.id", "=", id)
      .executeTakeFirst();
    if (!row) throw notFound("domain");
    const { sees } = rightsIn(row, caller, "read");
    const [seen = row] = await restrictToVisibleRecords(em, [row], () => sees);
    const detail = detailView(seen, this.#now(), this.#review);
    // What a domain costs is not for those who only edit its records.
    return seesCost(caller, row) ? detail : { ...detail, yearlyCost: null, currency: null };
  }

  /**
   * Adds a domain. Creates its zone at the provider, or reads the records of an existing zone.
   * @param alongside stores what belongs to it, in the same transaction
   * @throws AppError BAD_REQUEST, CONFLICT, FORBIDDEN, PROVIDER_ERROR. The domain is then not added.
   */
  async create(em: EntityManager, caller: Caller, input: NewDomain, alongside?: Alongside) {
    const config = await this.#providerConfigs.usable(em, caller, input.providerConfigId);
    const { id } = await this.add(em, caller, input, config, "domain.create", alongside);
    return await this.get(em.fork(), caller, id);
  }

  /**
   * Returns the zone that `create` would make, and makes nothing.
   * @throws AppError as `create` does, as far as that can be known before; FORBIDDEN for those who may add no domains
   */
  async planned(
    em: EntityManager,
    caller: Caller,
    input: Pick<NewDomain, "name" | "view" | "providerConfigId">,
    beforeReading: BeforeReading,
  ): Promise<NewZone> {
    if (caller.role === "auditor")
      throw new AppError("FORBIDDEN", "Auditors cannot add domains. Ask an administrator.");
    if (caller.narrowing !== null)
      throw new AppError(
        "FORBIDDEN",
        "This token is narrowed and cannot add domains. Use a token that is not narrowed.",
      );
    const config = await this.#providerConfigs.usable(em, caller, input.providerConfigId);
    return await zoneToAdopt(em, caller, newName(input), config, beforeReading);
  }

  /**
   * Stores a domain at a provider that the caller may use. @returns its id and the number of records read.
   * @throws as `create` does
   */
  async add(
    em: EntityManager,
    caller: Caller,
    input: NewDomain,
    config: ConnectedConfig,
    action: "domain.create" | "domain.import",
    alongside?: Alongside,
  ): Promise<{ id: string; records: number }> {
    const { name, view } = newName(input);
    const expiresAt = input.expiresAt ?? null;
    const now = this.#now();
    const domain = em.create(
      Domain,
      {
        id: newId(),
        name,
        view,
        providerConfigId: config.id,
        providerZone: providerZoneOf(config.kind, { name, view }),
        ownerId: caller.role === "admin" ? null : caller.userId,
        expiresAt,
        expiringFrom: expiringFrom(expiresAt, defaultRemindDays),
        status: "active",
        groupName: input.groupName ?? null,
        tags: await spelledAsElsewhere(em, caller, uniqueTags(input.tags ?? []), { id: null, present: [] }),
        expiryRemindDays: defaultRemindDays,
        autoCheckExpiry: followsExpiry(name, view),
        expirySource: expiresAt ? "manual" : null,
        registration: null,
        registrarState: null,
        expiryCheckFailures: 0,
        snapshotSchedule: "off",
        reverse: "off",
        reverseFollowGrant: false,
        protectMail: false,
        reviewAcme: false,
        revision: 0,
        recordCount: 0,
        providerSigned: false,
        serverManagedCount: 0,
        snapshotSequence: 0,
        // The zone was just read, so the first comparison is due a period later.
        driftCheckedAt: now,
        createdAt: now,
        updatedAt: now,
      },
      { persist: false },
    );
    return { id: domain.id, records: await adoptZone(em, domain, config, caller, { action, now, alongside }) };
  }

  /** @throws AppError NOT_FOUND, FORBIDDEN, CONFLICT, PROVIDER_ERROR */
  async update(em: EntityManager, caller: Caller, patch: DomainPatch) {
    const zone = await zoneFor(em, caller, patch.id, "manage");
    await refuseForce(em, caller, zone, patch);
    if (patch.reverseFollowGrant !== undefined) refuseGrant(caller, zone.name, patch.reverseFollowGrant);
    refuseReviewSettings(caller, patch);
    refuseOwner(caller, patch);
    refuseRegistrar(caller, patch);
    if (patch.registrarConfigId) await this.#registrarConfigs.mustExist(em, patch.registrarConfigId);
    const view = patch.view === undefined ? zone.view : givenView(patch.view);
    const { providerConfigId = zone.providerConfigId } = patch;
    const { message, override } = patch;
    checkOverride({ role: caller.role, message, override });
    if (view !== zone.view || providerConfigId !== zone.providerConfigId) {
      const overridden = this.#review.refuseMove(zone, { role: caller.role, message, override });
      await this.#judge(em.fork(), caller, patch);
      const about = overridden ? { message, reviewOverridden: true } : {};
      await this.#place(em, caller, zone, { view, providerConfigId, force: patch.force ?? false, about });
    }
    const apply = async (domain: Domain, tx: EntityManager) => {
      if (patch.ownerId) await mustBeUser(tx, patch.ownerId);
      applyPatch(domain, await spelledPatch(tx, caller, domain, patch));
    };
    return await this.#change(em, caller, patch.id, "domain.update", apply);
  }

  /** Refuses a patch before its zone is moved, because a move is not undone. @throws AppError NOT_FOUND, BAD_REQUEST, FORBIDDEN */
  async #judge(em: EntityManager, caller: Caller, patch: DomainPatch): Promise<void> {
    const domain = await em.findOne(Domain, { id: patch.id });
    if (!domain) throw notFound("domain");
    if (patch.ownerId) await mustBeUser(em, patch.ownerId);
    const before = groupingOf(domain);
    // Nothing is stored: the call that changes the domain reads it again.
    applyPatch(domain, await spelledPatch(em, caller, domain, patch));
    await movedRights(em, caller, { before, after: groupingOf(domain), now: this.#now() });
  }

  /**
   * Moves a domain's zone to another provider configuration, or to another zone of its own if its view is part of the zone's name there.
   * Elsewhere, a new view changes nothing at the provider.
   */
  async #place(
    em: EntityManager,
    caller: Caller,
    zone: Zone,
    {
      view,
      providerConfigId,
      force,
      about,
    }: { view: string; providerConfigId: string; force: boolean; about: MoveAbout },
  ): Promise<void> {
    const { name } = zone;
    if (view !== zone.view && caller.role !== "admin")
      throw new AppError("FORBIDDEN", "Only administrators can change a domain's view. Ask one of them.");
    await refuseTaken(em, { id: zone.id, name, view });
    const isElsewhere = providerConfigId !== zone.providerConfigId;
    const target = isElsewhere
      ? await this.#providerConfigs.usable(em, caller, providerConfigId)
      : await this.#providerConfigs.connected(em, providerConfigId);
    const providerZone = providerZoneOf(target.kind, { name, view });
    if (!isElsewhere && providerZone === providerZoneOf(target.kind, zone)) {
      await changeView(em.fork(), zone, { view, caller, now: this.#now(), about });
      return;
    }
    if (caller.role !== "admin") await refuseServed(target.provider, { name, providerZone });
    if (isElsewhere) await refuseLeavingCatalog(em, { domainId: zone.id, configId: zone.providerConfigId }, force);
    await moveZone(this.#database, this.#providerConfigs.connections, zone, { ...target, view }, caller, {
      // Members confirm with it only that secondaries drop the zone.
      force: force && caller.role === "admin",
      about,
      now: this.#now,
      notifications: this.#notifications,
      mirrors: this.#mirrors,
    });
  }

  async setRemind(
    em: EntityManager,
    caller: Caller,
    input: { id: string; expiryRemindDays?: number[] | undefined; autoCheckExpiry?: boolean | undefined },
  ) {
    return await this.#change(em, caller, input.id, "domain.set_expiry_remind", (domain) => {
      if (input.expiryRemindDays) domain.expiryRemindDays = unique(input.expiryRemindDays).toSorted((a, b) => b - a);
      if (input.autoCheckExpiry !== undefined) domain.autoCheckExpiry = input.autoCheckExpiry;
    });
  }

  /** Sets the expiry date by hand. A failed lookup does not overwrite it. */
  async setExpiry(em: EntityManager, caller: Caller, input: { id: string; expiresAt: Date | null }) {
    return await this.#change(em, caller, input.id, "domain.set_expiry", (domain) =>
      setExpiry(domain, input.expiresAt),
    );
  }

  /**
   * Deletes the domain with its records and history. The zone at the provider stays; secondaries that follow a catalog zone drop it.
   * @throws AppError NOT_FOUND, FORBIDDEN, CONFIRMATION_REQUIRED without `force` for a member of a catalog zone
   */
  async delete(
    em: EntityManager,
    caller: Caller,
    id: string,
    { force = false }: { force?: boolean } = {},
  ): Promise<void> {
    await em.transactional(async (tx) => {
      await zoneFor(tx, caller, id, "manage");
      // Before its requests, as everything that changes the zone does.
      await queries(tx).selectFrom("domains").select("id").where("id", "=", id).forUpdate().execute();
      await refuseLeavingCatalog(tx, { domainId: id }, force);
      const assigned = await queries(tx)
        .selectFrom("assignments")
        .select(["user_id", "subdomain_pattern", "access"])
        .where("domain_id", "=", id)
        .execute();
      await lockUsers(
        tx,
        assigned.map(({ user_id: userId }) => userId),
      );
      const requests = await withdrawForDomain(tx, id, this.#now());
      const credentials = await endCredentials(tx, id);
      const gone = await queries(tx)
        .deleteFrom("domains")
        .where("id", "=", id)
        .returning(["name", "view", "provider_config_id", "owner_id", "record_count", "provider_fingerprint"])
        .executeTakeFirst();
      if (!gone) throw notFound("domain");
      // Catalogs have rows as well, so none refers to its domain. Those of one that was only mirrored there would stay.
      await queries(tx).deleteFrom("primary_secondaries").where("zone_id", "=", id).execute();
      const before = {
        name: gone.name,
        view: gone.view,
        providerConfigId: gone.provider_config_id,
        ownerId: gone.owner_id,
        recordCount: gone.record_count,
        providerFingerprint: gone.provider_fingerprint,
      };
      await writeEntry(tx, this.#now(), caller, {
        action: "domain.delete",
        targetType: "domain",
        targetId: id,
        before,
        ...(requests > 0 ? { after: { requestsWithdrawn: requests } } : {}),
      });
      for (const ended of credentials) await writeEntry(tx, this.#now(), caller, ended);
      await this.#notifications.notifyAll(tx, domainGone({ id, name: qualifiedName(gone) }, assigned));
      announceZoneChange(tx, { domainId: id, revision: null, changeSetId: null });
    });
  }

  /** Changes a domain under a lock: `expiringFrom` depends on two fields that concurrent calls may change. */
  async #change(
    em: EntityManager,
    caller: Caller,
    id: string,
    action: AuditAction & `domain.${string}`,
    change: (domain: Domain, tx: EntityManager) => void | Promise<void>,
  ) {
    await em.transactional(async (tx) => {
      await zoneFor(tx, caller, id, "manage");
      const domain = await tx.findOne(Domain, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      if (!domain) throw notFound("domain");
      const before = auditedFields(domain);
      await change(domain, tx);
      domain.expiringFrom = expiringFrom(domain.expiresAt ?? null, domain.expiryRemindDays);
      domain.updatedAt = this.#now();
      const current = auditedFields(domain);
      const moved = await movedRights(tx, caller, {
        before: groupingOf(before),
        after: groupingOf(current),
        now: domain.updatedAt,
      });
      const audited = changedFields(before, current);
      if (!audited) return;
      const after = { ...audited.after, ...moved };
      await writeEntry(tx, domain.updatedAt, caller, { action, targetType: "domain", targetId: id, ...audited, after });
    });
    return await this.get(em.fork(), caller, id);
  }
}

/** Returns a patch with its tags as other domains spell them. */
async function spelledPatch(
  em: EntityManager,
  caller: Caller,
  { id, tags: present }: Domain,
  patch: DomainPatch,
): Promise<DomainPatch> {
  if (patch.tags === undefined) return patch;
  return { ...patch, tags: await spelledAsElsewhere(em, caller, uniqueTags(patch.tags), { id, present }) };
}

/** @throws AppError FORBIDDEN for members, unless they confirm that a domain leaves a catalog zone */
async function refuseForce(em: EntityManager, caller: Caller, zone: Zone, { force = false }: DomainPatch) {
  if (!force || caller.role === "admin") return;
  const catalog = await catalogOf(em, { domainId: zone.id, configId: zone.providerConfigId });
  if (catalog === null)
    throw new AppError("FORBIDDEN", "Only administrators can abandon pending changes. Leave `force` out.");
}
