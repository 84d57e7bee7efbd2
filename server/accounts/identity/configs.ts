import { LockMode } from "@mikro-orm/core";
import { type Audit, changedFields } from "../../notifications/audit/audit.ts";
import type { Caller } from "../../access/caller.ts";
import type { Confirmation } from "../auth/confirmation/service.ts";
import { queries, type EntityManager } from "../../database/database.ts";
import { ensureSealed } from "../../database/ensure-sealed.ts";
import { mapUniqueViolation } from "../../database/query-helpers.ts";
import { AppError, badField, notFound } from "../../platform/errors.ts";
import { newId } from "../../platform/ids.ts";
import type { Logger } from "../../platform/log.ts";
import { canAdministratorSignIn, lockAsAdministrator, refuseNoAdministrator } from "../users/account.ts";
import type { AdministratorNotices, ProviderChange } from "../users/administrator-notices.ts";
import { groupsAfter } from "./groups/rules.ts";
import type { GroupGrants } from "./groups/grants.ts";
import {
  fieldsAfter,
  configuredAlready,
  noGroups,
  publicFields,
  rulesVersion,
  urlFields,
  type IdentityConfigPatch,
  type NewIdentityConfig,
  type ClientSecrets,
  type IdentityAddresses,
} from "./config-fields.ts";
import { IdentityConfig, providerIds, type ProviderId } from "../../database/tables/identity.ts";
import { endFlowsThrough } from "./flows.ts";
import type { IdentityProviders } from "./providers/catalogue.ts";
import { IdentityProviderError, type ClientSettings, type IdentityProvider } from "./providers/provider.ts";
import { readsEverything } from "../../access/zone-access.ts";
import { sameOrigin, secretAgain } from "../../platform/net/same-origin.ts";

/** An enabled provider with its settings. */
export interface EnabledProvider {
  provider: IdentityProvider;
  settings: ClientSettings;
}

interface Parts {
  providers: IdentityProviders;
  addresses: IdentityAddresses;
  secrets: ClientSecrets;
  confirmation: Confirmation;
  administratorNotices: AdministratorNotices;
  grants: GroupGrants;
  audit: Audit;
  now: () => Date;
}

/** Manages the configurations of identity providers. */
export class IdentityConfigs {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Returns the enabled providers for the sign-in page. */
  async offered(em: EntityManager) {
    const configs = await em.find(IdentityConfig, { enabled: true });
    const providers = providerIds.flatMap((id) => {
      const config = configs.find(({ providerId }) => providerId === id);
      const { name, type } = this.#parts.providers[id];
      return config ? [{ providerId: id, name, type, host: hostOf(config) }] : [];
    });
    return { providers };
  }

