import { createHash, createHmac } from "node:crypto";

/** The parts of a call that are signed ("Signature method v3", TC3-HMAC-SHA256). All calls are POSTs of JSON to `/`. */
export interface SignedCall {
  host: string;
  /** The product: `dnspod`. */
  service: string;
  action: string;
  body: string;
  /** To the second. */
  date: Date;
}

export interface SecretKey {
  id: string;
  key: string;
}

const algorithm = "TC3-HMAC-SHA256";
export const contentType = "application/json; charset=utf-8";

/** Returns the value of the `Authorization` header. It covers the headers for host, content type and action. */
export function authorization({ host, service, action, body, date }: SignedCall, { id, key }: SecretKey): string {
  const day = date.toISOString().slice(0, 10);
  const scope = `${day}/${service}/tc3_request`;
  const headers = `content-type:${contentType}\nhost:${host}\nx-tc-action:${action.toLowerCase()}\n`;
  const names = "content-type;host;x-tc-action";
  const request = ["POST", "/", "", headers, names, sha256(body)].join("\n");
  const toSign = [algorithm, Math.floor(date.getTime() / 1_000), scope, sha256(request)].join("\n");
  const signingKey = [day, service, "tc3_request"].reduce<string | Buffer>(hmac, `TC3${key}`);
  const signature = hmac(signingKey, toSign).toString("hex");
  return `${algorithm} Credential=${id}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}
