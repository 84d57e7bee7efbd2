import type { Audit } from "../../../notifications/audit/audit.ts";
import { type EntityManager, queries } from "../../../database/database.ts";
import { AppError, badField } from "../../../platform/errors.ts";
import type { Guesses } from "../../../api/limits/guesses.ts";
import { lockAccount, ownAccount } from "../../users/account.ts";
import type { Caller } from "../../../access/caller.ts";
import { methodsSetUp } from "../second-factors/methods.ts";
import type { Passkeys } from "../second-factors/passkeys.ts";
import { readProof, type GivenProof, type Proof } from "../second-factors/checks.ts";
import type { RecoveryCodes } from "../second-factors/recovery-codes.ts";
import type { Totp } from "../second-factors/totp.ts";
import type { User } from "../../../database/tables/users.ts";
import type { PasswordHasher } from "../passwords.ts";

/** The proof that a caller submits to confirm a session. */
export interface GivenConfirmation extends Partial<Omit<GivenProof, "method">> {
  password?: string | undefined;
  method?: Factor["method"] | undefined;
}

/** A second factor accepted outside of a sign-in. Excludes email codes, which exist only during sign-in. */
type Factor = { method: "totp" | "recovery"; code: string } | Extract<Proof, { method: "passkey" }>;

type Signed = Caller & { sessionId: string };

interface Parts {
  currentPassword: CurrentPassword;
  totp: Totp;
  recoveryCodes: RecoveryCodes;
  passkeys: Passkeys;
  guesses: Guesses;
  audit: Audit;
  now: () => Date;
}

/**
 * Confirms sessions before sensitive changes. Adding, replacing or removing a way to sign in requires a session confirmed within the last
 * ten minutes, so a stolen access token or an unlocked screen cannot become lasting access to the account.
 */