  /** Returns the configurations. Members learn nothing about rules for groups. */
  async list(em: EntityManager, caller: Caller) {
    const configs = await em.findAll(IdentityConfig, { orderBy: { createdAt: "asc" } });
    const { siteUrl } = this.#parts.addresses;
    return {
      providers: configs.map((config) => this.#view(config, readsEverything(caller.role))),
      availableProviders: providerIds.map((id) => {
        const { name, type } = this.#parts.providers[id];
        return { id, name, type };
      }),
      homepageUrl: siteUrl,
      oidcUrls: { homepageUrl: siteUrl, redirectUrl: this.#parts.addresses.redirectUrl("oidc") },
    };
  }

  /** Creates a configuration. @throws AppError CONFLICT if the provider is already configured, BAD_REQUEST for invalid settings */
  async create(em: EntityManager, caller: Caller, input: NewIdentityConfig) {
    const { providerId, enabled, clientId, clientSecret } = input;
    const provider = this.#parts.providers[providerId];
    const id = newId();
    const groups = await groupsAfter(em, noGroups, input);
    const fields = {
      clientId,
      scope: input.scope || provider.defaultScope,
      wellKnownUrl: input.wellKnownUrl ?? null,
      authorizeUrl: input.authorizeUrl ?? null,
      tokenUrl: input.tokenUrl ?? null,
      userInfoUrl: input.userInfoUrl ?? null,
    };
    const secret = clientSecret === undefined || clientSecret === "" ? null : clientSecret;
    await this.#checked(provider, { ...fields, clientSecret: secret, enabled });
    return await em.transactional(async (tx) => {
      await lockAsAdministrator(tx, caller);
      const config = tx.create(IdentityConfig, {
        id,
        providerId,
        enabled,
        ...fields,
        ...groups,
        clientSecret: secret === null ? null : this.#parts.secrets.seal(id, secret),
        createdAt: this.#parts.now(),
      });
      await mapUniqueViolation(tx.flush(), (cause) => configuredAlready(provider.name, cause));
      const event = { action: "identity_config.create", targetType: "identity_config", targetId: id } as const;
      await this.#parts.audit.record(tx, caller, { ...event, after: publicFields(config) });
      await this.#warn(tx, caller, config, "created", []);
      return this.#view(config);
    });
  }

  /**
   * Changes a configuration. Changed URLs unlink all users of the provider, because the new server could impersonate any of them.
   * @throws AppError NOT_FOUND, BAD_REQUEST for invalid settings or if the stored secret would be sent to another origin, CONFLICT after a
   * concurrent change or if no administrator could sign in afterwards, CONFIRMATION_REQUIRED if users would be unlinked and `unbinding` is not
   * set, REAUTHENTICATION_REQUIRED
   */
  async update(
    em: EntityManager,
    caller: Caller,
    change: { id: string; patch: IdentityConfigPatch; unbinding: boolean; groupRulesVersion?: string | undefined },
  ) {
    const { id, patch, unbinding, groupRulesVersion } = change;
    if (changesSignIn(patch)) await this.#parts.confirmation.require(em, caller);
    // Before the transaction, because the check calls the provider and the embedded database has only one connection.
    const found = await em.findOne(IdentityConfig, { id });
    if (!found) throw notFound("identity provider configuration");
    if (groupRulesVersion !== undefined && groupRulesVersion !== rulesVersion(found)) {
      const message = "The rules for groups were changed meanwhile. Read them again.";
      throw new AppError("CONFLICT", message, { issues: [{ path: ["groupRulesVersion"], message }] });
    }
    const before = JSON.stringify(found);
    const provider = this.#parts.providers[found.providerId];
    const fields = fieldsAfter(found, patch, provider.defaultScope);
    const groups = await groupsAfter(em, found, patch);
    requireSecretAgain(found, patch, fields);
    const secret = fields.enabled ? this.#secretAfter(found, patch) : null;
    await this.#checked(provider, { ...fields, clientSecret: secret });
    return await em.fork().transactional(async (tx) => {
      const config = await tx.findOne(IdentityConfig, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      if (!config) throw notFound("identity provider configuration");
      if (JSON.stringify(config) !== before)
        throw new AppError("CONFLICT", "This configuration was changed at the same time. Reload it and try again.");
      const old = publicFields(config);
      const moves = movesEndpoints(config, fields);
      if (moves) await endFlowsThrough(tx, config.providerId);
      // Groups may end with the bindings or the rules, and administrators' roles with them.
      await lockAsAdministrator(tx, caller);
      const couldSignIn = await canAdministratorSignIn(tx);
      const unbound = moves ? await this.#unlinkAll(tx, caller, config.providerId, unbinding) : 0;
      tx.assign(config, { ...fields, ...groups });
      if (patch.clientSecret) config.clientSecret = this.#parts.secrets.seal(id, patch.clientSecret);
      await tx.flush();
      if (!config.enabled) await endFlowsThrough(tx, config.providerId);
      if (old.enabled && !config.enabled) await refuseNoAdministrator(tx, noneCouldSignIn, couldSignIn);
      const narrowed = await this.#parts.grants.narrow(tx, caller, config.providerId, groups);
      const changes = changedFields(old, publicFields(config));
      const event = { action: "identity_config.update", targetType: "identity_config", targetId: id } as const;
      await this.#parts.audit.record(tx, caller, {
        ...event,
        before: { ...changes?.before, ...(unbound > 0 ? { boundUsers: unbound } : {}) },
        after: {
          ...changes?.after,
          ...(patch.clientSecret ? { secretChanged: true } : {}),
          ...narrowed,
        },
      });
      const changed = [...Object.keys(changes?.after ?? {}), ...(patch.clientSecret ? ["clientSecret"] : [])];
      if (changed.length > 0) await this.#warn(tx, caller, config, "changed", changed);
      return this.#view(config);
    });
  }

  /**
   * Deletes a configuration and unlinks its users.
   * @throws AppError NOT_FOUND, CONFIRMATION_REQUIRED if there are such users and `confirmed` is false, CONFLICT if no administrator could
   * sign in afterwards
   */
  async delete(em: EntityManager, caller: Caller, id: string, confirmed: boolean): Promise<void> {
    await em.transactional(async (tx) => {
      const config = await tx.findOne(IdentityConfig, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      if (!config) throw notFound("identity provider configuration");
      const { providerId } = config;
      // Comes first to wait for registrations in progress, whose bindings are then found.
      await endFlowsThrough(tx, providerId);
      await lockAsAdministrator(tx, caller);
      const boundUsers = await this.#unlinkAll(tx, caller, providerId, confirmed);
      const before = { ...publicFields(config), boundUsers };
      await this.#warn(tx, caller, config, "deleted", []);
      await tx.remove(config).flush();
      const event = { action: "identity_config.delete", targetType: "identity_config", targetId: id } as const;
      await this.#parts.audit.record(tx, caller, { ...event, before });
    });
  }

  /** Returns an enabled provider with its settings, or null if it is disabled or not configured. @throws IdentityProviderError */
  async enabled(em: EntityManager, providerId: ProviderId): Promise<EnabledProvider | null> {
    const config = await em.findOne(IdentityConfig, { providerId, enabled: true });
    if (!config) return null;
    return { provider: this.#parts.providers[providerId], settings: this.#settings(config, this.#secretOf(config)) };
  }

  /**
   * Runs `work` in a transaction that locks the provider's configuration as enabled, so that disabling or deleting it happens entirely
   * before or after. Returns null if the provider is no longer enabled.
   */
  async whileEnabled<T>(
    em: EntityManager,
    providerId: ProviderId,
    work: (tx: EntityManager) => Promise<T>,
  ): Promise<T | null> {
    return await em.transactional(async (tx) => ((await lockEnabled(tx, providerId)) ? await work(tx) : null));
  }

  /** Seals the client secrets with the newest of SECRET_KEYS. */
  async ensureSealed(em: EntityManager, log: Logger): Promise<void> {
    await ensureSealed(em, log, {
      table: "identity_configs",
      column: "client_secret",
      type: "text",
      id: "id",
      name: "provider_id",
      of: "identity providers",
      resealed: ({ id, client_secret }) => this.#parts.secrets.resealed(id, client_secret ?? ""),
    });
  }

  /**
   * Unlinks all users of a provider, and ends what their groups gave. Call it after `lockAsAdministrator`.
   * @returns how many
   * @throws AppError CONFIRMATION_REQUIRED if there are any and `confirmed` is false, CONFLICT if no administrator could sign in afterwards
   */
  async #unlinkAll(tx: EntityManager, caller: Caller, providerId: ProviderId, confirmed: boolean): Promise<number> {
    const couldSignIn = await canAdministratorSignIn(tx);
    const unlinked = await unbindAll(tx, providerId, confirmed);
    const users = unlinked.map(({ user_id: userId }) => userId);
    await this.#parts.grants.unlinked(tx, caller, users);
    const event = { action: "identity.unbind", targetType: "identity" } as const;
    const entries = unlinked.map(({ id: targetId, user_id: userId }) => {
      return { ...event, targetId, before: { userId, providerId } };
    });
    await this.#parts.audit.recordAll(tx, caller, entries);
    if (unlinked.length > 0) await refuseNoAdministrator(tx, noneCouldSignIn, couldSignIn);
    return unlinked.length;
  }

  /** Validates settings, calling the provider only if it is enabled. @throws AppError BAD_REQUEST with the invalid setting */
  async #checked(provider: IdentityProvider, input: Omit<ClientSettings, "redirectUrl"> & { enabled: boolean }) {
    if (provider.type !== "oidc" && input.wellKnownUrl !== null)
      throw badField(["wellKnownUrl"], `${provider.name} does not use a discovery URL. Leave this empty.`);
    if (!input.enabled) return;
    const { enabled: _, ...settings } = input;
    try {
      await provider.check({ ...settings, redirectUrl: this.#parts.addresses.redirectUrl(provider.id) });
    } catch (error) {
      if (!(error instanceof IdentityProviderError)) throw error;
      const later = error.setting === "wellKnownUrl" ? " To save it anyway, leave the provider disabled for now." : "";
      throw badField([error.setting ?? "wellKnownUrl"], `${error.message}${later}`);
    }
  }

  #settings(config: IdentityConfig, clientSecret: string | null): ClientSettings {
    const { clientId, scope, providerId } = config;
    const urls = Object.fromEntries(urlFields.map((field) => [field, config[field] ?? null]));
    const redirectUrl = this.#parts.addresses.redirectUrl(providerId);
    return { clientId, clientSecret, scope, redirectUrl, ...urls } as ClientSettings;
  }

  /** Returns the decrypted secret. @throws IdentityProviderError if no key decrypts it */
  #secretOf({ id, clientSecret }: IdentityConfig): string | null {
    if (typeof clientSecret !== "string") return null;
    const secret = this.#parts.secrets.open(id, clientSecret);
    if (secret !== null) return secret;
    throw new IdentityProviderError("No key in SECRET_KEYS decrypts the client secret. Enter it again.");
  }

  /** Returns the secret after a change. @throws AppError CONFLICT if it is unchanged and no key decrypts it */
  #secretAfter(config: IdentityConfig, patch: IdentityConfigPatch): string | null {
    if (patch.clientSecret) return patch.clientSecret;
    try {
      return this.#secretOf(config);
    } catch (error) {
      if (!(error instanceof IdentityProviderError)) throw error;
      const issues = [{ path: ["clientSecret"], message: "Enter the client secret again." }];
      throw new AppError("CONFLICT", error.message, { issues });
    }
  }

