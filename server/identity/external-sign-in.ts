import type { Actor } from "../access/actor.ts";
import type { Caller } from "../access/caller.ts";
import { liveSessions } from "../access/live-sessions.ts";
import type { EntityManager } from "../database/database.ts";
import { AppError } from "../platform/errors.ts";
import { lockAccount } from "../accounts/users/lock-account.ts";
import { sharesCallback, type IdentityAddresses } from "./addresses.ts";
import type { IdentityBindings } from "./bindings.ts";
import type { EnabledProvider, IdentityConfigs } from "./configs.ts";
import { SignInFailure } from "./failures.ts";
import type { Binder, FlowName, IdentityFlows, ReturnedFlow, StartedFlow } from "./flows.ts";
import { sanitizeIdentity } from "./sanitize-identity.ts";
import { IdentityProviderError, knownProvider, type Identity } from "./providers/provider.ts";
import { type ProviderId } from "../database/tables/identity.ts";
import type { SharedCallback } from "./shared-callback.ts";
import type { IdentityTickets } from "./tickets.ts";
import { redacted, tellable } from "./redaction.ts";

/** A browser that comes back from a provider. */
export interface Return {
  /** Whose callback it came to: that of one provider, or the address that `oidc` and `custom` share. */
  cameTo: readonly ProviderId[];
  query: URLSearchParams;
  cookie(name: string): string | undefined;
}

/** What the front end gets in its query (the interface, "Front-end redirect produced by the callback"). */
export type FrontEndQuery = Readonly<Record<string, string>>;

/** Sign-in through identity providers: sends browsers there, and makes of what they come back with a ticket, a binding or a chance to register. */
export class ExternalSignIn {
  readonly #configs: IdentityConfigs;
  readonly #flows: IdentityFlows;
  readonly #tickets: IdentityTickets;
  readonly #bindings: IdentityBindings;
  readonly #sharedCallback: SharedCallback;
  readonly #addresses: IdentityAddresses;
  readonly #now: () => Date;

  constructor(parts: {
    configs: IdentityConfigs;
    flows: IdentityFlows;
    tickets: IdentityTickets;
    bindings: IdentityBindings;
    sharedCallback: SharedCallback;
    addresses: IdentityAddresses;
    now: () => Date;
  }) {
    this.#configs = parts.configs;
    this.#flows = parts.flows;
    this.#tickets = parts.tickets;
    this.#bindings = parts.bindings;
    this.#sharedCallback = parts.sharedCallback;
    this.#addresses = parts.addresses;
    this.#now = parts.now;
  }

  /** The addresses to register at a provider. @throws AppError NOT_FOUND for a name that is none */
  addresses(providerId: string) {
    const known = knownProvider(providerId);
    const redirectUrl = this.#addresses.redirectUrl(known);
    const { siteUrl } = this.#addresses;
    return { providerId: known, homepageUrl: siteUrl, redirectUrl, siteUrl, callbackUrl: redirectUrl };
  }

  /**
   * Begins a sign-in.
   * @param fresh whether the person has to sign in at the provider anew, where that can be asked for and checked
   * @throws SignInFailure, AppError NOT_FOUND for a name that is none
   */
  async begin(
    em: EntityManager,
    providerId: string,
    { fresh }: { fresh: boolean },
  ): Promise<{ url: string; cookie: StartedFlow["cookie"] }> {
    return await this.#begin(em, knownProvider(providerId), { binder: null, fresh });
  }

  /** Begins to bind an identity to the caller's account. @throws AppError NOT_FOUND, CONFLICT while the provider cannot be used */
  async beginBinding(em: EntityManager, { userId, sessionId }: Caller, providerId: string) {
    const known = knownProvider(providerId);
    if (sessionId === null) throw new AppError("FORBIDDEN", "Sign in to bind a provider.");
    try {
      const { url, cookie } = await this.#begin(em, known, { binder: { userId, sessionId }, fresh: false });
      const redirectUrl = this.#addresses.redirectUrl(known);
      return { cookie, answer: { authorizeUrl: url, callbackUrl: redirectUrl, redirectUrl } };
    } catch (error) {
      if (!(error instanceof SignInFailure)) throw error;
      const disabled = error.code === "provider_disabled";
      const message = disabled
        ? "This provider is not enabled here; ask an administrator."
        : "This provider cannot be reached now; try again later, or ask an administrator.";
      const note = { text: "a provider could not be asked", providerId: known, reason: error.message };
      throw new AppError("CONFLICT", message, disabled ? {} : { note });
    }
  }

