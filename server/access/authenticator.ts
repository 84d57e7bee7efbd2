import type { HttpPort } from "../platform/http-port.ts";
import { queries, type EntityManager, type Database } from "../database/database.ts";
import { AppError } from "../platform/errors.ts";
import { SignJWT } from "jose/jwt/sign";
import { jwtVerify } from "jose/jwt/verify";
import { z } from "zod";
import type { Keyring } from "../platform/secret-cipher.ts";
import { hasPermission, type Caller, narrowingOf } from "./caller.ts";
import type { Permission } from "./permissions.ts";
import { hashOf } from "../platform/ids.ts";
import { randomInt } from "node:crypto";
import { crc32 } from "node:zlib";
import type { Background } from "../platform/background.ts";

/** The longest header that is decoded: a name, a colon and a token. */
const longestHeader = 1_024;

/** A caller and the lifetime of their credential, for streams that outlive a call. */
export interface Identified {
  caller: CallerIdentity;
  /** The key passed to `ended`. */
  credential: string;
  /** Null: never expires. */
  endsAt: Date | null;
  /** When they were identified. */
  at: Date;
}

/** Receives credentials and users that are revoked or changed in this process, immediately. */
export interface EndListener {
  ended(credential: string): void;
  /** Called when a user was disabled or deleted, or their role or name changed. */
  changed(userId: string): void;
}

/**
 * Authenticates callers by access tokens, which have all of the user's permissions, and personal tokens, which have some of them.
 * Revocations take effect immediately in this process and within a second in others.
 */
export class Authenticator {
  readonly #accessTokens: AccessTokens;
  readonly #personalTokens: PersonalTokenCredentials;
  readonly #callers: CallerCache;
  readonly #now: () => Date;
  readonly #listeners: EndListener[] = [];

  constructor(accessTokens: AccessTokens, personalTokens: PersonalTokenCredentials, now: () => Date) {
    this.#accessTokens = accessTokens;
    this.#personalTokens = personalTokens;
    this.#callers = new CallerCache(now);
    this.#now = now;
  }

  /** Authenticates the caller of a request. @throws AppError UNAUTHORIZED without a valid credential */
  async authenticate(em: EntityManager, http: HttpPort): Promise<Identified> {
    const token = bearerOf(http);
    if (token === null) {
      throw http.header("authorization") === undefined
        ? new AppError("UNAUTHORIZED", "Sign in, and send the access token as `Authorization: Bearer …`.")
        : new AppError("UNAUTHORIZED", "The Authorization header must have the form `Bearer <token>`.");
    }
    return await this.identify(em, token);
  }

  /**
   * Authenticates a program by a narrowed personal token, as bearer token or as the password of Basic authentication.
   * @throws AppError UNAUTHORIZED without a valid one, FORBIDDEN for other credentials
   */
  async authenticateNarrowed(em: EntityManager, http: HttpPort): Promise<Identified> {
    const password = basicPassword(http.header("authorization"));
    const identified = password === null ? await this.authenticate(em, http) : await this.identify(em, password);
    if (identified.caller.narrowing !== null) return identified;
    throw new AppError(
      "FORBIDDEN",
      "This call takes only personal tokens that are narrowed. Create one with `domainIds`, `hostPattern` or `recordTypes`.",
    );
  }

  /** Authenticates the caller of a token. @throws AppError UNAUTHORIZED if it is invalid */
  async identify(em: EntityManager, token: string): Promise<Identified> {
    return looksPersonal(token) ? await this.#byPersonalToken(em, token) : await this.#byAccessToken(em, token);
  }

  onEnd(listener: EndListener): void {
    this.#listeners.push(listener);
  }

  /** Rejects a session from now on. */
  end(sessionId: string): void {
    this.#end(sessionKey(sessionId));
  }

  /** Rejects a personal token from now on. */
  endToken(tokenHash: string): void {
    this.#end(tokenKey(tokenHash));
  }

