import type { Actor } from "../access/actor.ts";
import type { Audit } from "../audit/audit.ts";
import type { ClientInfo } from "../accounts/auth/sessions.ts";
import type { FirstFactorOutcome, SignIn } from "../accounts/auth/sign-in.ts";
import type { EntityManager } from "../database/database.ts";
import { AppError } from "../platform/errors.ts";
import { User } from "../database/tables/users.ts";
import type { IdentityTickets } from "./tickets.ts";

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
