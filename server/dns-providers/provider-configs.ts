import type { z } from "zod";
import type { createConfigInput } from "./schemas.ts";
import { isDeepStrictEqual } from "node:util";
import { ForeignKeyConstraintViolationException, LockMode } from "@mikro-orm/core";
import { sql } from "kysely";
import type { Caller, Actor } from "../access/caller.ts";
import { visibleDomains } from "../access/visible-domains.ts";
import { afterCommit } from "../database/after-commit.ts";
import { queries, type EntityManager } from "../database/database.ts";
import { readsEverything } from "../access/zone-access.ts";
import { ensureSealed } from "../database/ensure-sealed.ts";
import { mapUniqueViolation } from "../database/query-helpers.ts";
import { AppError, badField, nameTaken, notFound } from "../platform/errors.ts";
import { qualifiedName, zoneNameOf } from "../dns/names/names.ts";
import { newId } from "../platform/ids.ts";
import { configError } from "../api/input-error.ts";
import type { Logger } from "../platform/log.ts";
import { withoutSecrets, type ConfigSecrets, type Connection, type ProviderConnections } from "./connections.ts";
import type { WithShownProviderConfig } from "./config-inputs.ts";
import { ProviderConfig, type ConfigValues, type LastTest } from "../database/tables/provider-configs.ts";
import { knownKind, kindByName, providerKinds } from "./kinds.ts";
import { refuseCatalogName } from "./primary/catalog-names.ts";
import { throughProvider, type ProviderKind } from "./provider.ts";
import type { Purpose } from "./vendor-api/accounts.ts";
import { writeEntry, type AuditEvent, changedFields } from "../notifications/audit/audit.ts";

export interface ConnectedConfig extends Connection {
  id: string;
}

type NewProviderConfig = z.infer<typeof createConfigInput>;

/** Manages sets of credentials for DNS providers. */
export class ProviderConfigs {
  readonly connections: ProviderConnections;
  readonly #secrets: ConfigSecrets;
  readonly #now: () => Date;
  readonly #onChange: (kind: string) => unknown;

  /** @param onChange called after this instance created, changed or deleted a configuration of a kind */
  constructor(
    connections: ProviderConnections,
    secrets: ConfigSecrets,
    now: () => Date,
    onChange: (kind: string) => unknown = () => undefined,
  ) {
    this.#onChange = onChange;
    this.connections = connections;
    this.#secrets = secrets;
    this.#now = now;
  }

  /** Returns the kinds of providers and their capabilities. */
  kinds() {
    return {
      providers: providerKinds.map(
        ({ id, kind, name, recordTypes, supportsProxied, minTtl, automaticTtl, configFields }) => ({
          id,
          kind,
          name,
          recordTypes: recordTypes === "any" ? null : [...recordTypes],
          supportsProxied,
          minTtl,
          automaticTtl: automaticTtl ?? null,
          configFields: [...configFields],
        }),
      ),
    };
  }

