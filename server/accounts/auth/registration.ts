import type { Actor } from "../../access/actor.ts";
import type { EntityManager } from "../../database/database.ts";
import { refuseTaken, type EmailVerifications } from "../users/email/service.ts";
import type { User } from "../../database/tables/users.ts";
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
  readonly #verifications: EmailVerifications;
  readonly #signIn: SignIn;

  constructor(parts: { users: Users; invitations: Invitations; verifications: EmailVerifications; signIn: SignIn }) {
    this.#users = parts.users;
    this.#invitations = parts.invitations;
    this.#verifications = parts.verifications;
    this.#signIn = parts.signIn;
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
    const newUser = { ...account, emailVerifiedBy: null, role: "member" } as const;
    const user = await this.#users.create(em, newUser, actor, async (tx) => {
      if (account.email !== null) await refuseTaken(tx, account.email, null);
      const { id: invitationId, role } = await this.#invitations.redeem(tx, inviteCode);
      const complete = async (same: EntityManager, made: User) => {
        // Over a limit the account is made all the same: its owner can have a link sent later.
        await this.#verifications.send(same, made);
      };
      return { role, invitationId, complete };
    });
    return await this.#signIn.start(em.fork(), actor, user.id, { rememberMe: false, method: "invitation" }, client);
  }
}
