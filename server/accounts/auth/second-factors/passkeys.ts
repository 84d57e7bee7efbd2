import { randomBytes } from "node:crypto";
import { queries, type EntityManager } from "../../../database/database.ts";
import { AppError, badField } from "../../../platform/errors.ts";
import { newId } from "../../../platform/ids.ts";
import {
  challengeIn,
  userHandleOf,
  type PasskeyAnswer,
  type PasskeyRegistration,
  type RelyingParty,
} from "./relying-party.ts";

const passkeysPerUser = 20;
const challengeMilliseconds = 5 * 60_000;

/** A passkey as its owner sees it. */
export interface PasskeyView {
  id: string;
  name: string;
  createdAt: Date;
  lastUsedAt: Date | null;
}

/** The owner of the passkey that signed, and the account's epoch at that moment. */
export interface PasskeyOwner {
  userId: string;
  accessEpoch: number;
}

/** Manages passkeys (WebAuthn). All of them require user verification and are discoverable, so each can also sign in without a password. */
export class Passkeys {
  readonly #challenges: PasskeyChallenges;
  readonly #party: RelyingParty;
  readonly #now: () => Date;

  constructor(challenges: PasskeyChallenges, party: RelyingParty, now: () => Date) {
    this.#challenges = challenges;
    this.#party = party;
    this.#now = now;
  }

  async list(em: EntityManager, userId: string): Promise<PasskeyView[]> {
    return await queries(em)
      .selectFrom("passkeys")
      .select(["id", "name", "created_at as createdAt", "last_used_at as lastUsedAt"])
      .where("user_id", "=", userId)
      .orderBy("id")
      .execute();
  }

  async creationOptions(em: EntityManager, user: { id: string; username: string; displayName?: string | null }) {
    const { id, username, displayName } = user;
    const existing = await this.#credentials(em, id);
    requireRoom(existing.length);
    const challenge = await this.#challenges.make(em, { purpose: "register", userId: id });
    const named = { id, username, displayName: displayName ?? username };
    return this.#party.creationOptions(named, existing, challenge, this.#challenges.milliseconds);
  }

  /** Returns the options for a second factor, a confirmation, or a sign-in with any passkey of this site. */
  async requestOptions(em: EntityManager, use: Exclude<ChallengeUse, { purpose: "register" }>) {
    const allowed = use.purpose === "sign_in" ? null : await this.#credentials(em, use.userId);
    const challenge = await this.#challenges.make(em, use);
    return this.#party.requestOptions(allowed, challenge, this.#challenges.milliseconds);
  }

