import { LockMode } from "@mikro-orm/core";
import type { Audit } from "../audit/audit.ts";
import { changedFields } from "../audit/changed-fields.ts";
import type { Caller } from "../access/caller.ts";
import type { Confirmation } from "../accounts/auth/confirmation/service.ts";
import { queries, type EntityManager } from "../database/database.ts";
import { mapUniqueViolation } from "../database/map-unique-violation.ts";
import { AppError, badField, notFound } from "../platform/errors.ts";
import { newId } from "../platform/ids.ts";
import type { Logger } from "../platform/log.ts";
import type { AdministratorNotices, ProviderChange } from "../accounts/users/administrator-notices.ts";
import type { IdentityAddresses } from "./addresses.ts";
import type { ClientSecrets } from "./client-secrets.ts";
import { fieldsAfter, told, urlFields, type IdentityConfigPatch, type NewIdentityConfig } from "./config-fields.ts";
import { changesSignIn, movesEndpoints, requireSecretAgain, unbindAll } from "./endpoint-changes.ts";
import { IdentityConfig } from "../database/tables/identity.ts";
import { endFlowsThrough } from "./housekeeping.ts";
import type { IdentityProviders } from "./providers/catalogue.ts";
import { IdentityProviderError, type ClientSettings, type IdentityProvider } from "./providers/provider.ts";
import { providerIds, type ProviderId } from "../database/tables/identity.ts";

/** A provider that users can go through now. */
export interface EnabledProvider {
  provider: IdentityProvider;
  settings: ClientSettings;
}

/** What administrators set up for external sign-in. */
export class IdentityConfigs {
  readonly #providers: IdentityProviders;
  readonly #addresses: IdentityAddresses;
  readonly #secrets: ClientSecrets;
  readonly #confirmation: Confirmation;
  readonly #notices: AdministratorNotices;
  readonly #audit: Audit;
  readonly #now: () => Date;

  constructor(parts: {
    providers: IdentityProviders;
    addresses: IdentityAddresses;
    secrets: ClientSecrets;
    confirmation: Confirmation;
    administratorNotices: AdministratorNotices;
    audit: Audit;
    now: () => Date;
  }) {
    this.#providers = parts.providers;
    this.#addresses = parts.addresses;
    this.#secrets = parts.secrets;
    this.#confirmation = parts.confirmation;
    this.#notices = parts.administratorNotices;
    this.#audit = parts.audit;
    this.#now = parts.now;
  }

