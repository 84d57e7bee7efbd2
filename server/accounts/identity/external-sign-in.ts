import type { Caller, Actor } from "../../access/caller.ts";
import { liveSessions } from "../../access/authenticator.ts";
import type { EntityManager } from "../../database/database.ts";
import { AppError } from "../../platform/errors.ts";
import { lockAccount } from "../users/account.ts";
import { sharesCallback, type IdentityAddresses } from "./config-fields.ts";
import type { IdentityBindings } from "./bindings.ts";
import type { EnabledProvider, IdentityConfigs } from "./configs.ts";
import type { Binder, FlowName, IdentityFlows, ReturnedFlow, StartedFlow, SharedCallback } from "./flows.ts";
import type { GroupGrants } from "./groups/grants.ts";
import { outcomeOf, groupSettings } from "./groups/rules.ts";
import { IdentityProviderError, knownProvider, type Identity, redacted, tellable } from "./providers/provider.ts";
import type { ProviderId } from "../../database/tables/identity.ts";
import type { IdentityTickets } from "./tickets.ts";

// oxlint-disable-next-line no-control-regex
const controls = /[\u0000-\u001f\u007f]/;

/** An authorization response at the callback. */
export interface Return {
  /** Providers that use the callback: one, or `oidc` and `custom`, which share one. */
  callbackOf: readonly ProviderId[];
  query: URLSearchParams;
  cookie(name: string): string | undefined;
}

/** Query parameters of the redirect to the console after a callback. */
export type FrontEndQuery = Readonly<Record<string, string>>;

/** Error codes of external sign-in, passed to the console as `error=` (contract §4). */
type FailureCode =
  | "access_denied"
  | "state_invalid"
  | "provider_error"
  | "provider_disabled"
  | "already_bound"
  | "account_disabled"
  | "groups_not_sent";

/** A failed flow. The message is for the log, and contains no secrets. */
export class SignInFailure extends Error {
  readonly code: FailureCode;

  constructor(code: FailureCode, reason: string) {
    super(reason);
    this.name = "SignInFailure";
    this.code = code;
  }
}

interface Parts {
  configs: IdentityConfigs;
  flows: IdentityFlows;
  tickets: IdentityTickets;
  bindings: IdentityBindings;
  sharedCallback: SharedCallback;
  addresses: IdentityAddresses;
  grants: GroupGrants;
  now: () => Date;
}

const refusedByGroups = Symbol("refused by groups");
const groupsWithheld = Symbol("groups withheld");

/** Signs in through identity providers: redirects browsers there, and turns their responses into a ticket, a link or a registration. */
export class ExternalSignIn {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Returns the URLs to register at a provider. @throws AppError NOT_FOUND for an unknown provider */
  addresses(providerId: string) {
    const known = knownProvider(providerId);
    const redirectUrl = this.#parts.addresses.redirectUrl(known);
    const { siteUrl } = this.#parts.addresses;
    return { providerId: known, homepageUrl: siteUrl, redirectUrl, siteUrl, callbackUrl: redirectUrl };
  }

  /**
   * Starts a sign-in.
   * @param fresh whether the provider must reauthenticate the user, if it supports that
   * @throws SignInFailure, AppError NOT_FOUND for an unknown provider
   */
  async begin(
    em: EntityManager,
    providerId: string,
    { fresh }: { fresh: boolean },
  ): Promise<{ url: string; cookie: StartedFlow["cookie"] }> {
    return await this.#begin(em, knownProvider(providerId), { binder: null, fresh });
  }

