import { sql } from "kysely";
import type { Caller, Actor } from "../../../access/caller.ts";
import type { Permission } from "../../../access/permissions.ts";
import type { Audit } from "../../../notifications/audit/audit.ts";
import { queries, type EntityManager } from "../../../database/database.ts";
import type { Guesses } from "../../../api/limits/guesses.ts";
import { AppError, badField } from "../../../platform/errors.ts";
import { hashOf, newOpaqueToken } from "../../../platform/ids.ts";
import { lockAccount, lockOwnAccount } from "../../users/account.ts";
import { isLive } from "../confirmation/service.ts";
import type { PersonalTokens } from "../personal-tokens/service.ts";
import { newSymbols, readSymbols } from "../second-factors/recovery-codes.ts";

const codeMilliseconds = 60_000;
const deviceSeconds = 10 * 60;
/** Between two polls (RFC 8628 §3.2), and by how much it grows for a device that polls faster (§3.5). */
const intervalSeconds = 5;
/** What the network may take off an interval. */
const toleranceSeconds = 1;
const tokenMilliseconds = 90 * 86_400_000;
/** Of a user code: 40 bits. Each user has five wrong tries in 15 minutes (RFC 8628 §5.1). */
const userCodeSymbols = 8;

interface Parts {
  personalTokens: PersonalTokens;
  guesses: Guesses;
  audit: Audit;
  /** Where the console is; null without one. */
  consoleUrl: string | null;
  now: () => Date;
}

/** What an approved sign-in gets, by whom. */
interface Approved {
  user_id: string;
  session_id: string;
  permissions: string[];
}

/**
 * Signs the command line in: with a browser on the same computer by an authorization code with PKCE (RFC 8252, RFC 7636), and elsewhere by a
 * code that its user types in the console (RFC 8628). Either way it gets a personal token. An approval ends with the session that gave it.
 */
export class CommandLineSignIn {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Approves a program on the user's computer. The session must be confirmed. @throws AppError CONFLICT at the limit of tokens per user */
  async authorize(em: EntityManager, caller: Caller, wish: { permissions: Permission[]; codeChallenge: string }) {
    const { audit, now, personalTokens } = this.#parts;
    const code = newOpaqueToken();
    const expiresAt = new Date(now().getTime() + codeMilliseconds);
    await em.transactional(async (tx) => {
      await lockOwnAccount(tx, caller);
      await personalTokens.requireRoom(tx, caller);
      const row = {
        code_hash: hashOf(code),
        user_id: caller.userId,
        session_id: sessionOf(caller),
        permissions: wish.permissions,
        code_challenge: wish.codeChallenge,
        expires_at: expiresAt,
      };
      await queries(tx).insertInto("cli_codes").values(row).execute();
      await audit.record(tx, caller, {
        action: "auth.authorize_cli",
        targetType: "user",
        targetId: caller.userId,
        after: { permissions: wish.permissions },
      });
    });
    return { code, expiresAt };
  }

