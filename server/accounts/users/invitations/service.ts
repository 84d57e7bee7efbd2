import type { z } from "zod";
import type { ExpressionBuilder } from "kysely";
import type { Audit } from "../../../notifications/audit/audit.ts";
import type { Caller } from "../../../access/caller.ts";
import { lockUsers } from "../../../access/locks.ts";
import { queries, type EntityManager } from "../../../database/database.ts";
import type { Tables } from "../../../database/tables/all.ts";
import { onePage } from "../../../database/query-helpers.ts";
import { badField, notFound, type AppError } from "../../../platform/errors.ts";
import { newId, hashOf } from "../../../platform/ids.ts";
import { type Role, Invitation } from "../../../database/tables/users.ts";
import { lockAdministrators, lockAsAdministrator } from "../account.ts";
import type { InvitationState, createInvitationInput } from "./schemas.ts";
import { newSymbols, readSymbols } from "../../auth/second-factors/recovery-codes.ts";

export type NewInvitation = z.infer<typeof createInvitationInput>;

/** Manages the invitations with which people register. */
export class Invitations {
  readonly #audit: Audit;
  readonly #now: () => Date;

  constructor(audit: Audit, now: () => Date) {
    this.#audit = audit;
    this.#now = now;
  }

  async list(em: EntityManager, paging: { page: number; limit: number }) {
    const found = queries(em)
      .selectFrom("invitations")
      .leftJoin("users as maker", (join) =>
        join
          .onRef("maker.id", "=", "invitations.created_by")
          .on("maker.role", "=", "admin")
          .on("maker.disabled_at", "is", null),
      )
      .select([
        "invitations.id",
        "invitations.role",
        "max_uses as maxUses",
        "uses",
        "expires_at as expiresAt",
        "created_by as createdBy",
        "invitations.created_at as createdAt",
        "ended_at as endedAt",
        "maker.id as maker",
      ])
      .orderBy("invitations.id", "desc");
    const { rows, total } = await onePage(found, paging);
    const now = this.#now();
    return { invitations: rows.map((row) => view(row, row.maker !== null, now)), total, ...paging };
  }

  /** Creates an invitation. The code is returned only here. @throws AppError BAD_REQUEST, and as `lockAsAdministrator` */
  async create(em: EntityManager, caller: Caller, input: NewInvitation) {
    const now = this.#now();
    if (input.expiresAt && input.expiresAt <= now) throw badField(["expiresAt"], "This must be in the future.");
    const code = newInviteCode();
    const invitation = await em.transactional(async (tx) => {
      // Whoever takes the right to invite from the caller either sees this invitation or comes first.
      await lockAsAdministrator(tx, caller);
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
    return { ...view(invitation, true, now), code };
  }

  /** Deletes an invitation, which can no longer be used. Users who registered with it stay. */
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
   * Consumes one use, within the transaction that creates the user. Parallel calls cannot exceed the number of uses. Locks the administrators
   * if the invitation makes one, else its creator, as whoever ends it does before: `lockWithAdministrators`.
   * @throws AppError BAD_REQUEST if the code is unknown, used up or expired, or if its creator may no longer invite
   */
  async redeem(tx: EntityManager, code: string): Promise<{ id: string; role: Role }> {
    const found = await queries(tx)
      .selectFrom("invitations")
      .select(["role", "created_by"])
      .where((eb) => this.#isGood(eb, code))
      .executeTakeFirst();
    if (!found) throw badCode();
    if (found.role === "admin") await lockAdministrators(tx);
    else if (found.created_by !== null) await lockUsers(tx, [found.created_by]);
    // It may have ended while this waited.
    const used = await queries(tx)
      .updateTable("invitations")
      .set((eb) => ({ uses: eb("uses", "+", 1) }))
      .where((eb) => this.#isGood(eb, code))
      .returning(["id", "role"])
      .executeTakeFirst();
    if (used) return used;
    throw badCode();
  }

  /** Checks a code without using it. @throws AppError BAD_REQUEST as `redeem` */
  async requireValid(em: EntityManager, code: string): Promise<void> {
    const found = await queries(em)
      .selectFrom("invitations")
      .select("id")
      .where((eb) => this.#isGood(eb, code))
      .executeTakeFirst();
    if (!found) throw badCode();
  }

  /** Matches the invitation with this code if it is neither used up nor expired and its creator may still invite. */
  #isGood(eb: ExpressionBuilder<Tables, "invitations">, code: string) {
    return eb.and([
      eb("code_hash", "=", inviteCodeHash(code)),
      eb("uses", "<", eb.ref("max_uses")),
      eb.or([eb("expires_at", "is", null), eb("expires_at", ">", this.#now())]),
      eb("ended_at", "is", null),
      eb.exists(
        eb
          .selectFrom("users")
          .select("users.id")
          .whereRef("users.id", "=", "invitations.created_by")
          .where("users.role", "=", "admin")
          .where("users.disabled_at", "is", null),
      ),
    ]);
  }
}

/** Ends the invitations of a user who loses the right to invite. @returns the number that were still open */
export async function endInvitations(tx: EntityManager, userId: string, now: Date): Promise<number> {
  const { numUpdatedRows } = await queries(tx)
    .updateTable("invitations")
    .set({ ended_at: now })
    .where("created_by", "=", userId)
    .where("ended_at", "is", null)
    .whereRef("uses", "<", "max_uses")
    .where((eb) => eb.or([eb("expires_at", "is", null), eb("expires_at", ">", now)]))
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}

function badCode(): AppError {
  return badField(["inviteCode"], "This invitation code is invalid or no longer works. Ask for a new one.");
}

type Stored = Pick<
  Invitation,
  "id" | "role" | "maxUses" | "uses" | "expiresAt" | "createdBy" | "createdAt" | "endedAt"
>;

function view(invitation: Stored, makerMayInvite: boolean, now: Date) {
  const { id, role, maxUses, uses, expiresAt = null, createdBy = null, createdAt } = invitation;
  return { id, role, maxUses, uses, expiresAt, createdBy, createdAt, state: stateOf(invitation, makerMayInvite, now) };
}

function stateOf({ uses, maxUses, expiresAt, endedAt }: Stored, makerMayInvite: boolean, now: Date): InvitationState {
  if (uses >= maxUses) return "used_up";
  if (endedAt || !makerMayInvite) return "ended";
  return expiresAt && expiresAt <= now ? "expired" : "open";
}

/** 130 bits. */
const codeSymbols = 26;

/** Returns a new code in groups of up to five: `7ZK4M-9T2QX-…`. */
function newInviteCode(): string {
  return newSymbols(codeSymbols).replaceAll(/.{5}(?=.)/g, "$&-");
}

/** Returns the hash under which a code is stored. Accepts the code in any typed form. */
function inviteCodeHash(code: string): string {
  return hashOf(`invitation ${readSymbols(code)}`);
}