  /** Starts linking an identity to the caller's account. @throws AppError NOT_FOUND, CONFLICT if the provider is unavailable */
  async beginBinding(em: EntityManager, { userId, sessionId }: Caller, providerId: string) {
    const known = knownProvider(providerId);
    if (sessionId === null) throw new AppError("FORBIDDEN", "A personal token cannot link a provider. Sign in first.");
    try {
      const { url, cookie } = await this.#begin(em, known, { binder: { userId, sessionId }, fresh: false });
      const redirectUrl = this.#parts.addresses.redirectUrl(known);
      return { cookie, answer: { authorizeUrl: url, callbackUrl: redirectUrl, redirectUrl } };
    } catch (error) {
      if (!(error instanceof SignInFailure)) throw error;
      const disabled = error.code === "provider_disabled";
      const message = disabled
        ? "This provider is not enabled. Ask an administrator."
        : "This provider is unreachable. Try again later, or ask an administrator.";
      const note = { text: "an identity provider is unavailable", providerId: known, reason: error.message };
      throw new AppError("CONFLICT", message, disabled ? {} : { note });
    }
  }

  /** Returns the flow identified by `state`, or null if the state is invalid. */
  named({ query }: Return): (FlowName & { cookieName: string; state: string }) | null {
    const [state = "", ...others] = query.getAll("state");
    const name = others.length === 0 ? this.#parts.flows.read(state) : null;
    return name && { ...name, state, cookieName: this.#parts.flows.cookieName(name.flowId) };
  }

  /** Completes a flow. @throws SignInFailure */
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
      const [code, ...others] = back.query.getAll("code");
      // RFC 6749 §3.1 allows one. Anyone can send thousands, and each would be stored.
      if (code === undefined || others.length > 0)
        throw new SignInFailure("provider_error", "The response does not have exactly one code.");
      if (!(await this.#parts.sharedCallback.claim(em, providerId, code)))
        throw new SignInFailure("provider_error", "The other provider of this callback issued the same code before.");
    }
    let identity: Identity;
    try {
      identity = sanitizeIdentity(await provider.identify(settings, flow.values, back.query));
    } catch (error) {
      if (!(error instanceof IdentityProviderError)) throw error;
      throw new SignInFailure("provider_error", redacted(error.message, secrets));
    }
    const { binder } = flow;
    const outcome = await this.#parts.configs.whileEnabled(em, providerId, (tx) =>
      binder ? this.#bind(tx, actor, binder, providerId, identity) : this.#signIn(tx, actor, providerId, identity),
    );
    if (outcome === refusedByGroups)
      throw new SignInFailure("access_denied", "None of the user's groups may sign in, and only some may.");
    if (outcome === groupsWithheld)
      throw new SignInFailure(
        "groups_not_sent",
        "The provider did not send the user's groups, because there are too many. Have it send only those that the rules name.",
      );
    if (outcome) return outcome;
    throw new SignInFailure("provider_disabled", "The provider was disabled or deleted during the sign-in.");
  }

