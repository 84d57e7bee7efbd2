import { isDeepStrictEqual } from "node:util";
import { type Caller, ZoneScope } from "./caller.ts";
import type { Permission } from "./permissions.ts";
import { queries, type Database, type EntityManager } from "../database/database.ts";
import { ensureSealed } from "../database/ensure-sealed.ts";
import { statement, type Sent } from "../database/statements.ts";
import type { Role } from "../database/tables/users.ts";
import type { TsigKeyAccess } from "../database/tables/credentials.ts";
import type { TsigAlgorithm, TsigKey } from "../dns/wire/tsig.ts";
import type { Logger } from "../platform/log.ts";
import { randomBytes } from "node:crypto";
import type { SecretCipher } from "../platform/secret-cipher.ts";
import type { Background } from "../platform/background.ts";

/** Milliseconds for which names are held, and between attempts to read them. */
const heldMilliseconds = 60_000;
const retryMilliseconds = 1_000;
/** Names held in memory. An installation with more keys holds the newest. */
const mostHeld = 100_000;

interface TsigKeyNamesParts {
  database: Database;
  /** Milliseconds, as `performance.now` counts. */
  clock?: () => number;
}

/**
 * Holds the names of existing TSIG keys, so that a flood of made-up names costs no queries and locks out no key. Keys of other instances are
 * found within a minute.
 */
export class TsigKeyNames {
  readonly #database: Database;
  readonly #clock: () => number;
  #names: ReadonlySet<string> = new Set();
  /** Names that were added since the last reading began. */
  #added = new Set<string>();
  #due = -Infinity;
  #reading: Promise<void> | null = null;

  constructor({ database, clock = () => performance.now() }: TsigKeyNamesParts) {
    this.#database = database;
    this.#clock = clock;
  }

