import { queries, type EntityManager } from "../../database/database.ts";
import { hashOf, newOpaqueToken } from "../../platform/ids.ts";
import type { Identity } from "./providers/provider.ts";
import type { ProviderId } from "../../database/tables/identity.ts";
import type { Actor } from "../../access/caller.ts";
import type { Audit } from "../../notifications/audit/audit.ts";
import type { ClientInfo } from "../auth/sessions.ts";
import type { FirstFactorOutcome, SignIn } from "../auth/sign-in.ts";
import { AppError } from "../../platform/errors.ts";
import { User } from "../../database/tables/users.ts";

/** Lifetime of a ticket. */
export const ticketSeconds = 60;
/** Lifetime of a pending token, the time a user has to register. */
export const pendingSeconds = 10 * 60;

interface TakenTicket {
  userId: string;
  providerId: ProviderId;
  /** The account's epoch when the ticket was consumed. */
  accessEpoch: number;
}

/** Issues the tickets and pending tokens that the console gets after a callback: random, stored as hashes, valid once. */
export class IdentityTickets {
  readonly #now: () => Date;

  constructor(now: () => Date) {
    this.#now = now;
  }

  /** Issues a ticket, valid for one minute. */
  async issue(em: EntityManager, userId: string, providerId: ProviderId): Promise<string> {
    const token = newOpaqueToken();
    await queries(em)
      .insertInto("identity_tickets")
      .values({
        token_hash: hashOf(token),
        user_id: userId,
        provider_id: providerId,
        expires_at: this.#after(ticketSeconds),
      })
      .execute();
    return token;
  }

  /** Consumes a ticket if the identity is still linked to the user. Of parallel calls, one succeeds; the others return null. */
  async take(em: EntityManager, token: string): Promise<TakenTicket | null> {
    const row = await queries(em)
      .deleteFrom("identity_tickets")
      .where("token_hash", "=", hashOf(token))
      .where("expires_at", ">", this.#now())
      .where((eb) =>
        eb.exists(
          eb
            .selectFrom("identity_bindings")
            .select("identity_bindings.id")
            .whereRef("identity_bindings.user_id", "=", "identity_tickets.user_id")
            .whereRef("identity_bindings.provider_id", "=", "identity_tickets.provider_id"),
        ),
      )
      .returning(["user_id", "provider_id"])
      .returning((eb) =>
        eb
          .selectFrom("users")
          .select("access_epoch")
          .whereRef("users.id", "=", "identity_tickets.user_id")
          .as("access_epoch"),
      )
      .executeTakeFirst();
    if (!row || row.access_epoch === null) return null;
    return { userId: row.user_id, providerId: row.provider_id, accessEpoch: row.access_epoch };
  }

  /** Stores an identity for registration, with its groups that rules name, and returns its pending token, valid for ten minutes. */
  async issuePending(em: EntityManager, providerId: ProviderId, identity: Identity, groups: string[]): Promise<string> {
    const token = newOpaqueToken();
    await queries(em)
      .insertInto("pending_identities")
      .values({
        token_hash: hashOf(token),
        provider_id: providerId,
        issuer: identity.issuer,
        subject: identity.subject,
        email: identity.email,
        email_verified: identity.emailVerified,
        display_name: identity.displayName,
        username: identity.username,
        groups,
        expires_at: this.#after(pendingSeconds),
      })
      .execute();
    return token;
  }

  /** Reads a pending identity without consuming it. */
  async pending(
    em: EntityManager,
    providerId: ProviderId,
    token: string,
  ): Promise<(Identity & { groups: string[] }) | null> {
    const row = await queries(em)
      .selectFrom("pending_identities")
      .selectAll()
      .where("token_hash", "=", hashOf(token))
      .where("provider_id", "=", providerId)
      .where("expires_at", ">", this.#now())
      .executeTakeFirst();
    if (!row) return null;
    return {
      issuer: row.issuer,
      subject: row.subject,
      email: row.email,
      emailVerified: row.email_verified,
      displayName: row.display_name,
      username: row.username,
      groups: row.groups,
    };
  }

  /** Consumes a pending identity, within the transaction that creates the user. Of parallel calls, one returns true. */
  async takePending(tx: EntityManager, token: string): Promise<boolean> {
    const { numDeletedRows } = await queries(tx)
      .deleteFrom("pending_identities")
      .where("token_hash", "=", hashOf(token))
      .where("expires_at", ">", this.#now())
      .executeTakeFirstOrThrow();
    return numDeletedRows > 0n;
  }

  #after(seconds: number): Date {
    return new Date(this.#now().getTime() + seconds * 1_000);
  }
}

/** Exchanges a ticket for a session. */
export class TicketSignIn {
  readonly #tickets: IdentityTickets;
  readonly #signIn: SignIn;
  readonly #audit: Audit;

  constructor(tickets: IdentityTickets, signIn: SignIn, audit: Audit) {
    this.#tickets = tickets;
    this.#signIn = signIn;
    this.#audit = audit;
  }

  /**
   * Exchanges a ticket. An account's second factor is still required, because the provider only replaces the first.
   * @throws AppError UNAUTHORIZED for an unknown, used or expired ticket, or a disabled account
   */
  async exchange(em: EntityManager, actor: Actor, ticket: string, client: ClientInfo): Promise<FirstFactorOutcome> {
    const taken = await this.#tickets.take(em, ticket);
    const user = taken && (await em.findOne(User, { id: taken.userId, disabledAt: null }));
    if (!user) throw new AppError("UNAUTHORIZED", "This ticket is invalid or has expired. Sign in again.");
    const { providerId, accessEpoch } = taken;
    const how = { rememberMe: false, method: providerId, accessEpoch };
    const outcome = await this.#signIn.afterFirstFactor(em, actor, user, how, client);
    await this.#audit.record(
      em,
      { ...actor, userId: user.id },
      {
        action: "identity.sign_in",
        targetType: "user",
        targetId: user.id,
        after: { providerId, secondFactorNeeded: outcome.kind === "awaitingSecondFactor" },
      },
    );
    return outcome;
  }
}