  async #begin(em: EntityManager, providerId: ProviderId, how: { binder: Binder | null; fresh: boolean }) {
    const { provider, settings } = await this.#enabled(em, providerId);
    const { values, cookie } = await this.#parts.flows.start(em, providerId, how);
    try {
      return { url: (await provider.authorizationUrl(settings, values)).href, cookie };
    } catch (error) {
      if (!(error instanceof IdentityProviderError)) throw error;
      throw new SignInFailure("provider_error", error.message);
    }
  }

  async #enabled(em: EntityManager, providerId: ProviderId): Promise<EnabledProvider> {
    try {
      const enabled = await this.#parts.configs.enabled(em, providerId);
      if (enabled) return enabled;
    } catch (error) {
      if (!(error instanceof IdentityProviderError)) throw error;
      throw new SignInFailure("provider_error", error.message);
    }
    throw new SignInFailure("provider_disabled", "The provider is disabled or not configured.");
  }

  async #take(em: EntityManager, back: Return): Promise<ReturnedFlow> {
    const named = this.named(back);
    if (!named) throw new SignInFailure("state_invalid", "The state is missing or invalid.");
    if (!back.callbackOf.includes(named.providerId))
      throw new SignInFailure("state_invalid", `The response for ${named.providerId} arrived at another callback.`);
    const browser = back.cookie(named.cookieName);
    if (browser === undefined || browser === "")
      throw new SignInFailure("state_invalid", "The flow's cookie is missing: another browser started it.");
    const flow = await this.#parts.flows.take(em, named, named.state, browser);
    if (flow) return flow;
    throw new SignInFailure("state_invalid", "The flow is completed or expired, or another browser started it.");
  }

  /** Links the identity to the account that started the flow, if that session is still active. */
  async #bind(em: EntityManager, actor: Actor, binder: Binder, providerId: ProviderId, identity: Identity) {
    const { userId, sessionId } = binder;
    // A concurrent revocation of the session happens before this check, or sees the binding.
    await lockAccount(em, userId);
    const session = await liveSessions(em, this.#parts.now())
      .select("sessions.id")
      .where("sessions.id", "=", sessionId)
      .where("sessions.user_id", "=", userId)
      .executeTakeFirst();
    if (!session) throw new SignInFailure("state_invalid", "The session that started the flow has ended.");
    if (await this.#parts.bindings.bind(em, { ...actor, userId }, userId, providerId, identity))
      return { bound: "1", provider_id: providerId };
    throw new SignInFailure(
      "already_bound",
      "The identity is already linked, or the user has another one at this provider.",
    );
  }

  /** @returns `refusedByGroups` or `groupsWithheld` instead of throwing, so that what the user loses is committed */
  async #signIn(
    em: EntityManager,
    actor: Actor,
    providerId: ProviderId,
    identity: Identity,
  ): Promise<FrontEndQuery | typeof refusedByGroups | typeof groupsWithheld> {
    const { bindings, tickets, grants } = this.#parts;
    const settings = await groupSettings(em, providerId);
    const outcome = outcomeOf(settings, identity.claims ?? {});
    const owner = await bindings.ownerOf(em, providerId, identity);
    if (!owner) {
      if (outcome.withheld) return groupsWithheld;
      if (!outcome.allowed) return refusedByGroups;
      const named = [...new Set(outcome.matched.flatMap((index) => settings.groupRules[index]?.group ?? []))];
      return { needs_invite: "true", pending_token: await tickets.issuePending(em, providerId, identity, named) };
    }
    if (owner.disabled_at !== null) throw new SignInFailure("account_disabled", `The account ${owner.id} is disabled.`);
    const signing = { userId: owner.id, providerId, bindingId: owner.binding_id };
    const user = { ...actor, userId: owner.id };
    if (outcome.withheld) {
      await grants.withheld(em, user, signing);
      return groupsWithheld;
    }
    if (!(await grants.apply(em, user, signing, outcome))) return refusedByGroups;
    return { ticket: await this.#parts.tickets.issue(em, owner.id, providerId) };
  }
}

/** Validates and normalizes an identity, which is untrusted input. @throws IdentityProviderError for an invalid subject */
function sanitizeIdentity(identity: Identity): Identity {
  const { subject } = identity;
  // OpenID Connect Core 1.0 §2 allows 255 characters.
  if (subject.length > 255 || controls.test(subject) || !subject.isWellFormed())
    throw new IdentityProviderError("The subject is invalid.");
  const email = identity.email !== null && isAddress(identity.email) ? identity.email : null;
  return {
    ...identity,
    email,
    emailVerified: email !== null && identity.emailVerified,
    displayName: lineOf(identity.displayName, 100),
    username: lineOf(identity.username, 100),
  };
}

function isAddress(text: string): boolean {
  return (
    text.length <= 254 &&
    /^[^\s@<>"]+@[^\s@<>"]+\.[^\s@<>"]+$/.test(text) &&
    !controls.test(text) &&
    text.isWellFormed()
  );
}

function lineOf(text: string | null, longest: number): string | null {
  if (text === null) return null;
  const line = text
    .toWellFormed()
    .replaceAll(/\p{C}+/gu, "")
    .replaceAll(/\s+/g, " ")
    .trim();
  return line === "" ? null : line.slice(0, longest).toWellFormed();
}