  /** Drops cached data about a user. Call after committing that they were disabled or deleted, or that their role or name changed. */
  forget(userId: string): void {
    this.#callers.forget(userId);
    for (const listener of this.#listeners) listener.changed(userId);
  }

  #end(credential: string): void {
    this.#callers.end(credential);
    for (const listener of this.#listeners) listener.ended(credential);
  }

  async #byPersonalToken(em: EntityManager, token: string): Promise<Identified> {
    const hash = this.#personalTokens.keyOf(token);
    const credential = tokenKey(hash ?? "");
    const found =
      hash === null ? null : await this.#callers.find(credential, () => this.#personalTokens.read(em, hash));
    if (found) return { ...found, credential, at: this.#now() };
    throw new AppError(
      "UNAUTHORIZED",
      "The personal token is invalid: it is mistyped, expired or deleted, or its owner is disabled. Use a valid token.",
    );
  }

  async #byAccessToken(em: EntityManager, token: string): Promise<Identified> {
    const claims = await this.#accessTokens.check(token);
    if (claims) {
      const credential = sessionKey(claims.sessionId);
      const found = await this.#callers.find(credential, () => this.#readSession(em, claims.sessionId));
      if (found?.caller.userId === claims.userId)
        return { caller: found.caller, credential, endsAt: new Date(claims.expiresAt * 1000), at: this.#now() };
    }
    throw new AppError(
      "UNAUTHORIZED",
      "The access token is invalid or has expired. Refresh the session, or sign in again.",
    );
  }

  async #readSession(em: EntityManager, sessionId: string): Promise<CachedCaller | null> {
    const row = await liveSessions(em, this.#now())
      .select(["users.id", "users.username", "users.role", "sessions.expires_at"])
      .where("sessions.id", "=", sessionId)
      .executeTakeFirst();
    if (!row) return null;
    const { id: userId, username, role, expires_at: endsAt } = row;
    return {
      caller: { userId, username, role, sessionId, tokenId: null, permissions: "all", narrowing: null },
      endsAt,
    };
  }
}

function sessionKey(sessionId: string): string {
  return `session ${sessionId}`;
}

function tokenKey(tokenHash: string): string {
  return `token ${tokenHash}`;
}

/** Returns the bearer token of the Authorization header (RFC 6750 §2.1), or null. */
export function bearerOf(http: HttpPort): string | null {
  const [, token] = /^Bearer +(\S+)$/i.exec(http.header("authorization") ?? "") ?? [];
  return token ?? null;
}

/** Returns the password of Basic authentication (RFC 7617); null if the header has another form. */
function basicPassword(authorization: string | undefined): string | null {
  if (authorization === undefined || authorization.length > longestHeader) return null;
  const [, encoded] = /^Basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization) ?? [];
  if (encoded === undefined) return null;
  const text = Buffer.from(encoded, "base64").toString("utf8");
  const colon = text.indexOf(":");
  return colon < 0 ? null : text.slice(colon + 1);
}

const issuer = "zonewright";
/** Distinguishes access tokens from other JWTs signed with the same secret. */
const audience = "access";
const accessTokenSeconds = 15 * 60;
const maxCachedTokens = 20_000;

const claimsSchema = z.object({ sub: z.uuid(), sid: z.uuid(), exp: z.number() });

interface AccessClaims {
  userId: string;
  sessionId: string;
  /** Seconds since 1970. */
  expiresAt: number;
}

/** Issues and verifies access tokens: HS256 JWTs, valid for 15 minutes, that identify user and session but contain no permissions. */
export class AccessTokens {
  readonly #keys: readonly [Uint8Array, ...Uint8Array[]];
  readonly #now: () => Date;
  /** Verified tokens and their claims. A token is as unguessable as its signature, so it can be the key. */
  readonly #checked = new Map<string, AccessClaims>();

  constructor(keyring: Keyring, now: () => Date) {
    this.#keys = keyring.keysFor("access-token");
    this.#now = now;
  }