  async #warn(
    tx: EntityManager,
    caller: Caller,
    { id: configId, providerId }: IdentityConfig,
    change: ProviderChange["change"],
    changed: string[],
  ): Promise<void> {
    const fields = changed.map((field) => (field === "clientIdMasked" ? "clientId" : field));
    const provider = this.#parts.providers[providerId].name;
    await this.#parts.administratorNotices.providerChanged(tx, caller, {
      configId,
      providerId,
      provider,
      change,
      fields,
    });
  }

  #view(config: IdentityConfig, withGroups = true) {
    return {
      id: config.id,
      ...publicFields(config),
      ...(withGroups ? {} : noGroups),
      groupRulesVersion: rulesVersion(withGroups ? config : noGroups),
      homepageUrl: this.#parts.addresses.siteUrl,
      redirectUrl: this.#parts.addresses.redirectUrl(config.providerId),
    };
  }
}

const noneCouldSignIn = "No administrator could sign in afterwards. Give one of them a password or a passkey first.";

/** Locks a provider's configuration as it is until the transaction ends. @returns whether it is enabled */
export async function lockEnabled(tx: EntityManager, providerId: ProviderId): Promise<boolean> {
  const enabled = await queries(tx)
    .selectFrom("identity_configs")
    .select("id")
    .where("provider_id", "=", providerId)
    .where("enabled", "=", true)
    .forShare()
    .executeTakeFirst();
  return enabled !== undefined;
}