  /**
   * Adds a passkey. Call `takeRegistration` first, outside the transaction. Within the transaction the account must be locked, so that
   * parallel calls cannot exceed the number of passkeys per user.
   * @throws AppError BAD_REQUEST if the passkey does not match the challenge, CONFLICT if it is already registered
   */
  async add(
    em: EntityManager,
    userId: string,
    { name, credential, challenge }: { name: string; credential: PasskeyRegistration; challenge: string },
  ): Promise<PasskeyView> {
    const made = await this.#party.checkRegistration(credential, challenge);
    if (!made) throw badCredential();
    requireRoom((await this.#credentials(em, userId)).length);
    const passkey: PasskeyView = { id: newId(), name, createdAt: this.#now(), lastUsedAt: null };
    const { numInsertedOrUpdatedRows } = await queries(em)
      .insertInto("passkeys")
      .values({
        id: passkey.id,
        user_id: userId,
        name,
        credential_id: made.credentialId,
        public_key: made.publicKey,
        counter: String(made.counter),
        transports: made.transports,
        created_at: passkey.createdAt,
        last_used_at: null,
      })
      .onConflict((conflict) => conflict.column("credential_id").doNothing())
      .executeTakeFirstOrThrow();
    if (numInsertedOrUpdatedRows === 0n) throw new AppError("CONFLICT", "This passkey is already registered.");
    return passkey;
  }

  /** Consumes the challenge of a registration, whether or not the passkey is valid. @throws AppError BAD_REQUEST */
  async takeRegistration(em: EntityManager, userId: string, credential: PasskeyRegistration): Promise<string> {
    const challenge = await challengeIn(credential.response.clientDataJSON);
    if (challenge === null) throw badCredential();
    if (await this.#challenges.take(em, challenge, { purpose: "register", userId })) return challenge;
    throw badField(["credential"], "This registration has expired. Start again.");
  }

  async remove(em: EntityManager, userId: string, id: string): Promise<{ name: string } | null> {
    const removed = await queries(em)
      .deleteFrom("passkeys")
      .where("user_id", "=", userId)
      .where("id", "=", id)
      .returning("name")
      .executeTakeFirst();
    return removed ?? null;
  }

  /**
   * Checks an authenticator's response. Consumes the challenge in either case, and advances the counter if the response is valid.
   * @returns the passkey's owner; null if verification fails
   */
  async check(
    em: EntityManager,
    answer: PasskeyAnswer,
    use: Exclude<ChallengeUse, { purpose: "register" }>,
  ): Promise<PasskeyOwner | null> {
    const challenge = await challengeIn(answer.response.clientDataJSON);
    if (challenge === null || !(await this.#challenges.take(em, challenge, use))) return null;
    const passkey = await queries(em)
      .selectFrom("passkeys")
      .innerJoin("users", "users.id", "passkeys.user_id")
      .select(["passkeys.id", "user_id", "credential_id", "public_key", "counter", "access_epoch"])
      .where("credential_id", "=", answer.id)
      .executeTakeFirst();
    if (!passkey || !isOwner(passkey.user_id, answer, use)) return null;
    const counter = await this.#party.checkAnswer(answer, challenge, {
      credentialId: passkey.credential_id,
      publicKey: passkey.public_key,
      counter: Number(passkey.counter),
    });
    if (counter === null) return null;
    // Fails if another call has moved the counter since it was read.
    const { numUpdatedRows } = await queries(em)
      .updateTable("passkeys")
      .set({ counter: String(counter), last_used_at: this.#now() })
      .where("id", "=", passkey.id)
      .where("counter", "=", passkey.counter)
      .executeTakeFirstOrThrow();
    return numUpdatedRows > 0n ? { userId: passkey.user_id, accessEpoch: passkey.access_epoch } : null;
  }

  /** Returns the owner of the passkey that a response names, whether or not the response is valid. */
  async named(em: EntityManager, { id }: PasskeyAnswer): Promise<string | null> {
    const passkey = await queries(em)
      .selectFrom("passkeys")
      .select("user_id")
      .where("credential_id", "=", id)
      .executeTakeFirst();
    return passkey?.user_id ?? null;
  }

  async #credentials(em: EntityManager, userId: string) {
    return await queries(em)
      .selectFrom("passkeys")
      .select(["credential_id as credentialId", "transports"])
      .where("user_id", "=", userId)
      .orderBy("id")
      .execute();
  }
}

/** The purpose of a challenge. Its response is valid only for that purpose. */
type ChallengeUse =
  | { purpose: "register"; userId: string }
  | { purpose: "second_factor"; userId: string; signInChallengeId: string }
  | { purpose: "confirm"; userId: string; sessionId: string }
  | { purpose: "sign_in" };

/** Issues and consumes the challenges that authenticators sign (WebAuthn §13.4.3): random, stored here, consumed by the first response. */
export class PasskeyChallenges {
  readonly #now: () => Date;

  constructor(now: () => Date) {
    this.#now = now;
  }

  /** How long a challenge stays valid. */
  get milliseconds(): number {
    return challengeMilliseconds;
  }

  /** @returns base64url */
  async make(em: EntityManager, use: ChallengeUse): Promise<string> {
    const challenge = randomBytes(32).toString("base64url");
    const now = this.#now();
    // Anyone may request a challenge, so expired ones must not pile up until the next housekeeping.
    await queries(em).deleteFrom("passkey_challenges").where("expires_at", "<=", now).execute();
    await queries(em)
      .insertInto("passkey_challenges")
      .values({
        challenge,
        purpose: use.purpose,
        user_id: use.purpose === "sign_in" ? null : use.userId,
        sign_in_challenge_id: use.purpose === "second_factor" ? use.signInChallengeId : null,
        session_id: use.purpose === "confirm" ? use.sessionId : null,
        expires_at: new Date(now.getTime() + challengeMilliseconds),
      })
      .execute();
    return challenge;
  }

  /** Consumes a challenge. Returns false if it was already used, has expired, or has another purpose. */
  async take(em: EntityManager, challenge: string, use: ChallengeUse): Promise<boolean> {
    let taking = queries(em)
      .deleteFrom("passkey_challenges")
      .where("challenge", "=", challenge)
      .where("purpose", "=", use.purpose)
      .where("expires_at", ">", this.#now());
    if (use.purpose !== "sign_in") taking = taking.where("user_id", "=", use.userId);
    if (use.purpose === "second_factor") taking = taking.where("sign_in_challenge_id", "=", use.signInChallengeId);
    if (use.purpose === "confirm") taking = taking.where("session_id", "=", use.sessionId);
    const { numDeletedRows } = await taking.executeTakeFirstOrThrow();
    return numDeletedRows > 0n;
  }
}

/** Returns whether a response belongs to this owner. A passwordless sign-in must name the user (WebAuthn §7.2, step 6); others may omit it. */
function isOwner(
  userId: string,
  { response: { userHandle } }: PasskeyAnswer,
  use: Exclude<ChallengeUse, { purpose: "register" }>,
): boolean {
  const named = typeof userHandle === "string" && userHandle === userHandleOf(userId);
  if (use.purpose === "sign_in") return named;
  return userId === use.userId && (named || typeof userHandle !== "string");
}

function requireRoom(count: number): void {
  if (count >= passkeysPerUser)
    throw new AppError(
      "CONFLICT",
      `You have ${passkeysPerUser} passkeys, which is the limit. Remove one before you add another.`,
    );
}

function badCredential(): AppError {
  return badField(["credential"], "This is not a valid passkey for this site. Start again.");
}
