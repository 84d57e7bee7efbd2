import { createHash, createHmac, timingSafeEqual } from "node:crypto";

/** A request as received. */
export interface RawRequest {
  method: string;
  /** Path and query, as received. */
  target: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: string;
}

export interface Credentials {
  id: string;
  secret: string;
}

/** What is wrong with a request's signature: the vendor's status, code and words. */
export type SignatureFault = readonly [status: number, code: string, message: string];

const hash = (text: string | Buffer) => createHash("sha256").update(text).digest("hex");
const freshMilliseconds = 15 * 60_000;
const always = ["host", "x-acs-action", "x-acs-content-sha256", "x-acs-date", "x-acs-signature-nonce", "x-acs-version"];

/** Judges requests by the rules of ACS3-HMAC-SHA256, and remembers the nonces that it saw. */
export class SignatureJudge {
  readonly #credentials: Credentials;
  readonly #nonces = new Set<string>();

  readonly #now: () => Date;

  constructor(credentials: Credentials, now = () => new Date()) {
    this.#credentials = credentials;
    this.#now = now;
  }

  faultOf({ method, target, headers, body }: RawRequest): SignatureFault | null {
    const header = (name: string) => String(headers[name] ?? "");
    const form = /^ACS3-HMAC-SHA256 Credential=([^,]*),SignedHeaders=([^,]*),Signature=([0-9a-f]{64})$/;
    const [, id, list = "", signature = ""] = form.exec(header("authorization")) ?? [];
    if (id === undefined)
      return [400, "IncompleteSignature", "The request signature does not conform to Aliyun standards."];
    if (id !== this.#credentials.id) return [404, "InvalidAccessKeyId.NotFound", "Specified access key is not found."];
    const signed = list.split(";");
    const present = Object.keys(headers).filter((name) => /^(?:host|content-type|x-acs-.*)$/.test(name));
    const required = [...new Set([...always, ...present])].toSorted();
    if (signed.join(";") !== required.join(";") || required.some((name) => header(name) === "")) {
      return [400, "IncompleteSignature", "The signed headers are not complete or not in order."];
    }
    if (header("x-acs-content-sha256") !== hash(body)) return mismatch("the hash of the body");
    const [path = "", query = ""] = target.split("?");
    const pairs = query === "" ? [] : query.split("&").map((pair) => pair.split("=").map(decodeURIComponent));
    const canonical = pairs
      .toSorted(([one = ""], [other = ""]) => Buffer.compare(Buffer.from(one), Buffer.from(other)))
      .map((pair) => pair.map(strictly).join("="));
    const text = [
      method,
      path,
      canonical.join("&"),
      ...signed.map((name) => `${name}:${header(name).trim()}`),
      "",
      signed.join(";"),
      header("x-acs-content-sha256"),
    ].join("\n");
    const expected = createHmac("sha256", this.#credentials.secret)
      .update(`ACS3-HMAC-SHA256\n${hash(text)}`)
      .digest();
    if (!timingSafeEqual(expected, Buffer.from(signature, "hex"))) return mismatch(`ACS3-HMAC-SHA256\n${hash(text)}`);
    return this.#stale(header("x-acs-date"), header("x-acs-signature-nonce"));
  }

  #stale(date: string, nonce: string): SignatureFault | null {
    if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(date)) {
      return [400, "InvalidTimeStamp.Format", "Specified time stamp or date value is not well formatted."];
    }
    if (Math.abs(this.#now().getTime() - Date.parse(date)) > freshMilliseconds) {
      return [400, "InvalidTimeStamp.Expired", "Specified time stamp or date value is expired."];
    }
    if (this.#nonces.has(nonce)) return [400, "SignatureNonceUsed", "Specified signature nonce was used already."];
    this.#nonces.add(nonce);
    return null;
  }
}

function mismatch(toSign: string): SignatureFault {
  const message = `Specified signature is not matched with our calculation. server string to sign is:${toSign}`;
  return [400, "SignatureDoesNotMatch", message];
}

/** RFC 3986: everything but unreserved characters is encoded, octet by octet. */
function strictly(text: string): string {
  return [...Buffer.from(text)]
    .map((octet) => {
      const character = String.fromCharCode(octet);
      return /[\w.~-]/.test(character) ? character : `%${octet.toString(16).toUpperCase().padStart(2, "0")}`;
    })
    .join("");
}