/** Returns where a configuration leads its users, if it says so. The address of its discovery document may be internal. */
function hostOf({ authorizeUrl }: IdentityConfig): string | null {
  return authorizeUrl ? new URL(authorizeUrl).host : null;
}

type Endpoints = Record<(typeof urlFields)[number], string | null>;

/** Returns whether a change can grant access: a changed provider could sign in anyone. Disabling one cannot. */
function changesSignIn({ enabled, ...others }: IdentityConfigPatch): boolean {
  return enabled === true || Object.values(others).some((value) => value !== undefined);
}

/** Returns whether a change directs browsers or calls to other URLs. Paths count, because one host may serve files of several parties. */
function movesEndpoints(config: IdentityConfig, after: Endpoints): boolean {
  return urlFields.some((field) => (config[field] ?? null) !== after[field]);
}

/** Prevents sending a stored secret to another server. @throws AppError BAD_REQUEST */
function requireSecretAgain(config: IdentityConfig, patch: IdentityConfigPatch, after: Endpoints): void {
  if (patch.clientSecret || typeof config.clientSecret !== "string") return;
  if (urlFields.every((field) => sameOrigin(config[field] ?? null, after[field]))) return;
  throw badField(["clientSecret"], secretAgain);
}

/**
 * Unlinks all users of a provider.
 * @returns the identities and their users, whose roles from groups `GroupGrants.unlinked` ends
 * @throws AppError CONFIRMATION_REQUIRED if there are any and `confirmed` is false
 */
async function unbindAll(tx: EntityManager, providerId: ProviderId, confirmed: boolean) {
  const rows = await queries(tx)
    .deleteFrom("identity_bindings")
    .where("provider_id", "=", providerId)
    .returning(["id", "user_id"])
    .execute();
  const users = rows.length;
  if (users === 0 || confirmed) return rows;
  const affected = users === 1 ? "1 user signs" : `${users} users sign`;
  throw new AppError(
    "CONFIRMATION_REQUIRED",
    `${affected} in through this provider and could no longer do so. To continue, repeat the call with the header x-confirm-delete: true.`,
  );
}
