import { ForeignKeyConstraintViolationException, LockMode } from "@mikro-orm/core";
import type { Actor } from "../../access/caller.ts";
import { configError } from "../../api/input-error.ts";
import { queries, type EntityManager } from "../../database/database.ts";
import { ensureSealed } from "../../database/ensure-sealed.ts";
import { mapUniqueViolation } from "../../database/query-helpers.ts";
import { type ConfigValues, RegistrarConfig } from "../../database/tables/provider-configs.ts";
import { ConfigSecrets, type SecretsOf } from "../../dns-providers/connections.ts";
import { ProviderError, throughProvider } from "../../dns-providers/provider.ts";
import type { Purpose } from "../../dns-providers/vendor-api/accounts.ts";
import type { VendorEnvironment } from "../../dns-providers/vendor-api/calls.ts";
import { qualifiedName } from "../../dns/names/names.ts";
import { writeEntry, type AuditEvent, changedFields } from "../../notifications/audit/audit.ts";
import { AppError, badField, nameTaken, notFound } from "../../platform/errors.ts";
import { newId } from "../../platform/ids.ts";
import type { Logger } from "../../platform/log.ts";
import type { SecretCipher } from "../../platform/secret-cipher.ts";
import { registrableOf } from "../expiry/registration.ts";
import { cloudflare } from "./cloudflare.ts";
import { dnsimple } from "./dnsimple.ts";
import { eppWebhook } from "./epp-webhook.ts";
import { gandi } from "./gandi.ts";
import { inwx } from "./inwx.ts";
import { ovh } from "./ovh.ts";
import { porkbun } from "./porkbun.ts";
import { checkingNames, type Registrar, type RegistrarKind } from "./registrar.ts";
import { askTasks, storedReading, type RegistrarReading, type StoredReading } from "./stored-reading.ts";
import { route53domains } from "./route53domains.ts";

/** Every kind of registrar, in the order offered to people. */
const registrarKinds: readonly RegistrarKind[] = [
  withAnyConfig(porkbun),
  withAnyConfig(gandi),
  withAnyConfig(dnsimple),
  withAnyConfig(inwx),
  withAnyConfig(ovh),
  withAnyConfig(cloudflare),
  withAnyConfig(route53domains),
  withAnyConfig(eppWebhook),
];

/** Returns a kind by its short name; null if there is none. */
function registrarKindByName(name: string): RegistrarKind | null {
  return registrarKinds.find(({ kind }) => kind === name) ?? null;
}

const ofRegistrars: SecretsOf = {
  kindByName: registrarKindByName,
  table: "registrar_configs",
  what: "registrar configuration",
};

interface NewRegistrarConfig {
  kind: string;
  name: string;
  config: ConfigValues;
}

/** An open account at a registrar. */
export interface OpenRegistrar {
  id: string;
  /** The configuration's name. */
  name: string;
  kind: RegistrarKind;
  registrar: Registrar;
}

interface Parts {
  /** Encrypts the secrets of configurations. */
  box: SecretCipher;
  environment: VendorEnvironment;
  now: () => Date;
}

/** Manages sets of credentials for registrars, and asks registrars what they say of names. */
export class RegistrarConfigs {
  readonly #environment: VendorEnvironment;
  readonly #secrets: ConfigSecrets;
  readonly #now: () => Date;
  /** Accounts that background work has open, by configuration, so that lists are read once for many names. */
  readonly #open = new Map<string, { config: string; registrar: Registrar }>();

  constructor({ box, environment, now }: Parts) {
    this.#environment = environment;
    this.#secrets = new ConfigSecrets(box, ofRegistrars);
    this.#now = now;
  }