export class Confirmation {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Requires a confirmed session.
   * @throws AppError REAUTHENTICATION_REQUIRED if the last confirmation is too old, UNAUTHORIZED if the session has ended
   */
  async require(em: EntityManager, { sessionId }: Caller): Promise<void> {
    if ((await confirmedUntil(em, sessionId, this.#parts.now())) !== null) return;
    await requireLive(em, sessionId);
    throw reauthenticationRequired();
  }

  /**
   * Requires a confirmed session or the current password, for calls that accept one. A wrong password is refused even in a confirmed session.
   * @throws AppError REAUTHENTICATION_REQUIRED, and as `password`
   */
  async requireOrPassword(em: EntityManager, caller: Caller, currentPassword: string | undefined): Promise<void> {
    if (currentPassword === undefined) await this.require(em, caller);
    else await this.password(em, caller, currentPassword, "currentPassword");
  }

  /**
   * Checks the current password for one call. Also confirms the session if the account needs nothing more to sign in.
   * @throws AppError as `CurrentPassword.confirm`
   */
  async password(em: EntityManager, caller: Caller, password: string, field: string): Promise<ConfirmedUser> {
    const confirmed = await this.#parts.currentPassword.confirm(em, caller, password, field);
    if (caller.sessionId !== null && (await methodsSetUp(em, caller.userId)).length === 0)
      await markConfirmed(em, caller.sessionId, this.#parts.now());
    return confirmed;
  }

  /** Returns the WebAuthn request options for a confirmation. @throws AppError CONFLICT without a passkey */
  async passkeyOptions(em: EntityManager, caller: Caller) {
    if (!(await methodsSetUp(em, caller.userId)).includes("passkey"))
      throw new AppError("CONFLICT", "You have no passkey for this site. Confirm in another way, or sign in again.");
    return await this.#parts.passkeys.requestOptions(em, useOf(withSession(caller)));
  }

  /**
   * Confirms the caller's session by the password, plus a code if a second factor is set up, or by a passkey.
   * @throws AppError BAD_REQUEST if something is missing, FORBIDDEN for a wrong proof (401 would make clients renew their session and retry),
   * CONFLICT if the account cannot be confirmed this way, TOO_MANY_REQUESTS
   */
  async confirm(em: EntityManager, anyCaller: Caller, given: GivenConfirmation): Promise<{ confirmedUntil: Date }> {
    const caller = withSession(anyCaller);
    const { password } = given;
    const factor = readFactor(given);
    if (factor?.method !== "passkey") await this.#requireEnough(em, caller, password, factor);
    if (password !== undefined) await this.#parts.currentPassword.confirm(em, caller, password, "password");
    const methods = [...(password === undefined ? [] : ["password"]), ...(factor ? [factor.method] : [])];
    if (!factor) return await em.transactional((tx) => this.#mark(tx, caller, methods));
    // A refused proof must not roll back the use of its challenge.
    const attempt = () =>
      em.transactional(async (tx) => {
        await lockAccount(tx, caller.userId);
        return (await this.#uses(tx, caller, factor)) ? await this.#mark(tx, caller, methods) : null;
      });
    const confirmed = await this.#limited(caller, factor, attempt);
    if (confirmed) return confirmed;
    throw await this.#refusal(em, caller, factor.method);
  }

  /** Counts wrong codes in this session, and wrong passkeys: they cannot be guessed, but each costs work. @throws AppError TOO_MANY_REQUESTS */
  async #limited<T>({ userId, sessionId, ...from }: Signed, { method }: Factor, attempt: () => Promise<T | null>) {
    const { guesses } = this.#parts;
    const guess = { account: userId, device: sessionId, from } as const;
    if (method !== "passkey") return await guesses.check({ ...guess, secret: "code" }, attempt);
    return (await attempt()) ?? (await guesses.check({ ...guess, secret: "passkey" }, () => Promise.resolve(null)));
  }

  /** @throws AppError if the account requires more than was submitted, or a different proof */
  async #requireEnough(em: EntityManager, { userId }: Caller, password: string | undefined, factor: Factor | null) {
    const { passwordHash } = await ownAccount(em, userId);
    if (typeof passwordHash !== "string")
      throw new AppError(
        "CONFLICT",
        "This account has no password. Confirm with a passkey, or sign in again through your identity provider.",
      );
    if (password === undefined)
      throw badField(["password"], "Enter your password as well. A code alone is not enough.");
    if (factor || (await methodsSetUp(em, userId)).length === 0) return;
    throw badField(
      ["method"],
      "Your account has a second factor. Send a passkey, or your password with a code from your app or a recovery code.",
    );
  }

  async #mark(tx: EntityManager, caller: Signed, methods: string[]): Promise<{ confirmedUntil: Date }> {
    const until = await markConfirmed(tx, caller.sessionId, this.#parts.now());
    const event = { action: "auth.confirm", targetType: "session", targetId: caller.sessionId } as const;
    await this.#parts.audit.record(tx, caller, { ...event, after: { methods } });
    return { confirmedUntil: until };
  }

  /** Checks a factor and consumes it. */
  async #uses(tx: EntityManager, caller: Signed, factor: Factor): Promise<boolean> {
    const { totp, recoveryCodes, passkeys } = this.#parts;
    if (factor.method === "passkey") return (await passkeys.check(tx, factor.credential, useOf(caller))) !== null;
    return await (factor.method === "totp" ? totp : recoveryCodes).use(tx, caller.userId, factor.code);
  }

  async #refusal(em: EntityManager, caller: Caller, method: Factor["method"]): Promise<AppError> {
    const event = { action: "auth.confirmation_failed", targetType: "user", targetId: caller.userId } as const;
    await this.#parts.audit.record(em, caller, { ...event, after: { method } });
    const { field, message } = wrong[method];
    return new AppError("FORBIDDEN", message, {
      issues: [{ path: [field], message }],
      note: { text: "a wrong second factor was given", userId: caller.userId, ip: caller.ip, method },
    });
  }
}

function reauthenticationRequired(): AppError {
  return new AppError(
    "REAUTHENTICATION_REQUIRED",
    "This call requires a session confirmed within the last ten minutes. Confirm it with `POST /api/auth/me/confirm`, or sign in again, then repeat the call.",
  );
}

/** @throws AppError BAD_REQUEST if nothing was submitted or the input is malformed; neither counts as a guess */
function readFactor({ password, method, code, credential }: GivenConfirmation): Factor | null {
  if (method !== undefined) return readProof({ method, code, credential }) as Factor;
  if (code !== undefined || credential !== undefined)
    throw badField(["method"], "This must be totp, recovery or passkey.");
  if (password === undefined) throw badField(["password"], "Enter your password, or use a passkey.");
  return null;
}

/** @throws AppError FORBIDDEN for a personal token, which cannot confirm a session */
function withSession(caller: Caller): Signed {
  const { sessionId } = caller;
  if (sessionId !== null) return { ...caller, sessionId };
  throw new AppError("FORBIDDEN", "A personal token cannot confirm a session. Sign in.");
}

function useOf({ userId, sessionId }: Signed) {
  return { purpose: "confirm", userId, sessionId } as const;
}

const wrong: Record<Factor["method"], { field: string; message: string }> = {
  totp: { field: "code", message: "The code is wrong or has already been used. Enter the one your app shows now." },
  recovery: { field: "code", message: "The recovery code is wrong or has already been used." },
  passkey: { field: "credential", message: "The passkey was not accepted. Start again." },
};

/** A user whose password has just been verified. */
interface ConfirmedUser {
  user: User;
  passwordHash: string;
}

/** Verifies the password of a signed-in user again, before actions that a stolen session must not allow. */
export class CurrentPassword {
  readonly #passwords: PasswordHasher;
  readonly #guesses: Guesses;
  readonly #audit: Audit;

  constructor(passwords: PasswordHasher, guesses: Guesses, audit: Audit) {
    this.#passwords = passwords;
    this.#guesses = guesses;
    this.#audit = audit;
  }

  /**
   * Verifies the current password. Do not call it in a transaction: a failure must remain in the audit trail.
   * @param field the input field that holds the password
   * @throws AppError FORBIDDEN if it is wrong, TOO_MANY_REQUESTS, CONFLICT if the account has no password. Not UNAUTHORIZED: the session is
   * still valid, and clients would renew it and retry the wrong password.
   */
  async confirm(em: EntityManager, caller: Caller, password: string, field: string): Promise<ConfirmedUser> {
    const user = await ownAccount(em, caller.userId);
    const { passwordHash } = user;
    if (typeof passwordHash !== "string") {
      throw new AppError(
        "CONFLICT",
        "This account has no password. Set one in your account, or confirm with a passkey or a new sign-in.",
      );
    }
    const guess = { secret: "password", account: user.id, device: caller.sessionId, from: caller } as const;
    const right = await this.#guesses.check(guess, async () =>
      (await this.#passwords.verify(passwordHash, password)) ? true : null,
    );
    if (right) return { user, passwordHash };
    await this.#audit.record(em, caller, {
      action: "auth.confirmation_failed",
      targetType: "user",
      targetId: user.id,
    });
    const message = "The current password is wrong.";
    throw new AppError("FORBIDDEN", message, {
      issues: [{ path: [field], message }],
      note: { text: "a wrong current password was given", userId: user.id, ip: caller.ip },
    });
  }
}