  /** Lists the configurations by name: for members, those that serve a domain they see or with which they may add one. */
  async list(em: EntityManager, caller: Caller) {
    const all = await em.findAll(ProviderConfig, { orderBy: { name: "asc" }, limit: 1_000 });
    const serving = readsEverything(caller.role) ? null : await this.#servingVisible(em, caller);
    const configs = all.filter(({ id, membersMayUse }) => serving === null || membersMayUse || serving.has(id));
    // What a provider says of an account, such as how many zones it has and calls it leaves, is not for members.
    return { configs: configs.map((config) => this.#view(config, serving === null)) };
  }

  async create(em: EntityManager, actor: Actor, input: NewProviderConfig) {
    const kind = kindByName(input.kind);
    if (!kind) throw badField(["kind"], `There is no provider kind ${input.kind}; see GET /api/providers.`);
    const id = newId();
    const values = this.#checked(kind, this.#secrets.merge(null, kind.kind, input.config));
    return await em.transactional(async (tx) => {
      if (kind.kind === "primary") await refuseCatalogName(tx, this.#secrets, { id, before: null, values });
      const config = tx.create(ProviderConfig, {
        id,
        kind: kind.kind,
        name: input.name,
        config: this.#secrets.seal(id, kind.kind, values),
        membersMayUse: input.membersMayUse,
        embedded: false,
        lastTest: null,
        createdAt: this.#now(),
      });
      await writeConfig(tx, config);
      await writeConfigEntry(tx, { actor, at: config.createdAt }, "provider_config.create", id, {
        after: auditedConfig(this.#secrets, config),
      });
      afterCommit(tx, () => this.#onChange(config.kind));
      return this.#view(config);
    });
  }

  /**
   * Changes a configuration. Its name and access can always change. Its location cannot while domains use it, because their zones
   * would not be there. The row is locked from read to write, so that a stored secret is the newest one.
   * @throws AppError NOT_FOUND, BAD_REQUEST, CONFLICT
   */
  async update(em: EntityManager, actor: Actor, id: string, patch: Partial<Omit<NewProviderConfig, "kind">>) {
    return await em.transactional(async (tx) => {
      const config = await tx.findOne(ProviderConfig, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      if (!config) throw notFound("provider configuration");
      const before = auditedConfig(this.#secrets, config);
      if (patch.config) {
        const values = this.#checked(knownKind(config.kind), this.#secrets.merge(config, config.kind, patch.config));
        const moved = !isDeepStrictEqual(placeOf(config.kind, values), placeOf(config.kind, config.config));
        if (moved) await refuseRepointing(tx, config);
        this.#secrets.requireAgain(config, patch.config, values);
        if (config.kind === "primary") await refuseCatalogName(tx, this.#secrets, { id, before: config, values });
        config.config = this.#secrets.seal(id, config.kind, values);
      }
      if (patch.name !== undefined) config.name = patch.name;
      if (patch.membersMayUse !== undefined) config.membersMayUse = patch.membersMayUse;
      const secretsSet = this.#secrets.given(config.kind, patch.config ?? {});
      const settings = this.#secrets.masked(config.kind, config.config);
      if (secretsSet.length > 0 || !isDeepStrictEqual(before.config, settings)) config.lastTest = null;
      await writeConfig(tx, config);
      const audited = changedFields(before, {
        ...auditedConfig(this.#secrets, config),
        ...(secretsSet.length > 0 ? { secretsSet } : {}),
      });
      if (audited) await writeConfigEntry(tx, { actor, at: this.#now() }, "provider_config.update", id, audited);
      afterCommit(tx, () => {
        if (config.lastTest === null) this.connections.forgetCalls(id);
        this.#onChange(config.kind);
      });
      return this.#view(config);
    });
  }

  /** Deletes a configuration. @throws AppError CONFLICT if domains use it, or if it is the embedded one. */
  async delete(em: EntityManager, actor: Actor, id: string): Promise<void> {
    const config = await this.#find(em, id);
    if (config.embedded)
      throw new AppError("CONFLICT", "The embedded zone files belong to the service and cannot be deleted.");
    const user = await domainAt(em, id);
    if (user !== null)
      throw new AppError("CONFLICT", `Domains such as ${user} use this configuration; move or delete them first.`);
    try {
      await em.transactional(async (tx) => {
        await tx.remove(config).flush();
        const before = auditedConfig(this.#secrets, config);
        await writeConfigEntry(tx, { actor, at: this.#now() }, "provider_config.delete", id, { before });
        afterCommit(tx, () => {
          this.connections.forgetCalls(id);
          this.#onChange(config.kind);
        });
      });
    } catch (error) {
      if (!(error instanceof ForeignKeyConstraintViolationException)) throw error;
      throw new AppError("CONFLICT", "A domain was just added to this configuration; move or delete it first.", {
        cause: error,
      });
    }
  }

  /** Tests a configuration and keeps the outcome. A failing provider is a result, not an error. */
  async test(em: EntityManager, id: string) {
    try {
      const { names } = await this.#listZones(em, await this.#find(em, id));
      return { success: true, error: null, zones: names.length };
    } catch (error) {
      if (!(error instanceof AppError && error.code === "PROVIDER_ERROR")) throw error;
      return { success: false, error: error.message, zones: null };
    }
  }

  /** Returns the zones at the provider, which of them are managed here, and which cannot be. */
  async zones(em: EntityManager, id: string) {
    const config = await this.#find(em, id);
    const { names, unusable } = await this.#listZones(em, config);
    const managed = await managedZones(em, { id, kind: this.#connect(config).kind }, names);
    return { zones: names.map((name) => ({ name, managed: managed.has(name) })), unusable };
  }

  async connected(em: EntityManager, id: string, purpose: Purpose = "person"): Promise<ConnectedConfig> {
    return this.#connect(await this.#find(em, id), purpose);
  }

  /**
   * Returns the configuration for a new domain; the embedded one by default.
   * @throws AppError BAD_REQUEST if it does not exist, FORBIDDEN if members may not use it.
   */
  async usable(em: EntityManager, caller: Caller, id: string | undefined): Promise<ConnectedConfig> {
    const config = await em.findOne(ProviderConfig, id === undefined ? { embedded: true } : { id });
    if (!config) throw badField(["providerConfigId"], "No provider configuration has this ID. Choose an existing one.");
    if (caller.role !== "admin" && !config.membersMayUse) {
      throw new AppError(
        "FORBIDDEN",
        "Members may not add domains with this provider configuration; ask an administrator.",
      );
    }
    return this.#connect(config);
  }

  /** Creates the embedded zone-file configuration of a new installation. */
  async ensureEmbedded(em: EntityManager): Promise<void> {
    if (await em.findOne(ProviderConfig, { embedded: true })) return;
    em.create(ProviderConfig, {
      id: newId(),
      kind: "zonefile",
      name: "Embedded zone files",
      config: {},
      membersMayUse: false,
      embedded: true,
      lastTest: null,
      createdAt: this.#now(),
    });
    await em.flush();
  }

  /** Seals the secret fields with the newest of SECRET_KEYS. */
  async ensureSealed(em: EntityManager, log: Logger): Promise<void> {
    await ensureSealed(em, log, {
      table: "provider_configs",
      column: "config",
      type: "jsonb",
      id: "id",
      name: "name",
      of: "provider configurations",
      resealed: (stored) => this.#secrets.resealed(stored),
    });
  }

  /** Validates a configuration against its kind and opens a connection with it. @throws AppError BAD_REQUEST */
  #checked(kind: ProviderKind, config: ConfigValues): ConfigValues {
    const parsed = kind.configSchema.safeParse(config);
    if (!parsed.success) throw configError(kind.name, parsed.error);
    const values = parsed.data as ConfigValues;
    try {
      this.connections.connectWith(kind.kind, values);
    } catch (error) {
      if (error instanceof AppError) throw badField(["config"], error.message);
      throw error;
    }
    return values;
  }

  /** Lists the zones at a provider and keeps the outcome as that of the last test. @throws AppError PROVIDER_ERROR */
  async #listZones(em: EntityManager, config: ProviderConfig) {
    const keep = async (outcome: Pick<LastTest, "zones" | "error">) => {
      const lastTest = JSON.stringify({ at: this.#now().toISOString(), ...outcome } satisfies LastTest);
      // Settings that changed meanwhile are not tested.
      await queries(em)
        .updateTable("provider_configs")
        .set({ last_test: sql`${lastTest}::jsonb` })
        .where("id", "=", config.id)
        .where(sql<boolean>`config = ${JSON.stringify(config.config)}::jsonb`)
        .execute();
    };
    try {
      const { provider } = this.#connect(config);
      const listed = provider ? await throughProvider(provider.listZones()) : { names: [], unusable: [] };
      await keep({ zones: listed.names.length, error: null });
      return listed;
    } catch (error) {
      if (error instanceof AppError && error.code === "PROVIDER_ERROR")
        await keep({ zones: null, error: error.message });
      throw error;
    }
  }

  #connect(config: ProviderConfig, purpose: Purpose = "person"): ConnectedConfig {
    return { id: config.id, ...this.connections.connect(config, purpose) };
  }

  /** The configurations that serve a domain which the caller sees. */
  async #servingVisible(em: EntityManager, caller: Caller): Promise<ReadonlySet<string>> {
    const visible = await visibleDomains(em, caller);
    const rows = await queries(em)
      .selectFrom("domains")
      .select("provider_config_id")
      .distinct()
      .where((eb) => visible.condition(eb))
      .execute();
    return new Set(rows.map(({ provider_config_id }) => provider_config_id));
  }

  #view({ id, kind, name, config, membersMayUse, lastTest, createdAt }: ProviderConfig, tested = true) {
    const ofKind = { kind, config: this.#secrets.masked(kind, config) } as WithShownProviderConfig<unknown>;
    const providerId = knownKind(kind).id;
    const shown = tested ? testView(lastTest) : null;
    const calls = tested ? this.connections.callsLeft(id) : null;
    return { id, ...ofKind, providerId, name, membersMayUse, lastTest: shown, calls, createdAt };
  }

  async #find(em: EntityManager, id: string): Promise<ProviderConfig> {
    const config = await em.findOne(ProviderConfig, { id });
    if (!config) throw notFound("provider configuration");
    return config;
  }
}

function testView(test: LastTest | null | undefined) {
  if (!test) return null;
  const { at, zones, error } = test;
  return { testedAt: new Date(at), success: error === null, error, zones };
}

/** Returns the part of a configuration that determines where its zones are. */
function placeOf(kind: string, values: ConfigValues): ConfigValues {
  const { settings = [] } = knownKind(kind);
  return Object.fromEntries(
    Object.entries(withoutSecrets(kind, values)).filter(([field]) => !settings.includes(field)),
  );
}

/** Returns the name, with its view, of a domain that uses a configuration; null if there is none. */
async function domainAt(em: EntityManager, configId: string): Promise<string | null> {
  const domain = await queries(em)
    .selectFrom("domains")
    .select(["name", "view"])
    .where("provider_config_id", "=", configId)
    .unionAll(
      queries(em)
        .selectFrom("mirrors")
        .innerJoin("domains", "domains.id", "mirrors.domain_id")
        .select(["domains.name", "domains.view"])
        .where("mirrors.provider_config_id", "=", configId),
    )
    .limit(1)
    .executeTakeFirst();
  return domain ? qualifiedName(domain) : null;
}

async function refuseRepointing(em: EntityManager, { id, embedded }: ProviderConfig): Promise<void> {
  if (embedded)
    throw new AppError(
      "CONFLICT",
      "The folder of the embedded zone files cannot change. Create another configuration for a different place.",
    );
  const user = await domainAt(em, id);
  if (user === null) return;
  throw new AppError(
    "CONFLICT",
    `Domains such as ${user} use this configuration. Create another configuration, and move the domains by changing their providerConfigId.`,
  );
}

async function writeConfig(tx: EntityManager, { name }: ProviderConfig): Promise<void> {
  await mapUniqueViolation(tx.flush(), (cause) => nameTaken("provider configuration", name, cause));
}

/** Returns a configuration as the audit trail shows it, with secrets masked. */
function auditedConfig(secrets: ConfigSecrets, { kind, name, config, membersMayUse }: ProviderConfig) {
  return { kind, name, config: secrets.masked(kind, config), membersMayUse };
}

/** Writes an audit entry about a configuration. */
async function writeConfigEntry(
  tx: EntityManager,
  by: { actor: Actor; at: Date },
  action: `provider_config.${"create" | "update" | "delete"}`,
  id: string,
  states: Pick<AuditEvent, "before" | "after">,
): Promise<void> {
  await writeEntry(tx, by.at, by.actor, { action, targetType: "provider_config", targetId: id, ...states });
}

/** Returns those of a configuration's zones that an import would not add, because a domain has them or their name. */
async function managedZones(
  em: EntityManager,
  { id, kind }: { id: string; kind: ProviderKind },
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  const managed = new Set<string>();
  for (let start = 0; start < names.length; start += 5_000) {
    const some = names.slice(start, start + 5_000);
    const rows = await queries(em)
      .selectFrom("domains")
      .select(["name", "view", "provider_config_id", "provider_zone"])
      .where((eb) =>
        eb.or([
          eb("name", "in", [...new Set(some.map(zoneNameOf))]),
          eb.and([eb("provider_config_id", "=", id), eb("provider_zone", "in", some)]),
        ]),
      )
      .execute();
    for (const row of rows) {
      // An import would make the domain in the view that the zone's name says, or in the default view.
      if (kind.separatesViews || row.view === "") managed.add(qualifiedName(row));
      if (row.provider_config_id === id) managed.add(row.provider_zone);
    }
  }
  return managed;
}