  /**
   * Exchanges a code for a token. A wrong verifier uses the code up, too.
   * @throws AppError BAD_REQUEST for an unknown, used or expired code, or a wrong verifier; CONFLICT at the limit of tokens per user
   */
  async exchangeCode(em: EntityManager, actor: Actor, given: { code: string; codeVerifier: string }) {
    const hash = hashOf(given.code);
    const row = await queries(em)
      .selectFrom("cli_codes")
      .select(["user_id", "session_id", "permissions", "code_challenge"])
      .where("code_hash", "=", hash)
      .where("expires_at", ">", this.#parts.now())
      .executeTakeFirst();
    if (!row) throw codeRefused();
    const token = await em.transactional(async (tx) => {
      await lockAccount(tx, row.user_id);
      const { numDeletedRows } = await queries(tx)
        .deleteFrom("cli_codes")
        .where("code_hash", "=", hash)
        .executeTakeFirstOrThrow();
      if (numDeletedRows === 0n || !(await isLive(tx, row.session_id))) return "refused";
      // RFC 7636 §4.6: `hashOf` is the transformation S256.
      if (hashOf(given.codeVerifier) !== row.code_challenge) return "wrong verifier";
      return await this.#tokenFor(tx, actor, row, "zonewright login");
    });
    if (token === "refused") throw codeRefused();
    if (token !== "wrong verifier") return token;
    throw badField(
      ["codeVerifier"],
      "This does not match the code challenge of the code, which is used up now. Run `zonewright login` again.",
    );
  }

  /** Starts a sign-in of a device. @throws AppError CONFLICT without a console */
  async startDevice(em: EntityManager, { ip }: Actor, { permissions }: { permissions: Permission[] }) {
    const { consoleUrl, now } = this.#parts;
    if (consoleUrl === null)
      throw new AppError(
        "CONFLICT",
        "This installation has no console in which to approve a device. Use a personal token: create one with `POST /api/auth/me/tokens`.",
      );
    const deviceCode = newOpaqueToken();
    const symbols = newSymbols(userCodeSymbols);
    await queries(em)
      .insertInto("device_sign_ins")
      .values({
        device_code_hash: hashOf(deviceCode),
        user_code_hash: hashOf(symbols),
        permissions,
        ip,
        interval_seconds: intervalSeconds,
        polled_at: null,
        refused: false,
        user_id: null,
        session_id: null,
        expires_at: new Date(now().getTime() + deviceSeconds * 1_000),
      })
      .execute();
    return {
      deviceCode,
      userCode: `${symbols.slice(0, 4)}-${symbols.slice(4)}`,
      verificationUrl: `${consoleUrl}/device`,
      expiresIn: deviceSeconds,
      interval: intervalSeconds,
    };
  }

  /**
   * Exchanges a device code for a token, once its user has approved it.
   * @throws AppError BAD_REQUEST with a code of RFC 8628 §3.5 as message, CONFLICT at the limit of tokens per user
   */
  async exchangeDevice(em: EntityManager, actor: Actor, { deviceCode }: { deviceCode: string }) {
    const { now } = this.#parts;
    const hash = hashOf(deviceCode);
    const row = await queries(em)
      .selectFrom("device_sign_ins")
      .select(["permissions", "refused", "user_id", "session_id"])
      .where("device_code_hash", "=", hash)
      .where("expires_at", ">", now())
      .executeTakeFirst();
    if (!row) throw deviceRefused("expired_token");
    const { refused, user_id, session_id, permissions } = row;
    if (refused) throw deviceRefused("access_denied");
    if (user_id === null || session_id === null) throw await this.#polled(em, hash);
    const token = await em.transactional(async (tx) => {
      await lockAccount(tx, user_id);
      const { numDeletedRows } = await queries(tx)
        .deleteFrom("device_sign_ins")
        .where("device_code_hash", "=", hash)
        .executeTakeFirstOrThrow();
      if (numDeletedRows === 0n) return "expired_token";
      if (!(await isLive(tx, session_id))) return "access_denied";
      return await this.#tokenFor(tx, actor, { user_id, session_id, permissions }, "zonewright login --device");
    });
    if (typeof token === "string") throw deviceRefused(token);
    return token;
  }

  /** Returns the device that shows a code. @throws AppError BAD_REQUEST if none does, TOO_MANY_REQUESTS */
  async findDevice(em: EntityManager, caller: Caller, { userCode }: { userCode: string }) {
    const row = await this.#checked(caller, userCode, async (hash) => await this.#waiting(em, hash));
    return { permissions: row.permissions as Permission[], ip: row.ip, expiresAt: row.expires_at };
  }

  /**
   * Approves the device that shows a code. The session must be confirmed.
   * @throws AppError BAD_REQUEST if none does or it did not ask for one of the permissions, CONFLICT at the limit of tokens per user,
   * TOO_MANY_REQUESTS
   */
  async approveDevice(em: EntityManager, caller: Caller, given: { userCode: string; permissions: Permission[] }) {
    const { permissions } = given;
    const sessionId = sessionOf(caller);
    await this.#checked(caller, given.userCode, async (hash) => {
      return await em.transactional(async (tx) => {
        await lockOwnAccount(tx, caller);
        const row = await this.#waiting(tx, hash);
        if (!row) return null;
        const added = permissions.findIndex((one) => !row.permissions.includes(one));
        if (added !== -1)
          throw badField(["permissions", added], "The device did not ask for this permission. Leave it out.");
        await this.#parts.personalTokens.requireRoom(tx, caller);
        const decision = { user_id: caller.userId, session_id: sessionId, permissions };
        if (!(await this.#decide(tx, hash, decision))) return null;
        return await this.#recordDecision(tx, caller, "auth.approve_device", { deviceIp: row.ip, permissions });
      });
    });
  }

  /** Refuses the device that shows a code. @throws AppError BAD_REQUEST if none does, TOO_MANY_REQUESTS */
  async refuseDevice(em: EntityManager, caller: Caller, { userCode }: { userCode: string }): Promise<void> {
    await this.#checked(caller, userCode, async (hash) => {
      return await em.transactional(async (tx) => {
        const row = await this.#waiting(tx, hash);
        if (!row || !(await this.#decide(tx, hash, { refused: true }))) return null;
        return await this.#recordDecision(tx, caller, "auth.refuse_device", { deviceIp: row.ip });
      });
    });
  }

  /** Runs a check of a typed user code under the limits of guesses. @throws AppError BAD_REQUEST if it returns null */
  async #checked<T>({ userId: account, ...from }: Caller, typed: string, check: (hash: string) => Promise<T | null>) {
    const guess = { secret: "userCode", account, device: null, from } as const;
    const found = await this.#parts.guesses.check(guess, () => check(hashOf(readSymbols(typed))));
    if (found !== null) return found;
    throw badField(
      ["userCode"],
      "No device waits with this code. Check it for typing mistakes; after ten minutes, start again at the device.",
    );
  }

