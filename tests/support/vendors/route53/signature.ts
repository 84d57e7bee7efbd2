import { createHash, createHmac } from "node:crypto";

/** A request as AWS Signature Version 4 sees it. */
export interface SignedRequest {
  method: string;
  /** Path and query as in the request line. */
  target: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: string;
}

export interface SigningScope {
  secretAccessKey: string;
  /** `20150830T123600Z` */
  date: string;
  region: string;
  service: string;
  /** In lower case, in order. */
  signedHeaders: readonly string[];
}

/** The signature of a request, in hexadecimal (AWS General Reference, "Signature Version 4 signing process"). */
export function signatureOf(request: SignedRequest, scope: SigningScope): string {
  const { date, region, service } = scope;
  const day = date.slice(0, 8);
  const credentialScope = `${day}/${region}/${service}/aws4_request`;
  const text = ["AWS4-HMAC-SHA256", date, credentialScope, sha256(canonicalRequest(request, scope))].join("\n");
  const key = [day, region, service, "aws4_request"].reduce<Buffer>(
    (so, part) => createHmac("sha256", so).update(part).digest(),
    Buffer.from(`AWS4${scope.secretAccessKey}`),
  );
  return createHmac("sha256", key).update(text).digest("hex");
}

function canonicalRequest({ method, target, headers, body }: SignedRequest, { signedHeaders }: SigningScope): string {
  const [path = "/", query = ""] = target.split(/\?(.*)/s);
  const lines = signedHeaders.map((name) => {
    const values = [headers[name] ?? ""].flat();
    return `${name}:${values.map((value) => value.trim().replaceAll(/ +/g, " ")).join(",")}\n`;
  });
  return [
    method,
    // Once in the request line, and once more here.
    path.split("/").map(escaped).join("/"),
    canonicalQuery(query),
    lines.join(""),
    signedHeaders.join(";"),
    sha256(body),
  ].join("\n");
}

function canonicalQuery(query: string): string {
  const pairs = query === "" ? [] : query.split("&").map((pair) => pair.split(/=(.*)/s));
  return pairs
    .map(([key = "", value = ""]) => `${escaped(decodeURIComponent(key))}=${escaped(decodeURIComponent(value))}`)
    .toSorted((one, other) => (one < other ? -1 : 1))
    .join("&");
}

function escaped(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (part) => `%${part.charCodeAt(0).toString(16).toUpperCase()}`);
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
