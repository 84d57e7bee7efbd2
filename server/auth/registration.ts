import type { Actor } from "../audit/actor.ts";
import type { EntityManager } from "../database/database.ts";
import type { Invitations } from "../users/invitations/service.ts";
import type { Users } from "../users/service.ts";
import type { ClientInfo } from "./sessions.ts";
import type { SignedIn, SignIn } from "./sign-in.ts";

export interface NewAccount {
  inviteCode: string;
  username: string;
  password: string;
  email: string | null;
}

/** People who make their own account with an invitation. */
export class Registration {
  readonly #users: Users;
  readonly #invitations: Invitations;
  readonly #signIn: SignIn;

  constructor(users: Users, invitations: Invitations, signIn: SignIn) {
    this.#users = users;
    this.#invitations = invitations;
    this.#signIn = signIn;
  }

  /** @throws AppError BAD_REQUEST for a code that does not hold, CONFLICT when the username or address is taken; the code is then not used up */
  async register(
    em: EntityManager,
    actor: Actor,
    { inviteCode, ...account }: NewAccount,
    client: ClientInfo,
  ): Promise<SignedIn> {
    // Before the password is hashed: that is work that not anybody may cause.
    await this.#invitations.requireValid(em, inviteCode);
    const user = await this.#users.create(em, { ...account, role: "member" }, actor, async (tx) => {
      const { id, role } = await this.#invitations.redeem(tx, inviteCode);
      return { role, invitationId: id };
    });
    return await this.#signIn.start(em.fork(), actor, user.id, { rememberMe: false, method: "invitation" }, client);
  }
}
