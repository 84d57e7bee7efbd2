import { createHash, createHmac } from "node:crypto";

export interface RawRequest {
  method: string;
  target: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: string;
}

export interface Credentials {
  id: string;
  key: string;
}

/** What is wrong with a request's signature: the vendor's code and words. */
export type SignatureFault = readonly [code: string, message: string];

const hash = (text: string) => createHash("sha256").update(text).digest("hex");
const mac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest();
const freshSeconds = 300;
const form =
  /^TC3-HMAC-SHA256 Credential=([^/]+)\/(\d{4}-\d\d-\d\d)\/(\w+)\/tc3_request, SignedHeaders=([\w;-]+), Signature=([0-9a-f]{64})$/;

/** Judges a request by the rules of TC3-HMAC-SHA256; null when it is well signed and fresh. */
export function signatureFault(request: RawRequest, { id, key }: Credentials, now = new Date()): SignatureFault | null {
  const header = (name: string) => String(request.headers[name] ?? "");
  const [, credential, day = "", service = "", list = "", signature] = form.exec(header("authorization")) ?? [];
  if (credential === undefined) {
    return ["AuthFailure.InvalidAuthorization", "The value of `Authorization` in the request header is invalid."];
  }
  if (credential !== id)
    return ["AuthFailure.SecretIdNotFound", "The SecretId is not found, please ensure that your SecretId is correct."];
  const timestamp = Number(header("x-tc-timestamp"));
  if (Math.abs(now.getTime() / 1_000 - timestamp) > freshSeconds) {
    return ["AuthFailure.SignatureExpire", "Signature expired: the timestamp and the server's time differ too much."];
  }
  const names = list.split(";");
  const covered = ["content-type", "host"].every((name) => names.includes(name));
  const dated = new Date(timestamp * 1_000).toISOString().startsWith(day);
  const lines = names.map((name) => `${name}:${header(name).trim().toLowerCase()}\n`).join("");
  const canonical = `${request.method}\n${request.target}\n\n${lines}\n${list}\n${hash(request.body)}`;
  const toSign = `TC3-HMAC-SHA256\n${header("x-tc-timestamp")}\n${day}/${service}/tc3_request\n${hash(canonical)}`;
  const signing = mac(mac(mac(`TC3${key}`, day), service), "tc3_request");
  const expected = mac(signing, toSign).toString("hex");
  return covered &&
    dated &&
    service === "dnspod" &&
    names.join(";") === names.toSorted().join(";") &&
    expected === signature
    ? null
    : [
        "AuthFailure.SignatureFailure",
        "The provided credentials could not be validated. Please check your signature is correct.",
      ];
}
