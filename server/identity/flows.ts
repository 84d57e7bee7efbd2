import { queries, type EntityManager } from "../database/database.ts";
import { newId } from "../platform/ids.ts";
import type { SecretCipher } from "../platform/secret-cipher.ts";
import { hashOf, newOpaqueToken } from "../platform/opaque-tokens.ts";
import { type FlowValues } from "./providers/provider.ts";
import { providerIds, type ProviderId } from "../database/tables/identity.ts";

/** How long somebody may take at the provider. */
export const flowSeconds = 10 * 60;

/** Who asked to have an identity bound to their account, and in which session. */
export interface Binder {
  userId: string;
  sessionId: string;
}

/** What a `state` says: which flow it is, and through which provider. */
export interface FlowName {
  flowId: string;
  providerId: ProviderId;
}

/** A flow that has just begun. */
export interface StartedFlow {
  values: FlowValues;
  /** What only this browser gets to know. */
  cookie: { name: string; value: string };
}

/** A flow whose browser is back. */
export interface ReturnedFlow {
  providerId: ProviderId;
  values: FlowValues;
  /** Null for a sign-in. */
  binder: Binder | null;
}

/** What is sealed with a flow. One of an earlier version says nothing about freshness. */
type Kept = Pick<FlowValues, "nonce" | "codeVerifier"> & Partial<FlowValues>;

const statePlace = ["identity_flows", "state"];

/**
 * Flows of browsers to providers and back. `state` is sealed, so that only we make one and nobody reads it; the row behind it goes with the first
 * return, and only for the browser that has the cookie (RFC 9700 §4.7).
 */
export class IdentityFlows {
  readonly #box: SecretCipher;
  readonly #cookiePrefix: string;
  readonly #now: () => Date;

  /** @param secure whether the site has TLS: then no neighbouring host can plant the cookie (RFC 6265bis §4.1.3.2) */
  constructor(box: SecretCipher, secure: boolean, now: () => Date) {
    this.#box = box;
    this.#cookiePrefix = `${secure ? "__Host-" : ""}identity_flow_`;
    this.#now = now;
  }

  /** @param fresh whether the person has to sign in at the provider anew */
  async start(
    em: EntityManager,
    providerId: ProviderId,
    { binder, fresh }: { binder: Binder | null; fresh: boolean },
  ): Promise<StartedFlow> {
    const id = newId();
    const freshSince = fresh ? this.#now().getTime() : null;
    const secrets = { nonce: newOpaqueToken(), codeVerifier: newOpaqueToken(), freshSince };
    const browser = newOpaqueToken();
    await queries(em)
      .insertInto("identity_flows")
      .values({
        id,
        provider_id: providerId,
        user_id: binder?.userId ?? null,
        session_id: binder?.sessionId ?? null,
        browser_hash: hashOf(browser),
        secrets: this.#box.seal(JSON.stringify(secrets), placeOf(id)),
        expires_at: new Date(this.#now().getTime() + flowSeconds * 1_000),
      })
      .execute();
    const state = this.#box.seal(JSON.stringify([id, providerId]), statePlace);
    return { values: { state, ...secrets }, cookie: { name: this.cookieName(id), value: browser } };
  }

  /** Reads a `state`; null for one that is not ours. */
  read(state: string): FlowName | null {
    const opened = this.#box.open(state, statePlace);
    if (!opened.ok) return null;
    const [flowId, providerId] = JSON.parse(opened.text) as [string, string];
    const known = providerIds.find((id) => id === providerId);
    return known === undefined ? null : { flowId, providerId: known };
  }

  /** One cookie for each flow, so that two tabs do not end each other's. */
  cookieName(flowId: string): string {
    return `${this.#cookiePrefix}${flowId.slice(-12)}`;
  }

  /** Ends a flow. Of all returns one gets it, and only in the browser that began it, within ten minutes; null for the others. */
  async take(em: EntityManager, { flowId }: FlowName, state: string, browser: string): Promise<ReturnedFlow | null> {
    const row = await queries(em)
      .deleteFrom("identity_flows")
      .where("id", "=", flowId)
      .where("browser_hash", "=", hashOf(browser))
      .where("expires_at", ">", this.#now())
      .returning(["provider_id", "user_id", "session_id", "secrets"])
      .executeTakeFirst();
    if (!row) return null;
    const opened = this.#box.open(row.secrets, placeOf(flowId));
    if (!opened.ok) return null;
    const { freshSince = null, ...secrets } = JSON.parse(opened.text) as Kept;
    const { provider_id: providerId, user_id: userId, session_id: sessionId } = row;
    const binder = userId !== null && sessionId !== null ? { userId, sessionId } : null;
    return { providerId, values: { state, ...secrets, freshSince }, binder };
  }
}

function placeOf(flowId: string): string[] {
  return ["identity_flows", flowId];
}