  async issue(userId: string, sessionId: string): Promise<string> {
    const issuedAt = Math.floor(this.#now().getTime() / 1000);
    return await new SignJWT({ sid: sessionId })
      .setProtectedHeader({ alg: "HS256", typ: "at+jwt" })
      .setIssuer(issuer)
      .setAudience(audience)
      .setSubject(userId)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + accessTokenSeconds)
      .sign(this.#keys[0]);
  }

  /** Returns the claims of a valid, unexpired token, otherwise null. */
  async check(token: string): Promise<AccessClaims | null> {
    const claims = this.#checked.get(token) ?? (await this.#verify(token));
    if (!claims || claims.expiresAt * 1000 <= this.#now().getTime()) {
      this.#checked.delete(token);
      return null;
    }
    return claims;
  }

  async #verify(token: string): Promise<AccessClaims | null> {
    for (const key of this.#keys) {
      try {
        const { payload } = await jwtVerify(token, key, {
          issuer,
          audience,
          algorithms: ["HS256"],
          typ: "at+jwt",
          currentDate: this.#now(),
        });
        const { sub, sid, exp } = claimsSchema.parse(payload);
        const claims = { userId: sub, sessionId: sid, expiresAt: exp };
        if (this.#checked.size >= maxCachedTokens) this.#checked.clear();
        this.#checked.set(token, claims);
        return claims;
      } catch {
        continue;
      }
    }
    return null;
  }
}

/** How long a cached credential is valid before it is read again. Revocations in this process take effect immediately. */
const cacheMilliseconds = 1_000;
const maxEntries = 20_000;

/** A caller without the details of the call. */
type CallerIdentity = Omit<Caller, "ip" | "requestId" | "at">;

/** The caller and expiration of a credential, as read from the database. */
interface CachedCaller {
  caller: CallerIdentity;
  /** Null: never expires. */
  endsAt: Date | null;
}

/**
 * Caches callers by credential for one second, so that an active one costs at most one query per second instead of one per request.
 * See docs/decisions/0017-revocation.md.
 */
class CallerCache {
  readonly #now: () => Date;
  readonly #known = new Map<string, CachedCaller & { readAt: number }>();
  /** Credentials revoked in this process, which a lookup in flight must not restore. */
  readonly #ended = new Set<string>();
  /** Number of user changes in this process. */
  #changes = 0;

  constructor(now: () => Date) {
    this.#now = now;
  }