const lifetimeMilliseconds = 10 * 60_000;

/**
 * Returns when a session's confirmation expires; null if it is not confirmed or has ended, or there is no session. Reads the row each time,
 * so a confirmation or the end of a session on one instance takes effect on the others immediately.
 */
export async function confirmedUntil(em: EntityManager, sessionId: string | null, now: Date): Promise<Date | null> {
  if (sessionId === null) return null;
  const session = await queries(em)
    .selectFrom("sessions")
    .select("confirmed_at")
    .where("id", "=", sessionId)
    .where("revoked_at", "is", null)
    .executeTakeFirst();
  const until = session?.confirmed_at ? endOf(session.confirmed_at) : null;
  return until && until > now ? until : null;
}

/**
 * Records that a session has just been confirmed.
 * @returns when the confirmation expires
 * @throws AppError UNAUTHORIZED if the session has ended in the meantime
 */
async function markConfirmed(em: EntityManager, sessionId: string, now: Date): Promise<Date> {
  const { numUpdatedRows } = await queries(em)
    .updateTable("sessions")
    .set({ confirmed_at: now })
    .where("id", "=", sessionId)
    .where("revoked_at", "is", null)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows > 0n) return endOf(now);
  throw sessionEnded();
}

/** Rejects a session that another instance may have just ended. @throws AppError UNAUTHORIZED */
async function requireLive(em: EntityManager, sessionId: string | null): Promise<void> {
  if (!(await isLive(em, sessionId))) throw sessionEnded();
}

/** Returns whether a session has not been ended. */
export async function isLive(em: EntityManager, sessionId: string | null): Promise<boolean> {
  const live = await queries(em)
    .selectFrom("sessions")
    .select("id")
    .where("id", "=", sessionId)
    .where("revoked_at", "is", null)
    .executeTakeFirst();
  return live !== undefined;
}

function sessionEnded(): AppError {
  return new AppError("UNAUTHORIZED", "This session has ended. Sign in again.");
}

function endOf(confirmedAt: Date): Date {
  return new Date(confirmedAt.getTime() + lifetimeMilliseconds);
}
