import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { HttpPort } from "../../platform/http-port.ts";
import type { Keyring } from "../../platform/secret-cipher.ts";
import { hashOf } from "../../platform/ids.ts";

const day = 24 * 3_600;
const lifetimeSeconds = 365 * day;
/** A cookie older than this is renewed at the next sign-in or refresh. */
const freshSeconds = 30 * day;
const form = /^([\w-]{16})\.(\d{1,10})\.([\w-]{43})$/;

/** What a cookie is valid for. It ends with each change of the account's credentials, as pending sign-ins do. */
interface Account {
  id: string;
  accessEpoch: number;
}

/**
 * Recognizes browsers in which an account was used before, by a signed cookie for each account. It gives no access. It only lets the limits
 * count the browser's own failed attempts, so that strangers cannot lock the account's users out.
 */
export class KnownDevices {
  readonly #keys: readonly [Uint8Array, ...Uint8Array[]];
  readonly #prefix: string;
  readonly #now: () => Date;

  /** @param siteUrl SITE_URL */
  constructor(keyring: Keyring, siteUrl: string, now: () => Date) {
    this.#keys = keyring.keysFor("known-device");
    this.#prefix = `${siteUrl.startsWith("https:") ? "__Host-" : ""}known_device_`;
    this.#now = now;
  }

  /** Returns the id of the browser if it holds a valid cookie of the account. */
  idOf(http: Pick<HttpPort, "cookie">, account: Account): string | null {
    return this.#read(http, account)?.id ?? null;
  }

  /** Sets the account's cookie, unless the browser has a recent one. Call it for an authenticated user. */
  remember(http: HttpPort, account: Account): void {
    const known = this.#read(http, account);
    const now = Math.floor(this.#now().getTime() / 1_000);
    if (known && now - known.issued < freshSeconds) return;
    const content = `${known?.id ?? randomBytes(12).toString("base64url")}.${now}`;
    const value = `${content}.${this.#sign(this.#keys[0], account, content).toString("base64url")}`;
    setSiteCookie(http, { name: this.#nameOf(account), value, maxAgeSeconds: lifetimeSeconds });
  }

  #read(http: Pick<HttpPort, "cookie">, account: Account): { id: string; issued: number } | null {
    const [, id = "", issued = "", signature = ""] = form.exec(http.cookie(this.#nameOf(account)) ?? "") ?? [];
    if (id === "" || this.#now().getTime() / 1_000 - Number(issued) > lifetimeSeconds) return null;
    const given = Buffer.from(signature, "base64url");
    const valid = this.#keys.some((key) => timingSafeEqual(this.#sign(key, account, `${id}.${issued}`), given));
    return valid ? { id, issued: Number(issued) } : null;
  }

  #sign(key: Uint8Array, { id, accessEpoch }: Account, content: string): Buffer {
    return createHmac("sha256", key).update(`${id} ${accessEpoch} ${content}`).digest();
  }

  /** One cookie for each account, whose id it does not show. */
  #nameOf({ id }: Account): string {
    return `${this.#prefix}${Buffer.from(hashOf(`known device ${id}`), "base64url").toString("hex", 0, 8)}`;
  }
}

/** The whole site, because one callback of identity providers is outside /api. */
const wholeSite = "/";
/** Maximum cookies of a kind per browser. Other sites can cause some of them, and all must fit into a request. */
const most = 8;

/** Sets a cookie named `<kind>_<id>`, and deletes the oldest of its kind beyond the maximum. */
export function setSiteCookie(http: HttpPort, cookie: { name: string; value: string; maxAgeSeconds: number }): void {
  const kind = cookie.name.replace(/_[^_]*$/, "_");
  const sent = (http.header("cookie") ?? "").split(";").map((pair) => pair.replace(/=.*$/s, "").trim());
  const others = sent.filter((name) => name.startsWith(kind) && name !== cookie.name);
  // Browsers send the oldest first (RFC 6265 §5.4).
  for (const old of others.slice(0, 1 - most)) clearSiteCookie(http, old);
  http.setCookie({ ...cookie, path: wholeSite });
}

export function clearSiteCookie(http: HttpPort, name: string): void {
  http.setCookie({ name, value: "", path: wholeSite, maxAgeSeconds: 0 });
}
