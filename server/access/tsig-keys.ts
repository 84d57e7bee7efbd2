import { isDeepStrictEqual } from "node:util";
import type { Caller } from "./caller.ts";
import type { Permission } from "./permissions.ts";
import { queries, type Database, type EntityManager } from "../database/database.ts";
import { ensureSealed } from "../database/ensure-sealed.ts";
import { statement, type Sent } from "../database/statements.ts";
import type { Role } from "../database/tables/roles.ts";
import type { TsigKeyAccess } from "../database/tables/tsig-keys.ts";
import type { TsigAlgorithm, TsigKey } from "../dns/wire/tsig.ts";
import type { Logger } from "../platform/log.ts";
import { isKeyName, type TsigSecrets } from "./tsig-key-form.ts";
import type { TsigKeyNames } from "./tsig-key-names.ts";
import type { TsigKeyUse } from "./tsig-key-use.ts";
import { ZoneScope } from "./zone-scope.ts";

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