  /** Returns whether a key is known to exist. Without the database, whether it was known before. */
  async has(keyName: string): Promise<boolean> {
    if (this.#holds(keyName)) return true;
    if (this.#reading === null && this.#clock() >= this.#due)
      this.#reading = this.#read().finally(() => (this.#reading = null));
    await this.#reading;
    return this.#holds(keyName);
  }

  /** Adds a key that was created or found. */
  add(keyName: string): void {
    if (this.#added.size < mostHeld) this.#added.add(keyName);
  }

  #holds(keyName: string): boolean {
    return this.#names.has(keyName) || this.#added.has(keyName);
  }

  async #read(): Promise<void> {
    const before = this.#added;
    this.#added = new Set();
    try {
      const rows = await queries(this.#database.fork())
        .selectFrom("tsig_keys")
        .select("key_name")
        .orderBy("id", "desc")
        .limit(mostHeld)
        .execute();
      this.#names = new Set(rows.map((row) => row.key_name));
      this.#due = this.#clock() + heldMilliseconds;
    } catch {
      // Whoever asks falls back on looking the key up, which says why it fails.
      this.#added = new Set([...before, ...this.#added]);
      this.#due = this.#clock() + retryMilliseconds;
    }
  }
}

/** Maximum delay of a key's `lastUsedAt`. */
const delayMilliseconds = 60_000;
const longestError = 500;
/** Keys whose last use is held in memory. */
const maxEntries = 10_000;

/** A message signed with a key. */
interface Use {
  at: Date;
  /** Null: it does not count as a use. */
  from: string | null;
  /** Why the message was refused; null: it was not. */
  error: string | null;
}

/** Records in the background when and from where TSIG keys were last used, and why messages were refused. */
export class TsigKeyUse {
  readonly #database: Database;
  readonly #background: Background;
  readonly #now: () => Date;
  /** The last use recorded of each key. */
  readonly #recorded = new Map<string, Use>();
  readonly #waiting = new Map<string, Use>();

  constructor(database: Database, background: Background, now: () => Date) {
    this.#database = database;
    this.#background = background;
    this.#now = now;
  }

  /** Records a use, or only why a message was refused. One like the last, within a minute, is left out; of several that wait, the last is written. */
  note(id: string, from: string | null, error: string | null): void {
    const use = { at: this.#now(), from, error: error === null ? null : oneLine(error) };
    if (isLike(use, this.#recorded.get(id))) return;
    if (this.#recorded.size >= maxEntries) this.#recorded.clear();
    this.#recorded.set(id, use);
    const isWaiting = this.#waiting.has(id);
    // A refusal that nobody has read yet outlasts the successes right after it.
    const waits = this.#waiting.get(id);
    this.#waiting.set(id, { ...use, from: from ?? waits?.from ?? null, error: use.error ?? waits?.error ?? null });
    if (!isWaiting) this.#background.run("recording the use of a TSIG key", () => this.#write(id));
  }

  async #write(id: string): Promise<void> {
    const use = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (!use) return;
    const { at, from, error } = use;
    await queries(this.#database.fork())
      .updateTable("tsig_keys")
      .set({
        ...(from === null ? {} : { last_used_at: at, last_used_from: from }),
        ...(error === null ? {} : { last_error: error, last_error_at: at }),
      })
      .where("id", "=", id)
      .execute();
  }
}

function isLike(use: Use, last: Use | undefined): boolean {
  return (
    last !== undefined &&
    last.from === use.from &&
    last.error === use.error &&
    use.at.getTime() - last.at.getTime() < delayMilliseconds
  );
}

/** Makes text about a client's message safe to store and display: a line without control and invisible characters. */
function oneLine(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim()
    .slice(0, longestError)
    .toWellFormed();
}

const base32 = "abcdefghijklmnopqrstuvwxyz234567";
/** 65 bits. */
const randomLength = 13;

/** A secret has as many octets as the hash's result (RFC 8945 §8). */
const secretOctets: Readonly<Record<TsigAlgorithm, number>> = {
  "hmac-sha1": 20,
  "hmac-sha256": 32,
  "hmac-sha384": 48,
  "hmac-sha512": 64,
};

/** Returns a new key name. It is random, because anyone may ask a DNS server about names. */
export function newKeyName(): string {
  return `zw-${Array.from(randomBytes(randomLength), (octet) => base32.charAt(octet & 31)).join("")}`;
}

/** Returns whether a canonical name could be one of {@link newKeyName}. */
export function isKeyName(name: string): boolean {
  return /^zw-[a-z2-7]{13}$/.test(name);
}

/** Returns a new secret. */
export function newSecret(algorithm: TsigAlgorithm): Buffer {
  return randomBytes(secretOctets[algorithm]);
}

/** Encrypts the secrets of TSIG keys, each bound to its row. */
export class TsigSecrets {
  readonly #cipher: SecretCipher;

  constructor(cipher: SecretCipher) {
    this.#cipher = cipher;
  }

  seal(id: string, secret: Buffer): string {
    return this.#cipher.seal(secret.toString("base64"), aadOf(id));
  }

  /** Returns null if no key of SECRET_KEYS decrypts it. */
  open(id: string, sealed: string): Buffer | null {
    const opened = this.#cipher.open(sealed, aadOf(id));
    return opened.ok ? Buffer.from(opened.text, "base64") : null;
  }

  /** Returns the secret encrypted with the newest of SECRET_KEYS, or null if none decrypts it. */
  resealed(id: string, sealed: string): string | null {
    return this.#cipher.resealed(sealed, aadOf(id));
  }
}

function aadOf(id: string): string[] {
  return ["tsig_keys", id];
}

/** Keys whose secrets are held in memory, and for how many milliseconds at most. */
const mostRemembered = 1_000;
const rememberedMilliseconds = 300_000;

/** A TSIG key that may sign messages now. */
export interface KnownKey {
  id: string;
  /** What was looked up. */
  stored: object;
  tsig: TsigKey;
  domainId: string;
  /** Canonical name of the domain. */
  zone: string;
  access: TsigKeyAccess;
  /** Null: never expires. */
  endsAt: Date | null;
  /** Returns the owner as a caller who is limited to the key's records. @param address the client's, for the audit trail */
  callerAt(address: string): Caller;
}

/** The permissions of each kind of access. */
const permissionsOf: Readonly<Record<TsigKeyAccess, ReadonlySet<Permission>>> = {
  update: new Set<Permission>(["records:write"]),
  read: new Set<Permission>(["records:read"]),
  both: new Set<Permission>(["records:read", "records:write"]),
};

/** Without numbers, so that many such messages are one reason, which is written once a minute. */
const lateReasons = {
  before: "The client's clock is behind (BADTIME). Correct it. If it is right, an old message was replayed.",
  after: "The client's clock is ahead of this service's (BADTIME). Correct one of them.",
};

interface Parts {
  database: Database;
  names: TsigKeyNames;
  secrets: TsigSecrets;
  use: TsigKeyUse;
  now: () => Date;
}

/** A key that may be used now, its owner and its domain. */
interface KeyRow {
  id: string;
  key_name: string;
  algorithm: TsigAlgorithm;
  secret: string;
  domain_id: string;
  access: TsigKeyAccess;
  expires_at: Date | null;
  host_pattern: string;
  record_types: string[];
  zone: string;
  user_id: string;
  username: string;
  role: Role;
}

function lookup(keyName: string, now: Date) {
  return statement<KeyRow>`
    select k.id, k.key_name, k.algorithm, k.secret, k.domain_id, k.access, k.expires_at, k.host_pattern, k.record_types,
      domains.name as zone, users.id as user_id, users.username, users.role
    from tsig_keys k join users on users.id = k.user_id join domains on domains.id = k.domain_id
    where k.key_name = ${keyName} and users.disabled_at is null and (k.expires_at is null or k.expires_at > ${now})`;
}

/**
 * Looks up TSIG keys and the rights they give. A revocation takes effect at the next message: what a remembered key signed counts only if
 * another lookup finds the same.
 */
export class TsigKeyCredentials {
  readonly #parts: Parts;
  /** By name, the least recently used first. */
  readonly #remembered = new Map<string, { key: KnownKey; until: number }>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The names of existing keys. */
  get names(): Pick<TsigKeyNames, "has"> {
    return this.#parts.names;
  }

  /**
   * Returns the key of a name, or null if it is unknown or expired, its owner is disabled, or no key of SECRET_KEYS decrypts its secret.
   * @param keyName canonical, without the trailing dot
   */
  async named(keyName: string): Promise<KnownKey | null> {
    if (!isKeyName(keyName)) return null;
    const key = this.#opened(await this.#find(keyName));
    this.#remembered.delete(keyName);
    if (key === null) return null;
    this.#parts.names.add(keyName);
    const [oldest] = this.#remembered.keys();
    if (oldest !== undefined && this.#remembered.size >= mostRemembered) this.#remembered.delete(oldest);
    this.#remembered.set(keyName, { key, until: performance.now() + rememberedMilliseconds });
    return key;
  }

  /** Returns the key of a name as it was last looked up. What it signs must wait for `lookup` or `isSame`. */
  remembered(keyName: string): KnownKey | null {
    const entry = this.#remembered.get(keyName);
    if (!entry) return null;
    this.#remembered.delete(keyName);
    if (entry.until <= performance.now()) return null;
    this.#remembered.set(keyName, entry);
    return entry.key;
  }

  /** Returns what looks up a key again, to be sent in a transaction. @param found takes whether it still is the same */
  lookup(key: KnownKey, found: (isSame: boolean) => void): Sent {
    return {
      statement: () => lookup(key.tsig.name, this.#parts.now()),
      answered: ({ rows }) => found(isDeepStrictEqual(rows[0], key.stored)),
    };
  }

  /** Looks up a key again. @returns whether it still is the same */
  async isSame(key: KnownKey): Promise<boolean> {
    return isDeepStrictEqual(await this.#find(key.tsig.name), key.stored);
  }

  async #find(keyName: string): Promise<KeyRow | undefined> {
    const { database, now } = this.#parts;
    const { rows } = await queries(database.fork()).executeQuery(lookup(keyName, now()));
    return rows[0];
  }

  #opened(row: KeyRow | undefined): KnownKey | null {
    if (!row) return null;
    const secret = this.#parts.secrets.open(row.id, row.secret);
    if (secret === null) return null;
    return {
      id: row.id,
      stored: row,
      tsig: { name: row.key_name, algorithm: row.algorithm, secret },
      domainId: row.domain_id,
      zone: row.zone,
      access: row.access,
      endsAt: row.expires_at ?? null,
      callerAt: (address) => ({
        userId: row.user_id,
        username: row.username,
        role: row.role,
        sessionId: null,
        tokenId: null,
        tsigKey: row.key_name,
        permissions: permissionsOf[row.access],
        narrowing: {
          credential: "key",
          domainIds: [row.domain_id],
          scope: new ZoneScope([{ pattern: row.host_pattern, recordTypes: row.record_types }]),
        },
        ip: address,
        requestId: null,
        at: this.#parts.now(),
      }),
    };
  }

  /**
   * Records in the background that a validly signed message came from an address.
   * @param error why it was refused, for the key's owner; null if it was not
   */
  noteUse({ id }: Pick<KnownKey, "id">, address: string, error: string | null): void {
    this.#parts.use.note(id, address, error);
  }

  /**
   * Records in the background that a validly signed message was refused because of its time. It may be an old one that somebody sends again,
   * so it does not count as a use.
   */
  noteLate({ id }: Pick<KnownKey, "id">, { before }: { before: boolean }): void {
    this.#parts.use.note(id, null, before ? lateReasons.before : lateReasons.after);
  }

  /** Encrypts the secrets with the newest of SECRET_KEYS. */
  async ensureSealed(em: EntityManager, log: Logger): Promise<void> {
    await ensureSealed(em, log, {
      table: "tsig_keys",
      column: "secret",
      type: "text",
      id: "id",
      name: "key_name",
      of: "TSIG keys",
      resealed: ({ id, secret }) => this.#parts.secrets.resealed(id, secret),
    });
  }
}
