import type { z } from "zod";
import type { registerInput } from "./schemas.ts";
import type { Actor } from "../../access/caller.ts";
import type { EntityManager } from "../../database/database.ts";
import { refuseTaken, type EmailVerifications } from "../users/email/service.ts";
import type { User } from "../../database/tables/users.ts";
import type { Invitations } from "../users/invitations/service.ts";
import type { Users } from "../users/service.ts";
import type { ClientInfo } from "./sessions.ts";
import type { SignedIn, SignIn } from "./sign-in.ts";

export type NewAccount = z.infer<typeof registerInput>;

interface Parts {
  users: Users;
  invitations: Invitations;
  verifications: EmailVerifications;
  signIn: SignIn;
}

/** Creates accounts for people who register with an invitation. */
export class Registration {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** @throws AppError BAD_REQUEST for an invalid code, CONFLICT if the username or address is taken; the code is then not used */
  async register(
    em: EntityManager,
    actor: Actor,
    { inviteCode, ...account }: NewAccount,
    client: ClientInfo,
  ): Promise<SignedIn> {
    // Checked before hashing, so that callers without a valid code cannot cause that work.
    await this.#parts.invitations.requireValid(em, inviteCode);
    const newUser = { ...account, emailVerifiedBy: null, role: "member" } as const;
    const user = await this.#parts.users.create(em, newUser, actor, async (tx) => {
      if (account.email !== null) await refuseTaken(tx, account.email, null);
      const { id: invitationId, role } = await this.#parts.invitations.redeem(tx, inviteCode);
      const complete = async (same: EntityManager, made: User) => {
        // Registration succeeds even over the mail limit: the user can request a link later.
        await this.#parts.verifications.send(same, made);
      };
      return { role, invitationId, complete };
    });
    return await this.#parts.signIn.start(
      em.fork(),
      actor,
      user.id,
      { rememberMe: false, method: "invitation" },
      client,
    );
  }
}