  /**
   * Returns the caller of a credential, or null if it is revoked or expired.
   * @param key of the credential, unique across kinds
   */
  async find(key: string, read: () => Promise<CachedCaller | null>): Promise<CachedCaller | null> {
    const known = this.#known.get(key);
    const isFresh = known && performance.now() - known.readAt < cacheMilliseconds;
    const found = isFresh ? known : await this.#read(key, read);
    return found && (found.endsAt === null || found.endsAt > this.#now()) ? found : null;
  }

  /** Rejects a credential from now on. */
  end(key: string): void {
    this.#known.delete(key);
    if (this.#ended.size >= maxEntries) this.#ended.clear();
    this.#ended.add(key);
  }

  /** Drops a user's cached credentials after the user changed in the database. */
  forget(userId: string): void {
    this.#changes += 1;
    for (const [key, { caller }] of this.#known) if (caller.userId === userId) this.#known.delete(key);
  }

  async #read(key: string, read: () => Promise<CachedCaller | null>): Promise<CachedCaller | null> {
    const changes = this.#changes;
    const readAt = performance.now();
    const found = await read();
    // A result read before a change may be outdated.
    if (changes !== this.#changes) return await this.#read(key, read);
    this.#known.delete(key);
    if (!found || this.#ended.has(key)) return null;
    if (this.#known.size >= maxEntries) this.#known.clear();
    this.#known.set(key, { ...found, readAt });
    return found;
  }
}

/** Looks up the owner and permissions of personal tokens. */
export class PersonalTokenCredentials {
  readonly #prefix: string;
  readonly #lastUse: LastUse;

  constructor(prefix: string, lastUse: LastUse) {
    this.#prefix = prefix;
    this.#lastUse = lastUse;
  }

  /** Returns the key under which a token is stored and cached, or null if it is malformed. */
  keyOf(token: string): string | null {
    return isWellFormed(token, this.#prefix) ? hashOf(token) : null;
  }

  /** Returns the caller, or null if the token is unknown or deleted, or its owner is disabled. */
  async read(em: EntityManager, tokenHash: string): Promise<CachedCaller | null> {
    const row = await queries(em)
      .selectFrom("personal_tokens as token")
      .innerJoin("users", "users.id", "token.user_id")
      .select(["token.id", "token.permissions", "token.expires_at", "token.last_used_at"])
      .select(["token.domain_ids", "token.host_pattern", "token.record_types"])
      .select(["users.id as user_id", "users.username", "users.role"])
      .where("token.token_hash", "=", tokenHash)
      .where("users.disabled_at", "is", null)
      .executeTakeFirst();
    if (!row) return null;
    const endsAt = row.expires_at ?? null;
    this.#lastUse.note({ id: row.id, endsAt, lastUsedAt: row.last_used_at ?? null });
    const caller = {
      userId: row.user_id,
      username: row.username,
      role: row.role,
      sessionId: null,
      tokenId: row.id,
      permissions: new Set(row.permissions as Permission[]),
      narrowing: narrowingOf(row),
    };
    return { caller, endsAt };
  }
}

/** Selects active sessions with their users: not revoked, not expired, of users who are not disabled. */
export function liveSessions(em: EntityManager, now: Date) {
  return queries(em)
    .selectFrom("sessions")
    .innerJoin("users", "users.id", "sessions.user_id")
    .where("sessions.revoked_at", "is", null)
    .where("sessions.expires_at", ">", now)
    .where("users.disabled_at", "is", null);
}

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** 178 bits. */
const randomLength = 30;
/** Digits of the largest CRC-32 in base 62. */
const checksumLength = 6;
const form = new RegExp(`^([a-z][a-z0-9]{0,15})_pt_[0-9A-Za-z]{${randomLength + checksumLength}}$`);

/**
 * Returns a new token, `<prefix>_pt_<random><checksum>`. The prefix lets secret scanners recognize it; the checksum detects mistyped tokens
 * without a database query.
 */
export function newToken(prefix: string): string {
  const random = Array.from({ length: randomLength }, () => base62.charAt(randomInt(base62.length))).join("");
  const body = `${prefix}_pt_${random}`;
  return body + checksum(body);
}

/** Returns whether a token has this prefix and a valid checksum. */
export function isWellFormed(token: string, prefix: string): boolean {
  if (form.exec(token)?.[1] !== prefix) return false;
  const body = token.slice(0, -checksumLength);
  return token === body + checksum(body);
}

/** Returns whether a token looks like a personal token of any prefix. A JWT contains dots. */
export function looksPersonal(token: string): boolean {
  return /^[^.]*_pt_/.test(token);
}

/** Returns the CRC-32 in base 62, padded to six digits. */
function checksum(text: string): string {
  let rest = crc32(text);
  let digits = "";
  while (digits.length < checksumLength) {
    digits = base62.charAt(rest % base62.length) + digits;
    rest = Math.floor(rest / base62.length);
  }
  return digits;
}

/** Returns the caller if they have the permission. @throws AppError FORBIDDEN for a personal token without it */
export function permitted<C extends Pick<Caller, "permissions">>(caller: C, permission: Permission): C {
  if (hasPermission(caller, permission)) return caller;
  throw new AppError("FORBIDDEN", `This token lacks the permission ${permission}. Use a token that has it.`);
}

/** Maximum delay of a token's `lastUsedAt`. */
const delayMilliseconds = 5 * 60_000;

interface UsedToken {
  id: string;
  endsAt: Date | null;
  lastUsedAt: Date | null;
}

/** Records when tokens were last used, in the background of the requests that use them. */
export class LastUse {
  readonly #database: Database;
  readonly #background: Background;
  readonly #now: () => Date;
  readonly #writing = new Set<string>();

  constructor(database: Database, background: Background, now: () => Date) {
    this.#database = database;
    this.#background = background;
    this.#now = now;
  }

  /** Records a use, unless one in the last five minutes is recorded already. */
  note({ id, endsAt, lastUsedAt }: UsedToken): void {
    const now = this.#now();
    const recent = lastUsedAt !== null && now.getTime() - lastUsedAt.getTime() < delayMilliseconds;
    if (recent || this.#writing.has(id) || (endsAt !== null && endsAt <= now)) return;
    this.#writing.add(id);
    this.#background.run("recording the use of a personal token", () =>
      this.#write(id, now).finally(() => this.#writing.delete(id)),
    );
  }

  async #write(id: string, now: Date): Promise<void> {
    const before = new Date(now.getTime() - delayMilliseconds);
    await queries(this.#database.fork())
      .updateTable("personal_tokens")
      .set({ last_used_at: now })
      .where("id", "=", id)
      .where((eb) => eb.or([eb("last_used_at", "is", null), eb("last_used_at", "<=", before)]))
      .execute();
  }
}
