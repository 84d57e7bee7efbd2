import type { ExpressionBuilder } from "kysely";
import type { Audit } from "../../audit/audit.ts";
import type { Caller } from "../../auth/caller.ts";
import { queries, type EntityManager } from "../../database/database.ts";
import type { Tables } from "../../database/entities.ts";
import { badField, notFound, type AppError } from "../../errors.ts";
import { newId } from "../../ids.ts";
import type { Role } from "../roles.ts";
import { inviteCodeHash, newInviteCode } from "./codes.ts";
import { Invitation } from "./entities.ts";

export interface NewInvitation {
  role: Role;
  maxUses: number;
  expiresAt: Date | null;
}

/** What lets people register by themselves. */
export class Invitations {
  readonly #audit: Audit;
  readonly #now: () => Date;

  constructor(audit: Audit, now: () => Date) {
    this.#audit = audit;
    this.#now = now;
  }

  async list(em: EntityManager, { page, limit }: { page: number; limit: number }) {
    const [found, total] = await em.findAndCount(
      Invitation,
      {},
      { orderBy: { id: "desc" }, limit, offset: (page - 1) * limit },
    );
    return { invitations: found.map(view), total, page, limit };
  }

  /** The only time that the code can be seen. */
  async create(em: EntityManager, caller: Caller, input: NewInvitation) {
    const now = this.#now();
    if (input.expiresAt && input.expiresAt <= now) throw badField(["expiresAt"], "This must lie in the future.");
    const code = newInviteCode();
    const invitation = await em.transactional(async (tx) => {
      const made = tx.create(Invitation, {
        id: newId(),
        codeHash: inviteCodeHash(code),
        ...input,
        uses: 0,
        createdBy: caller.userId,
        createdAt: now,
      });
      await tx.flush();
      await this.#audit.record(tx, caller, {
        action: "invitation.create",
        targetType: "invitation",
        targetId: made.id,
        after: { ...input },
      });
      return made;
    });
    return { ...view(invitation), code };
  }

  /** Nobody can use it any more. Who registered with it stays. */
  async delete(em: EntityManager, caller: Caller, id: string): Promise<void> {
    await em.transactional(async (tx) => {
      const invitation = await tx.findOne(Invitation, { id });
      if (!invitation) throw notFound("invitation");
      const { role, maxUses, uses, expiresAt } = invitation;
      await tx.remove(invitation).flush();
      await this.#audit.record(tx, caller, {
        action: "invitation.delete",
        targetType: "invitation",
        targetId: id,
        before: { role, maxUses, uses, expiresAt: expiresAt ?? null },
      });
    });
  }

  /**
   * Takes one use, within the transaction that makes the user. However many try at once, no more get through than it allows.
   * @throws AppError BAD_REQUEST for a code that is unknown, used up or expired
   */
  async redeem(tx: EntityManager, code: string): Promise<{ id: string; role: Role }> {
    const used = await queries(tx)
      .updateTable("invitations")
      .set((eb) => ({ uses: eb("uses", "+", 1) }))
      .where((eb) => this.#isGood(eb, code))
      .returning(["id", "role"])
      .executeTakeFirst();
    if (used) return used;
    throw badCode();
  }

  /** Looks at a code without using it. @throws AppError BAD_REQUEST as `redeem` */
  async requireValid(em: EntityManager, code: string): Promise<void> {
    const found = await queries(em)
      .selectFrom("invitations")
      .select("id")
      .where((eb) => this.#isGood(eb, code))
      .executeTakeFirst();
    if (!found) throw badCode();
  }

  /** The invitation of this code, while it is neither used up nor expired. */
  #isGood(eb: ExpressionBuilder<Tables, "invitations">, code: string) {
    return eb.and([
      eb("code_hash", "=", inviteCodeHash(code)),
      eb("uses", "<", eb.ref("max_uses")),
      eb.or([eb("expires_at", "is", null), eb("expires_at", ">", this.#now())]),
    ]);
  }
}

function badCode(): AppError {
  return badField(["inviteCode"], "This invitation code is not valid, or not any more; ask for a new one.");
}

function view({ id, role, maxUses, uses, expiresAt, createdBy, createdAt }: Invitation) {
  return { id, role, maxUses, uses, expiresAt: expiresAt ?? null, createdBy: createdBy ?? null, createdAt };
}
