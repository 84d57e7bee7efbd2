import { sql } from "kysely";
import type { Audit } from "../../../notifications/audit/audit.ts";
import type { Caller, Actor } from "../../../access/caller.ts";
import { lockOwnAccount, lockAccount, ownAccount, verifiedAddress, endOutstanding } from "../account.ts";
import { hashOf, newOpaqueToken } from "../../../platform/ids.ts";
import { afterCommit } from "../../../database/after-commit.ts";
import { queries, type EntityManager } from "../../../database/database.ts";
import { mapUniqueViolation } from "../../../database/query-helpers.ts";
import { AppError, badField } from "../../../platform/errors.ts";
import { type MailOutbox, verifyEmail } from "../../../notifications/mail/outbox.ts";
import { User } from "../../../database/tables/users.ts";

const hour = 3_600_000;
const lifetimeMilliseconds = 24 * hour;
/** Limits the links that one user may request, across all addresses. */
const perUser: Allowance = { most: 5, windowMilliseconds: hour };
/** Limits the links sent to one address, across all users. */
const perAddress: Allowance = { most: 3, windowMilliseconds: 24 * hour };

interface Parts {
  mail: MailOutbox;
  audit: Audit;
  siteUrl: string;
  now: () => Date;
}

/** Verifies addresses by mailed links. Until a link is opened, its address gets no other mail. */
export class EmailVerifications {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Mails a link to a user's address once the transaction commits, and invalidates earlier links. Does nothing without a mail server.
   * The user must be locked or new.
   * @returns the error if a limit was reached and nothing was mailed; the caller decides whether to throw it
   */
  async send(
    tx: EntityManager,
    { id, username, email }: Pick<User, "id" | "username" | "email">,
  ): Promise<AppError | null> {
    const { mail, siteUrl, now } = this.#parts;
    if (!mail.configured || typeof email !== "string") return null;
    const refusal = await this.#takeAllowances(tx, id, email);
    if (refusal) return refusal;
    const token = newOpaqueToken();
    await queries(tx).deleteFrom("email_verifications").where("user_id", "=", id).execute();
    const expires_at = new Date(now().getTime() + lifetimeMilliseconds);
    await queries(tx)
      .insertInto("email_verifications")
      .values({ token_hash: hashOfLink(token), user_id: id, email, expires_at })
      .execute();
    // In the fragment, which browsers never send to a server.
    const letter = verifyEmail(email, { username, link: `${siteUrl}/verify-email#token=${token}` });
    afterCommit(tx, () => mail.send(letter, lifetimeMilliseconds));
    return null;
  }

  /**
   * Mails the caller another link.
   * @throws AppError CONFLICT if there is nothing to verify, no mail server, or the address belongs to another user; TOO_MANY_REQUESTS
   */
  async resend(em: EntityManager, caller: Caller): Promise<void> {
    const { mail, audit } = this.#parts;
    if (!mail.configured)
      throw new AppError("CONFLICT", "This installation sends no mail. Ask an administrator to confirm your address.");
    await em.transactional(async (tx) => {
      await lockOwnAccount(tx, caller);
      const user = await ownAccount(tx, caller.userId);
      if (typeof user.email !== "string")
        throw new AppError("CONFLICT", "Your account has no email address. Set one first.");
      if (verifiedAddress(user) !== null) throw new AppError("CONFLICT", "Your email address is already verified.");
      await refuseTaken(tx, user.email, user.id);
      const refusal = await this.send(tx, user);
      if (refusal) throw refusal;
      await audit.record(tx, caller, {
        action: "user.request_email_verification",
        targetType: "user",
        targetId: user.id,
        after: { email: user.email },
      });
    });
  }

