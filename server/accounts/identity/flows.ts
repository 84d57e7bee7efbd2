import { queries, type EntityManager } from "../../database/database.ts";
import { newId, hashOf, newOpaqueToken } from "../../platform/ids.ts";
import type { SecretCipher } from "../../platform/secret-cipher.ts";
import type { FlowValues } from "./providers/provider.ts";
import { providerIds, type ProviderId } from "../../database/tables/identity.ts";

/** How long a user may take at the provider. */
export const flowSeconds = 10 * 60;

/** The user and session that requested to link an identity. */
export interface Binder {
  userId: string;
  sessionId: string;
}

/** The content of a `state`. */
export interface FlowName {
  flowId: string;
  providerId: ProviderId;
}

/** A newly started flow. */
export interface StartedFlow {
  values: FlowValues;
  /** Known only to this browser. */
  cookie: { name: string; value: string };
}

/** A flow whose browser has returned. */
export interface ReturnedFlow {
  providerId: ProviderId;
  values: FlowValues;
  /** Null for a sign-in. */
  binder: Binder | null;
}

/** The encrypted values of a flow. Flows of earlier versions have no `freshSince`. */
type StoredValues = Pick<FlowValues, "nonce" | "codeVerifier"> & Partial<FlowValues>;

const statePlace = ["identity_flows", "state"];
const tables = ["identity_flows", "identity_tickets", "pending_identities"] as const;

/**
 * Stores authorization flows. `state` is encrypted, so that it can be neither forged nor read. The flow's row is consumed by the first
 * callback from the browser with the cookie (RFC 9700 §4.7).
 */
export class IdentityFlows {
  readonly #cipher: SecretCipher;
  readonly #cookiePrefix: string;
  readonly #now: () => Date;

  /** @param secure whether the site uses TLS; then the `__Host-` prefix stops sibling hosts from setting the cookie (RFC 6265bis §4.1.3.2) */
  constructor(cipher: SecretCipher, secure: boolean, now: () => Date) {
    this.#cipher = cipher;
    this.#cookiePrefix = `${secure ? "__Host-" : ""}identity_flow_`;
    this.#now = now;
  }

  /** Starts a flow. @param fresh whether the provider must reauthenticate the user */
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
        secrets: this.#cipher.seal(JSON.stringify(secrets), aadOf(id)),
        expires_at: new Date(this.#now().getTime() + flowSeconds * 1_000),
      })
      .execute();
    const state = this.#cipher.seal(JSON.stringify([id, providerId]), statePlace);
    return { values: { state, ...secrets }, cookie: { name: this.cookieName(id), value: browser } };
  }

  /** Decrypts a `state`. Returns null if it is invalid. */
  read(state: string): FlowName | null {
    const opened = this.#cipher.open(state, statePlace);
    if (!opened.ok) return null;
    const [flowId, providerId] = JSON.parse(opened.text) as [string, string];
    const known = providerIds.find((id) => id === providerId);
    return known === undefined ? null : { flowId, providerId: known };
  }

  /** Returns the name of a flow's cookie, unique so that tabs do not interfere. */
  cookieName(flowId: string): string {
    return `${this.#cookiePrefix}${flowId.slice(-12)}`;
  }

  /** Consumes a flow. Succeeds once, within ten minutes, in the browser that started it; otherwise returns null. */
  async take(em: EntityManager, { flowId }: FlowName, state: string, browser: string): Promise<ReturnedFlow | null> {
    const row = await queries(em)
      .deleteFrom("identity_flows")
      .where("id", "=", flowId)
      .where("browser_hash", "=", hashOf(browser))
      .where("expires_at", ">", this.#now())
      .returning(["provider_id", "user_id", "session_id", "secrets"])
      .executeTakeFirst();
    if (!row) return null;
    const opened = this.#cipher.open(row.secrets, aadOf(flowId));
    if (!opened.ok) return null;
    const { freshSince = null, ...secrets } = JSON.parse(opened.text) as StoredValues;
    const { provider_id: providerId, user_id: userId, session_id: sessionId } = row;
    const binder = userId !== null && sessionId !== null ? { userId, sessionId } : null;
    return { providerId, values: { state, ...secrets, freshSince }, binder };
  }
}

/** Ends every sign-in in progress through a provider that is disabled, changed or deleted. */
export async function endFlowsThrough(tx: EntityManager, providerId: ProviderId): Promise<void> {
  for (const table of tables) await queries(tx).deleteFrom(table).where("provider_id", "=", providerId).execute();
}

/** Deletes expired flows, tickets, pending registrations and codes. */
export async function deleteExpiredFlows(em: EntityManager, now: Date): Promise<void> {
  for (const table of [...tables, "identity_codes"] as const)
    await queries(em).deleteFrom(table).where("expires_at", "<=", now).execute();
}

/**
 * Prevents mix-up attacks between `oidc` and `custom`, which share a callback (RFC 9700 §4.4). A malicious provider can redirect a browser
 * to the honest one with the challenge and nonce of its own flow, and then receives the code. If the honest one sends no `iss`, the mix-up
 * is not detectable at that point. But the attacker cannot use the code: it would have to return it as its own, and it is already recorded
 * for the other provider.
 */
export class SharedCallback {
  readonly #now: () => Date;

  constructor(now: () => Date) {
    this.#now = now;
  }

  /** Records which provider issued a code, before the code is sent anywhere. @returns false if it is recorded for another provider */
  async claim(em: EntityManager, providerId: ProviderId, code: string): Promise<boolean> {
    // A code is useless once its flow has expired.
    const expiresAt = new Date(this.#now().getTime() + flowSeconds * 1_000);
    const row = { code_hash: hashOf(code), provider_id: providerId, expires_at: expiresAt };
    await queries(em)
      .insertInto("identity_codes")
      .values(row)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    const { provider_id: owner } = await queries(em)
      .selectFrom("identity_codes")
      .select("provider_id")
      .where("code_hash", "=", row.code_hash)
      .executeTakeFirstOrThrow();
    return owner === providerId;
  }
}

function aadOf(flowId: string): string[] {
  return ["identity_flows", flowId];
}