  /** What the sign-in page offers. */
  async offered(em: EntityManager) {
    const configs = await em.find(IdentityConfig, { enabled: true });
    const enabled = new Set(configs.map(({ providerId }) => providerId));
    const providers = providerIds.filter((id) => enabled.has(id)).map((id) => this.#providers[id]);
    return { providers: providers.map(({ id, name, type }) => ({ providerId: id, name, type })) };
  }

  async list(em: EntityManager) {
    const configs = await em.findAll(IdentityConfig, { orderBy: { createdAt: "asc" } });
    const { siteUrl } = this.#addresses;
    return {
      providers: configs.map((config) => this.#view(config)),
      availableProviders: providerIds.map((id) => {
        const { name, type } = this.#providers[id];
        return { id, name, type };
      }),
      homepageUrl: siteUrl,
      oidcUrls: { homepageUrl: siteUrl, redirectUrl: this.#addresses.redirectUrl("oidc") },
    };
  }

  /** @throws AppError CONFLICT when the provider has one already, BAD_REQUEST for settings that cannot work */
  async create(em: EntityManager, caller: Caller, input: NewIdentityConfig) {
    const { providerId, enabled, clientId, clientSecret } = input;
    const provider = this.#providers[providerId];
    const id = newId();
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
      const config = tx.create(IdentityConfig, {
        id,
        providerId,
        enabled,
        ...fields,
        clientSecret: secret === null ? null : this.#secrets.seal(id, secret),
        createdAt: this.#now(),
      });
      await mapUniqueViolation(tx.flush(), (cause) => configuredAlready(provider.name, cause));
      await this.#audit.record(tx, caller, {
        action: "identity_config.create",
        targetType: "identity_config",
        targetId: id,
        after: told(config),
      });
      await this.#warn(tx, caller, config, "created", []);
      return this.#view(config);
    });
  }

  /**
   * Changes a configuration. Other addresses end the bindings of its users: whoever answers there could name any of them.
   * @throws AppError NOT_FOUND, BAD_REQUEST for settings that cannot work and for a secret that would go elsewhere, CONFLICT when somebody else
   * changed it meanwhile, CONFIRMATION_REQUIRED when bindings would end and `unbinding` is not set, REAUTHENTICATION_REQUIRED
   */
  async update(
    em: EntityManager,
    caller: Caller,
    wish: { id: string; patch: IdentityConfigPatch; unbinding: boolean },
  ) {
    const { id, patch, unbinding } = wish;
    if (changesSignIn(patch)) await this.#confirmation.require(em, caller);
    // Before the transaction: the provider is asked, and the embedded database has one connection.
    const found = await em.findOne(IdentityConfig, { id });
    if (!found) throw notFound("identity provider configuration");
    const before = JSON.stringify(found);
    const provider = this.#providers[found.providerId];
    const fields = fieldsAfter(found, patch, provider.defaultScope);
    requireSecretAgain(found, patch, fields);
    const secret = fields.enabled ? this.#secretAfter(found, patch) : null;
    await this.#checked(provider, { ...fields, clientSecret: secret });
    return await em.fork().transactional(async (tx) => {
      const config = await tx.findOne(IdentityConfig, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      if (!config) throw notFound("identity provider configuration");
      if (JSON.stringify(config) !== before)
        throw new AppError(
          "CONFLICT",
          "Somebody else changed this configuration at the same moment; look at it again.",
        );
      const old = told(config);
      const moves = movesEndpoints(config, fields);
      if (moves) await endFlowsThrough(tx, config.providerId);
      const unbound = moves ? await unbindAll(tx, config.providerId, unbinding) : 0;
      tx.assign(config, fields);
      if (patch.clientSecret) config.clientSecret = this.#secrets.seal(id, patch.clientSecret);
      await tx.flush();
      if (!config.enabled) await endFlowsThrough(tx, config.providerId);
      const changes = changedFields(old, told(config));
      const event = { action: "identity_config.update", targetType: "identity_config", targetId: id } as const;
      await this.#audit.record(tx, caller, {
        ...event,
        before: { ...changes?.before, ...(unbound > 0 ? { boundUsers: unbound } : {}) },
        after: { ...changes?.after, ...(patch.clientSecret ? { secretChanged: true } : {}) },
      });
      const changed = [...Object.keys(changes?.after ?? {}), ...(patch.clientSecret ? ["clientSecret"] : [])];
      if (changed.length > 0) await this.#warn(tx, caller, config, "changed", changed);
      return this.#view(config);
    });
  }

  /**
   * Deletes a configuration, and with it the bindings of its users.
   * @throws AppError NOT_FOUND, CONFIRMATION_REQUIRED when there are such users and it is not confirmed
   */
  async delete(em: EntityManager, caller: Caller, id: string, confirmed: boolean): Promise<void> {
    await em.transactional(async (tx) => {
      const config = await tx.findOne(IdentityConfig, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      if (!config) throw notFound("identity provider configuration");
      const { providerId } = config;
      // First: who registers at this moment is waited for, and their binding is found.
      await endFlowsThrough(tx, providerId);
      const before = { ...told(config), boundUsers: await unbindAll(tx, providerId, confirmed) };
      await this.#warn(tx, caller, config, "deleted", []);
      await tx.remove(config).flush();
      const event = { action: "identity_config.delete", targetType: "identity_config", targetId: id } as const;
      await this.#audit.record(tx, caller, { ...event, before });
    });
  }

  /** What is needed to go through a provider; null while it is not configured or disabled. @throws IdentityProviderError */
  async enabled(em: EntityManager, providerId: ProviderId): Promise<EnabledProvider | null> {
    const config = await em.findOne(IdentityConfig, { providerId, enabled: true });
    if (!config) return null;
    return { provider: this.#providers[providerId], settings: this.#settings(config, this.#secretOf(config)) };
  }

  /**
   * Does something that a provider's word leads to, while it is enabled: whoever disables or deletes it comes before all of that, or after it and
   * finds what it has left. Null when it is not enabled any more.
   */
  async whileEnabled<T>(
    em: EntityManager,
    providerId: ProviderId,
    work: (tx: EntityManager) => Promise<T>,
  ): Promise<T | null> {
    return await em.transactional(async (tx) => {
      const enabled = await queries(tx)
        .selectFrom("identity_configs")
        .select("id")
        .where("provider_id", "=", providerId)
        .where("enabled", "=", true)
        .forShare()
        .executeTakeFirst();
      return enabled ? await work(tx) : null;
    });
  }

  /** Puts all secrets under the newest of SECRET_KEYS. What cannot be opened stays as it is and is told in the log. */
  async ensureSealed(em: EntityManager, log: Logger): Promise<void> {
    await em.transactional(async (tx) => {
      const configs = await tx.findAll(IdentityConfig, { lockMode: LockMode.PESSIMISTIC_WRITE });
      for (const config of configs) {
        if (typeof config.clientSecret !== "string") continue;
        const resealed = this.#secrets.resealed(config.id, config.clientSecret);
        if (resealed !== null) config.clientSecret = resealed;
        else
          log.warn(
            { providerId: config.providerId },
            "no key in SECRET_KEYS opens the client secret of an identity provider; enter it again",
          );
      }
    });
  }

  /** @throws AppError BAD_REQUEST with the setting at fault. A provider that stays disabled is not asked. */
  async #checked(provider: IdentityProvider, input: Omit<ClientSettings, "redirectUrl"> & { enabled: boolean }) {
    if (provider.type !== "oidc" && input.wellKnownUrl !== null)
      throw badField(["wellKnownUrl"], `${provider.name} has no discovery address here; leave this out.`);
    if (!input.enabled) return;
    const { enabled: _, ...settings } = input;
    try {
      await provider.check({ ...settings, redirectUrl: this.#addresses.redirectUrl(provider.id) });
    } catch (error) {
      if (!(error instanceof IdentityProviderError)) throw error;
      const later = error.setting === "wellKnownUrl" ? " To save it all the same, leave it disabled for now." : "";
      throw badField([error.setting ?? "wellKnownUrl"], `${error.message}${later}`);
    }
  }

  #settings(config: IdentityConfig, clientSecret: string | null): ClientSettings {
    const { clientId, scope, providerId } = config;
    const urls = Object.fromEntries(urlFields.map((field) => [field, config[field] ?? null]));
    const redirectUrl = this.#addresses.redirectUrl(providerId);
    return { clientId, clientSecret, scope, redirectUrl, ...urls } as ClientSettings;
  }

  /** @throws IdentityProviderError when no key opens it */
  #secretOf({ id, clientSecret }: IdentityConfig): string | null {
    if (typeof clientSecret !== "string") return null;
    const secret = this.#secrets.open(id, clientSecret);
    if (secret !== null) return secret;
    throw new IdentityProviderError("No key in SECRET_KEYS opens the client secret; enter it again.");
  }

  /** The secret that a change leaves. @throws AppError CONFLICT when it is to be kept and no key opens it */
  #secretAfter(config: IdentityConfig, patch: IdentityConfigPatch): string | null {
    if (patch.clientSecret) return patch.clientSecret;
    try {
      return this.#secretOf(config);
    } catch (error) {
      if (!(error instanceof IdentityProviderError)) throw error;
      const issues = [{ path: ["clientSecret"], message: "Enter it again." }];
      throw new AppError("CONFLICT", error.message, { issues });
    }
  }

  async #warn(
    tx: EntityManager,
    caller: Caller,
    { id: configId, providerId }: IdentityConfig,
    change: ProviderChange["change"],
    told: string[],
  ): Promise<void> {
    const fields = told.map((field) => (field === "clientIdMasked" ? "clientId" : field));
    const provider = this.#providers[providerId].name;
    await this.#notices.providerChanged(tx, caller, { configId, providerId, provider, change, fields });
  }

  #view(config: IdentityConfig) {
    return {
      id: config.id,
      ...told(config),
      homepageUrl: this.#addresses.siteUrl,
      redirectUrl: this.#addresses.redirectUrl(config.providerId),
    };
  }
}

function configuredAlready(provider: string, cause: Error): AppError {
  const message = `${provider} is configured already; change that configuration.`;
  return new AppError("CONFLICT", message, { issues: [{ path: ["providerId"], message }], cause });
}