  /** Which flow a browser returns from; null when its `state` is not ours. */
  named({ query }: Return): (FlowName & { cookieName: string; state: string }) | null {
    const [state = "", ...others] = query.getAll("state");
    const name = others.length === 0 ? this.#flows.read(state) : null;
    return name && { ...name, state, cookieName: this.#flows.cookieName(name.flowId) };
  }

  /** Ends a flow. @throws SignInFailure */
  async complete(em: EntityManager, actor: Actor, back: Return): Promise<FrontEndQuery> {
    const flow = await this.#take(em, back);
    const { providerId } = flow;
    const { provider, settings } = await this.#enabled(em, providerId);
    const secrets = [
      settings.clientSecret,
      flow.values.state,
      flow.values.nonce,
      flow.values.codeVerifier,
      back.query.get("code"),
      back.query.get("authCode"),
    ];
    const refusal = back.query.get("error");
    if (refusal !== null) {
      const reason = tellable(`${refusal}: ${back.query.get("error_description") ?? ""}`, secrets);
      throw new SignInFailure(refusal === "access_denied" ? "access_denied" : "provider_error", reason);
    }
    if (sharesCallback(providerId)) {
      for (const code of back.query.getAll("code")) {
        if (await this.#sharedCallback.claim(em, providerId, code)) continue;
        throw new SignInFailure("provider_error", "This code came from another provider before.");
      }
    }
    let identity: Identity;
    try {
      identity = sanitizeIdentity(await provider.identify(settings, flow.values, back.query));
    } catch (error) {
      if (!(error instanceof IdentityProviderError)) throw error;
      throw new SignInFailure("provider_error", redacted(error.message, secrets));
    }
    const { binder } = flow;
    const outcome = await this.#configs.whileEnabled(em, providerId, (tx) =>
      binder ? this.#bind(tx, actor, binder, providerId, identity) : this.#signIn(tx, providerId, identity),
    );
    if (outcome) return outcome;
    throw new SignInFailure("provider_disabled", "The provider was disabled or deleted while it was asked.");
  }

  async #begin(em: EntityManager, providerId: ProviderId, how: { binder: Binder | null; fresh: boolean }) {
    const { provider, settings } = await this.#enabled(em, providerId);
    const { values, cookie } = await this.#flows.start(em, providerId, how);
    try {
      return { url: (await provider.authorizationUrl(settings, values)).href, cookie };
    } catch (error) {
      if (!(error instanceof IdentityProviderError)) throw error;
      throw new SignInFailure("provider_error", error.message);
    }
  }

  async #enabled(em: EntityManager, providerId: ProviderId): Promise<EnabledProvider> {
    try {
      const enabled = await this.#configs.enabled(em, providerId);
      if (enabled) return enabled;
    } catch (error) {
      if (!(error instanceof IdentityProviderError)) throw error;
      throw new SignInFailure("provider_error", error.message);
    }
    throw new SignInFailure("provider_disabled", "The provider is not configured, or disabled.");
  }

  async #take(em: EntityManager, back: Return): Promise<ReturnedFlow> {
    const named = this.named(back);
    if (!named) throw new SignInFailure("state_invalid", "The state is missing or not ours.");
    if (!back.cameTo.includes(named.providerId))
      throw new SignInFailure("state_invalid", `A flow to ${named.providerId} came back somewhere else.`);
    const browser = back.cookie(named.cookieName);
    if (browser === undefined || browser === "")
      throw new SignInFailure("state_invalid", "The browser is not the one that set out.");
    const flow = await this.#flows.take(em, named, named.state, browser);
    if (flow) return flow;
    throw new SignInFailure("state_invalid", "The flow has ended already, took too long, or another browser set out.");
  }

  /** The identity goes to the account from which the browser set out, and only while that session lives. */
  async #bind(em: EntityManager, actor: Actor, binder: Binder, providerId: ProviderId, identity: Identity) {
    const { userId, sessionId } = binder;
    // Whoever ends the session at this moment does so before the look, or finds the binding.
    await lockAccount(em, userId);
    const session = await liveSessions(em, this.#now())
      .select("sessions.id")
      .where("sessions.id", "=", sessionId)
      .where("sessions.user_id", "=", userId)
      .executeTakeFirst();
    if (!session) throw new SignInFailure("state_invalid", "The session from which the browser set out has ended.");
    if (await this.#bindings.bind(em, { ...actor, userId }, userId, providerId, identity))
      return { bound: "1", provider_id: providerId };
    throw new SignInFailure(
      "already_bound",
      "The identity, or another one of this user at the provider, is bound already.",
    );
  }

  async #signIn(em: EntityManager, providerId: ProviderId, identity: Identity): Promise<FrontEndQuery> {
    const owner = await this.#bindings.ownerOf(em, providerId, identity);
    if (!owner) return { needs_invite: "true", pending_token: await this.#tickets.keep(em, providerId, identity) };
    if (owner.disabled_at !== null) throw new SignInFailure("account_disabled", `The account ${owner.id} is disabled.`);
    return { ticket: await this.#tickets.issue(em, owner.id, providerId) };
  }
}
