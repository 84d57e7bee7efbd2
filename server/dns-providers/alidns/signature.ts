import { createHash, createHmac } from "node:crypto";
import { percentEncoded } from "../vendor-api/text.ts";

/**
 * The parts of a call that are signed (ACS3-HMAC-SHA256, "V3 request structure and signature"). All calls are POSTs to `/` without
 * a body.
 */
export interface SignedCall {
  host: string;
  action: string;
  version: string;
  /** The query string from `canonicalQuery`. */
  query: string;
  /** To the second, in UTC. */
  date: Date;
  /** Used once only. */
  nonce: string;
}

export interface AccessKey {
  id: string;
  secret: string;
}

const algorithm = "ACS3-HMAC-SHA256";

/** Returns the headers of a call with its signature. `host` is left out because the connection sets it. */
export function signedHeaders(call: SignedCall, key: AccessKey): Record<string, string> {
  const sent = {
    "x-acs-action": call.action,
    "x-acs-content-sha256": sha256(""),
    "x-acs-date": call.date.toISOString().replace(/\.\d+Z$/, "Z"),
    "x-acs-signature-nonce": call.nonce,
    "x-acs-version": call.version,
  };
  const signed = Object.entries({ host: call.host, ...sent });
  const names = signed.map(([name]) => name).join(";");
  const lines = signed.map(([name, value]) => `${name}:${value}\n`).join("");
  const request = ["POST", "/", call.query, lines, names, sent["x-acs-content-sha256"]].join("\n");
  const signature = createHmac("sha256", key.secret)
    .update(`${algorithm}\n${sha256(request)}`)
    .digest("hex");
  return { ...sent, authorization: `${algorithm} Credential=${key.id},SignedHeaders=${names},Signature=${signature}` };
}

/** Returns parameters as a query string, sorted by name. */
export function canonicalQuery(parameters: Readonly<Record<string, string | number>>): string {
  return Object.entries(parameters)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => `${percentEncoded(name)}=${percentEncoded(String(value))}`)
    .join("&");
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