  /**
   * Verifies the address that a link was mailed to. A link works once, and only while the account has that address.
   * @throws AppError BAD_REQUEST if the link is unknown, used, expired or outdated, CONFLICT if another account verified the address first
   */
  async verify(em: EntityManager, actor: Actor, token: string): Promise<void> {
    const { audit, now } = this.#parts;
    const link = { tokenHash: hashOfLink(token), now: now() };
    const found = await queries(em)
      .selectFrom("email_verifications")
      .select("user_id")
      .where("token_hash", "=", link.tokenHash)
      .where("expires_at", ">", link.now)
      .executeTakeFirst();
    if (!found) throw deadLink();
    await em.transactional(async (tx) => {
      await lockAccount(tx, found.user_id);
      const claimed = await queries(tx)
        .deleteFrom("email_verifications")
        .where("token_hash", "=", link.tokenHash)
        .where("expires_at", ">", link.now)
        .returning("email")
        .executeTakeFirst();
      const user = claimed && (await tx.findOne(User, { id: found.user_id, email: claimed.email, disabledAt: null }));
      if (!user) throw deadLink();
      user.emailVerifiedBy = "link";
      await mapUniqueViolation(tx.flush(), (cause) => taken(claimed.email, cause));
      await endOutstanding(tx, user.id);
      await audit.record(tx, actor, {
        action: "user.verify_email",
        targetType: "user",
        targetId: user.id,
        before: { email: user.email, emailVerified: false },
        after: { email: user.email, emailVerified: true },
      });
    });
  }

  async #takeAllowances(tx: EntityManager, userId: string, email: string): Promise<AppError | null> {
    const now = this.#parts.now();
    const ofUser = await takeAllowance(tx, `verification by ${userId}`, perUser, now);
    if (ofUser > 0)
      return tooMany(`Only ${perUser.most} confirmation mails an hour can be sent for an account`, ofUser);
    // Hashed, because these rows outlive the account and must not become a list of addresses.
    const key = hashOf(`verification to ${email.toLowerCase()}`);
    const ofAddress = await takeAllowance(tx, key, perAddress, now);
    return ofAddress > 0
      ? tooMany(`Only ${perAddress.most} confirmation mails a day can be sent to an address`, ofAddress)
      : null;
  }
}

/** Refuses early an address that the user cannot have. @throws AppError CONFLICT if another account has verified it */
export async function refuseTaken(em: EntityManager, email: string, userId: string | null): Promise<void> {
  const other = await queries(em)
    .selectFrom("users")
    .select("id")
    .where((eb) => eb(eb.fn<string>("lower", ["email"]), "=", email.toLowerCase()))
    .where("email_verified_by", "is not", null)
    .$if(userId !== null, (query) => query.where("id", "!=", userId ?? ""))
    .executeTakeFirst();
  if (other) throw taken(email);
}

function taken(email: string, cause?: unknown): AppError {
  const message = `Another account has the address ${email}. Use another one, or ask an administrator.`;
  return new AppError("CONFLICT", message, { issues: [{ path: ["email"], message }], cause });
}

/** The number of mails allowed within any period of the window's length. */
interface Allowance {
  most: number;
  windowMilliseconds: number;
}

/**
 * Counts a mail against an allowance, in one statement so that parallel calls cannot exceed the limit together. A rollback undoes the count.
 * @returns 0 if the mail may be sent, else the seconds until one may be
 */
async function takeAllowance(
  tx: EntityManager,
  key: string,
  { most, windowMilliseconds }: Allowance,
  now: Date,
): Promise<number> {
  const since = new Date(now.getTime() - windowMilliseconds);
  const until = new Date(now.getTime() + windowMilliseconds);
  const recent = sql`from unnest(mail_allowances.sent_at) as sent where sent > ${since}`;
  const { rows } = await sql`
    insert into mail_allowances (key, sent_at, expires_at) values (${key}, array[${now}::timestamptz], ${until})
    on conflict (key) do update
      set sent_at = (select coalesce(array_agg(sent), '{}') ${recent}) || excluded.sent_at, expires_at = excluded.expires_at
      where (select count(*) ${recent}) < ${most}
    returning key`.execute(queries(tx));
  if (rows.length > 0) return 0;
  const oldest = await sql<{ sent: Date }>`
    select sent from mail_allowances, unnest(sent_at) as sent
    where key = ${key} and sent > ${since} order by sent desc offset ${most - 1} limit 1`.execute(queries(tx));
  const free = (oldest.rows[0]?.sent.getTime() ?? now.getTime()) + windowMilliseconds;
  return Math.max(1, Math.ceil((free - now.getTime()) / 1_000));
}

function tooMany(limit: string, retryAfterSeconds: number): AppError {
  return new AppError("TOO_MANY_REQUESTS", `${limit}. Try again in ${retryAfterSeconds} seconds.`, {
    retryAfterSeconds,
  });
}

function deadLink(): AppError {
  return badField(["token"], "This link is invalid or has expired. Request a new one.");
}

function hashOfLink(token: string): string {
  return hashOf(`email verification ${token}`);
}