  /** Lists the kinds of registrars, and the configurations by name. */
  async list(em: EntityManager) {
    const all = await em.findAll(RegistrarConfig, { orderBy: { name: "asc" }, limit: 1_000 });
    return {
      configs: all.map((config) => this.#view(config)),
      kinds: registrarKinds.map(({ kind, name, configFields, changes }) => ({
        kind,
        name,
        configFields: [...configFields],
        changes: [...changes],
      })),
    };
  }

  /** @throws AppError BAD_REQUEST, CONFLICT */
  async create(em: EntityManager, actor: Actor, input: NewRegistrarConfig) {
    const kind = registrarKindByName(input.kind);
    if (!kind) {
      const known = registrarKinds.map(({ kind }) => kind).join(", ");
      throw badField(["kind"], `There is no kind of registrar called ${input.kind}. Choose from ${known}.`);
    }
    const id = newId();
    const values = checked(kind, this.#secrets.merge(null, kind.kind, input.config));
    const config = this.#secrets.seal(id, kind.kind, values);
    return await em.transactional(async (tx) => {
      const made = tx.create(RegistrarConfig, {
        id,
        kind: kind.kind,
        name: input.name,
        config,
        createdAt: this.#now(),
      });
      await write(tx, made);
      await this.#audit(tx, actor, "registrar_config.create", id, { after: this.#audited(made) });
      return this.#view(made);
    });
  }

  /** Changes a configuration. The row is locked from read to write, so that a stored secret is the newest one. @throws AppError */
  async update(em: EntityManager, actor: Actor, id: string, patch: Partial<Omit<NewRegistrarConfig, "kind">>) {
    return await em.transactional(async (tx) => {
      const config = await tx.findOne(RegistrarConfig, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      if (!config) throw notFound("registrar configuration");
      const before = this.#audited(config);
      if (patch.config) {
        const values = checked(knownKind(config.kind), this.#secrets.merge(config, config.kind, patch.config));
        this.#secrets.requireAgain(config, patch.config, values);
        config.config = this.#secrets.seal(id, config.kind, values);
      }
      if (patch.name !== undefined) config.name = patch.name;
      await write(tx, config);
      const secretsSet = this.#secrets.given(config.kind, patch.config ?? {});
      const after = { ...this.#audited(config), ...(secretsSet.length > 0 ? { secretsSet } : {}) };
      const audited = changedFields(before, after);
      if (audited) await this.#audit(tx, actor, "registrar_config.update", id, audited);
      return this.#view(config);
    });
  }

  /** @throws AppError NOT_FOUND, CONFLICT while domains use it */
  async delete(em: EntityManager, actor: Actor, id: string): Promise<void> {
    const config = await this.#find(em, id);
    const user = await queries(em)
      .selectFrom("domains")
      .select(["name", "view"])
      .where("registrar_config_id", "=", id)
      .limit(1)
      .executeTakeFirst();
    if (user) {
      const sentence = `Domains such as ${qualifiedName(user)} use this configuration. Set their \`registrarConfigId\` to null first.`;
      throw new AppError("CONFLICT", sentence);
    }
    try {
      await em.transactional(async (tx) => {
        await tx.remove(config).flush();
        await this.#audit(tx, actor, "registrar_config.delete", id, { before: this.#audited(config) });
      });
    } catch (error) {
      if (!(error instanceof ForeignKeyConstraintViolationException)) throw error;
      const sentence = "A domain was just connected to this configuration. Set its `registrarConfigId` to null first.";
      throw new AppError("CONFLICT", sentence, { cause: error });
    }
  }

  /** Tests a configuration by listing the names of its account. A failing registrar is a result, not an error. */
  async test(em: EntityManager, id: string) {
    try {
      const { registrar } = await this.open(em, id);
      return { success: true, error: null, domains: (await throughProvider(registrar.domains())).length };
    } catch (error) {
      if (!(error instanceof AppError && error.code === "PROVIDER_ERROR")) throw error;
      return { success: false, error: error.message, domains: null };
    }
  }

  /** Lists the names of an account, and the domain here that each belongs to. @throws AppError NOT_FOUND, PROVIDER_ERROR */
  async domains(em: EntityManager, id: string) {
    const { registrar } = await this.open(em, id);
    const names = [...new Set(await throughProvider(registrar.domains()))].toSorted();
    const managed = new Map<string, { id: string; registrar_config_id: string | null }>();
    for (let start = 0; start < names.length; start += 5_000) {
      const rows = await queries(em)
        .selectFrom("domains")
        .select(["id", "name", "registrar_config_id"])
        .where("view", "=", "")
        .where("name", "in", names.slice(start, start + 5_000))
        .execute();
      for (const row of rows) managed.set(row.name, row);
    }
    return {
      domains: names.map((name) => ({
        name,
        domainId: managed.get(name)?.id ?? null,
        connected: managed.get(name)?.registrar_config_id === id,
      })),
    };
  }

  /** Opens a configuration. @throws AppError NOT_FOUND, PROVIDER_ERROR if it cannot be used */
  async open(em: EntityManager, id: string, purpose: Purpose = "person"): Promise<OpenRegistrar> {
    const config = await this.#find(em, id);
    const kind = knownKind(config.kind);
    const values = this.#secrets.open(config);
    const account = throughConfig(kind, () => kind.connect(values, { ...this.#environment, purpose }));
    const registrar = checkingNames(kind.name, account);
    return { id, name: config.name, kind, registrar };
  }

  /** Returns a stored kind; null if there is none. */
  kind(name: string | null): RegistrarKind | null {
    return name === null ? null : registrarKindByName(name);
  }

  /** @throws AppError BAD_REQUEST if there is no such configuration */
  async mustExist(em: EntityManager, id: string): Promise<void> {
    if (await em.findOne(RegistrarConfig, { id })) return;
    throw badField(["registrarConfigId"], "No registrar configuration has this id. Choose an existing one, or null.");
  }

  /** Asks a domain's registrar what it says of its registered name. @returns null if the domain names no registrar */
  async read(
    em: EntityManager,
    zone: { id: string; name: string; registrarConfigId: string | null },
    purpose: Purpose,
  ): Promise<RegistrarReading | null> {
    const { id, name, registrarConfigId: configId } = zone;
    if (configId === null) return null;
    const registered = registrableOf(name)?.name ?? name;
    const known = await this.lastReading(em, id, configId);
    const from = { configId, version: known?.version ?? 0 };
    try {
      const registrar = await this.#shared(em, configId, purpose);
      const state = await throughProvider(registrar.read(registered, known?.changedAt));
      if (state) {
        const tasks = await askTasks(registrar, registered, known, state);
        return { ...from, state, error: null, tasks };
      }
      return { ...from, state: null, error: `The registrar does not have ${registered} in this account.` };
    } catch (error) {
      if (error instanceof AppError && error.code === "PROVIDER_ERROR")
        return { ...from, state: null, error: error.message };
      throw error;
    }
  }

  /** Returns what is stored of a domain from an account. */
  async lastReading(em: EntityManager, id: string, configId: string | null): Promise<StoredReading | null> {
    const row = await queries(em)
      .selectFrom("domains")
      .select("registrar_state")
      .where("id", "=", id)
      .executeTakeFirst();
    return storedReading(row?.registrar_state, configId);
  }

  /** Seals the secret fields with the newest of SECRET_KEYS. */
  async ensureSealed(em: EntityManager, log: Logger): Promise<void> {
    await ensureSealed(em, log, {
      table: "registrar_configs",
      column: "config",
      type: "jsonb",
      id: "id",
      name: "name",
      of: "registrar configurations",
      resealed: (stored) => this.#secrets.resealed(stored),
    });
  }

  async #shared(em: EntityManager, id: string, purpose: Purpose): Promise<Registrar> {
    if (purpose === "person") return (await this.open(em, id)).registrar;
    const config = JSON.stringify((await this.#find(em, id)).config);
    const known = this.#open.get(id);
    if (known?.config === config) return known.registrar;
    const { registrar } = await this.open(em, id, purpose);
    this.#open.set(id, { config, registrar });
    return registrar;
  }

  #view({ id, kind, name, config, createdAt }: RegistrarConfig) {
    return {
      id,
      kind,
      name,
      config: this.#secrets.masked(kind, config),
      changes: [...knownKind(kind).changes],
      createdAt,
    };
  }

  #audited({ kind, name, config }: RegistrarConfig) {
    return { kind, name, config: this.#secrets.masked(kind, config) };
  }

  async #audit(
    tx: EntityManager,
    actor: Actor,
    action: `registrar_config.${"create" | "update" | "delete"}`,
    targetId: string,
    states: Pick<AuditEvent, "before" | "after">,
  ): Promise<void> {
    await writeEntry(tx, this.#now(), actor, { action, targetType: "registrar_config", targetId, ...states });
  }

  async #find(em: EntityManager, id: string): Promise<RegistrarConfig> {
    const config = await em.findOne(RegistrarConfig, { id });
    if (!config) throw notFound("registrar configuration");
    return config;
  }
}

/** @throws Error for a kind that this version does not know */
function knownKind(name: string): RegistrarKind {
  const kind = registrarKindByName(name);
  if (!kind) throw new Error(`The kind of registrar ${name} is not known to this version.`);
  return kind;
}

/** Validates a configuration against its kind. @throws AppError BAD_REQUEST */
function checked(kind: RegistrarKind, config: ConfigValues): ConfigValues {
  const parsed = kind.configSchema.safeParse(config);
  if (!parsed.success) throw configError(kind.name, parsed.error);
  return parsed.data as ConfigValues;
}

function throughConfig<T>(kind: RegistrarKind, open: () => T): T {
  try {
    return open();
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    const sentence = `This ${kind.name} configuration cannot be used: ${error.message}`;
    throw new AppError("PROVIDER_ERROR", sentence, { cause: error });
  }
}

async function write(tx: EntityManager, { name }: RegistrarConfig): Promise<void> {
  await mapUniqueViolation(tx.flush(), (cause) => nameTaken("registrar configuration", name, cause));
}

/** Returns a kind that validates a stored configuration first. @throws ZodError */
function withAnyConfig<Config>(kind: RegistrarKind<Config>): RegistrarKind {
  const { connect, configSchema } = kind;
  return { ...kind, connect: (config, environment) => connect(configSchema.parse(config), environment) };
}
