import type { Actor } from "../access/actor.ts";
import type { Audit } from "../audit/audit.ts";
import type { ClientInfo } from "../accounts/auth/sessions.ts";
import type { FirstFactorOutcome, SignIn } from "../accounts/auth/sign-in.ts";
import type { EntityManager } from "../database/database.ts";
import { AppError } from "../platform/errors.ts";
import { User } from "../database/tables/users.ts";
import type { IdentityTickets } from "./tickets.ts";

/** Turns a ticket into a session. */
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
   * A second factor of the account's own is still asked for: the provider has spoken for the first one only.
   * @throws AppError UNAUTHORIZED for a ticket that is unknown, used or too old, and for an account that cannot sign in any more
   */
  async exchange(em: EntityManager, actor: Actor, ticket: string, client: ClientInfo): Promise<FirstFactorOutcome> {
    const taken = await this.#tickets.take(em, ticket);
    const user = taken && (await em.findOne(User, { id: taken.userId, disabledAt: null }));
    if (!user) throw new AppError("UNAUTHORIZED", "This ticket was used already or is too old; sign in again.");
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