  /** Returns the sign-in with a user code, if nobody has decided about it. */
  async #waiting(em: EntityManager, hash: string) {
    const row = await queries(em)
      .selectFrom("device_sign_ins")
      .select(["permissions", "ip", "expires_at"])
      .where("user_code_hash", "=", hash)
      .where("expires_at", ">", this.#parts.now())
      .where("user_id", "is", null)
      .where("refused", "=", false)
      .executeTakeFirst();
    return row ?? null;
  }

  /** Stores a decision. Of several at once, one holds. @returns whether it is this one */
  async #decide(tx: EntityManager, hash: string, decision: Approved | { refused: true }): Promise<boolean> {
    const { numUpdatedRows } = await queries(tx)
      .updateTable("device_sign_ins")
      .set(decision)
      .where("user_code_hash", "=", hash)
      .where("user_id", "is", null)
      .where("refused", "=", false)
      .executeTakeFirstOrThrow();
    return numUpdatedRows > 0n;
  }

  async #recordDecision(
    tx: EntityManager,
    caller: Caller,
    action: `auth.${"approve" | "refuse"}_device`,
    after: object,
  ): Promise<true> {
    const target = { targetType: "user", targetId: caller.userId };
    await this.#parts.audit.record(tx, caller, { action, ...target, after: { ...after } });
    return true;
  }

  /** Notes that a device polled, and returns the answer: that it has to wait, or wait longer. */
  async #polled(em: EntityManager, hash: string): Promise<AppError> {
    const now = this.#parts.now();
    const { rows } = await sql<{ slow: boolean; wait: number }>`
      with before as (
        select polled_at is not null
          and polled_at > ${now}::timestamptz - make_interval(secs => interval_seconds - ${toleranceSeconds}::int) as slow
        from device_sign_ins where device_code_hash = ${hash} for update
      )
      update device_sign_ins
      set polled_at = ${now}::timestamptz,
        interval_seconds = interval_seconds + case when before.slow then ${intervalSeconds}::int else 0 end
      from before where device_code_hash = ${hash}
      returning before.slow, interval_seconds as wait
    `.execute(queries(em));
    const { slow, wait } = rows[0] ?? { slow: false, wait: intervalSeconds };
    return deviceRefused(slow ? "slow_down" : "authorization_pending", wait);
  }

  /** Creates the token, within a transaction that has locked the account. */
  async #tokenFor(tx: EntityManager, actor: Actor, { user_id: userId, permissions }: Approved, name: string) {
    const expiresAt = new Date(this.#parts.now().getTime() + tokenMilliseconds);
    const wish = { name, permissions: permissions as Permission[], expiresAt };
    const whole = { domainIds: null, hostPattern: null, recordTypes: null };
    const { token } = await this.#parts.personalTokens.createLocked(tx, { ...actor, userId }, { ...wish, ...whole });
    return { token, expiresAt };
  }
}

/** Sessions only may approve, because only they can be confirmed. */
function sessionOf({ sessionId }: Caller): string {
  if (sessionId !== null) return sessionId;
  throw new AppError("FORBIDDEN", "A personal token cannot approve another one. Sign in.");
}

function codeRefused(): AppError {
  return badField(["code"], "This code is invalid, used or expired. Run `zonewright login` again.");
}

/** What each code of RFC 8628 §3.5 asks for. */
const meanings = {
  authorization_pending: "The user has not approved the device yet.",
  slow_down: "The device asks too often.",
  expired_token: "The device code is unknown, used or expired. Start again with `POST /api/auth/device`.",
  access_denied: "The user refused the device.",
};

function deviceRefused(code: keyof typeof meanings, wait?: number): AppError {
  const next = wait === undefined ? "" : ` Ask again in ${wait} seconds.`;
  return new AppError("BAD_REQUEST", code, {
    issues: [{ path: ["deviceCode"], message: `${meanings[code]}${next}` }],
    ...(wait === undefined ? {} : { retryAfterSeconds: wait }),
  });
}
