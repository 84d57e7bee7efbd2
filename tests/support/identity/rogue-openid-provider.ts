import { createHash, createHmac, createPublicKey, generateKeyPairSync, sign, type KeyObject } from "node:crypto";
import {
  startLoopbackVendor,
  type LoopbackVendor,
  type VendorCall,
  type VendorReply,
} from "../vendors/loopback-vendor.ts";

/** What an id_token is made of. */
export interface TokenParts {
  header: Record<string, unknown>;
  claims: Record<string, unknown>;
  signature: (input: string) => string;
}

export interface RogueProvider extends LoopbackVendor {
  wellKnownUrl: string;
  /** Changes the discovery document. */
  discovery: Record<string, unknown>;
  /** Changes the answer of the userinfo endpoint. */
  user: Record<string, unknown>;
  /** Modifies the next id_tokens; without an argument, stops modifying them. */
  tamper(change?: (parts: TokenParts) => void): void;
  /** Whether its token endpoint answers as plain OAuth 2.0 would. */
  leaveOutIdToken: boolean;
  /** How often its keys were read. */
  keysRead: number;
  /** Whether it publishes another key, `two`, in place of `one`: that of `strangersKey`. */
  keysReplaced: boolean;
  /** Its public key in PEM, which is no secret. */
  publicPem: string;
  /** Another, untrusted key. */
  strangersKey: KeyObject;
  /** What a browser would come back with after agreeing. */
  agree(authorizeUrl: URL, extra?: Record<string, string>): URL;
}

export const rogueClient = { clientId: "rogue-client-id", clientSecret: "rogue-client-secret" };

/** Signs as RS256 does (RFC 7518 §3.3). */
export function rs256(key: KeyObject) {
  return (input: string) => sign("sha256", Buffer.from(input), key).toString("base64url");
}

/** Signs as HS256 does (RFC 7518 §3.2). */
export function hs256(key: string) {
  return (input: string) => createHmac("sha256", key).update(input).digest("base64url");
}

/** Made once: a key takes a quarter of a second. */
const [privateKey, strangersKey] = [rsaKey(), rsaKey()];
const publicKey = createPublicKey(privateKey);

function rsaKey(): KeyObject {
  return generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
}

/** An OpenID provider on loopback that checks its part of the code flow and lies about the rest on demand. */
export async function startRogueProvider(): Promise<RogueProvider> {
  const jwk = { ...publicKey.export({ format: "jwk" }), kid: "one", use: "sig", alg: "RS256" };
  const codes = new Map<string, { nonce: string; challenge: string; redirectUri: string }>();
  let change: ((parts: TokenParts) => void) | undefined;
  const discovery: Record<string, unknown> = {};
  const user: Record<string, unknown> = {};

  const answers: Record<string, (call: VendorCall) => VendorReply> = {
    "GET /.well-known/openid-configuration": () =>
      json(200, {
        issuer: vendor.url,
        authorization_endpoint: `${vendor.url}/authorize`,
        token_endpoint: `${vendor.url}/token`,
        userinfo_endpoint: `${vendor.url}/userinfo`,
        jwks_uri: `${vendor.url}/jwks`,
        response_types_supported: ["code"],
        subject_types_supported: ["public"],
        // Claims to support unsigned tokens, too.
        id_token_signing_alg_values_supported: ["RS256", "HS256", "none"],
        ...discovery,
      }),
    "GET /jwks": () => {
      rogue.keysRead += 1;
      const replaced = {
        ...createPublicKey(strangersKey).export({ format: "jwk" }),
        kid: "two",
        use: "sig",
        alg: "RS256",
      };
      return json(200, { keys: [rogue.keysReplaced ? replaced : jwk] });
    },
    "GET /userinfo": () => json(200, { sub: "mallory", email: "mallory@example.net", email_verified: true, ...user }),
    "POST /token": (call) => {
      const form = new URLSearchParams(call.body);
      const flow = codes.get(form.get("code") ?? "");
      codes.delete(form.get("code") ?? "");
      const proof = createHash("sha256")
        .update(form.get("code_verifier") ?? "")
        .digest("base64url");
      const { clientId, clientSecret } = rogueClient;
      const given = credentialsOf(call, form);
      const good =
        flow &&
        form.get("grant_type") === "authorization_code" &&
        form.get("redirect_uri") === flow.redirectUri &&
        proof === flow.challenge &&
        given.join(" ") === [clientId, clientSecret].join(" ");
      if (!good) return json(400, { error: "invalid_grant", error_description: `What is ${form.get("code")}?` });
      const now = Math.floor(Date.now() / 1_000);
      const parts: TokenParts = {
        header: { alg: "RS256", kid: "one" },
        claims: { iss: vendor.url, aud: clientId, sub: "mallory", nonce: flow.nonce, iat: now, exp: now + 300 },
        signature: rs256(privateKey),
      };
      change?.(parts);
      const input = [parts.header, parts.claims]
        .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
        .join(".");
      const idToken = `${input}.${parts.signature(input)}`;
      return json(200, {
        access_token: "rogue-access-token",
        token_type: "Bearer",
        expires_in: 300,
        ...(rogue.leaveOutIdToken ? {} : { id_token: idToken }),
      });
    },
  };
  const vendor = await startLoopbackVendor((call) => {
    const answer = answers[`${call.method} ${call.url.pathname}`];
    return answer ? answer(call) : json(404, { error: "not_found" });
  });
  const rogue: RogueProvider = Object.assign(vendor, {
    leaveOutIdToken: false,
    keysRead: 0,
    keysReplaced: false,
    wellKnownUrl: `${vendor.url}/.well-known/openid-configuration`,
    discovery,
    user,
    tamper(next?: (parts: TokenParts) => void) {
      change = next;
    },
    publicPem: publicKey.export({ format: "pem", type: "spki" }),
    strangersKey,
    agree({ searchParams }: URL, extra: Record<string, string> = {}) {
      const code = `code-${codes.size}-${Math.random().toString(36).slice(2)}`;
      codes.set(code, {
        nonce: searchParams.get("nonce") ?? "",
        challenge: searchParams.get("code_challenge") ?? "",
        redirectUri: searchParams.get("redirect_uri") ?? "",
      });
      const back = new URL(searchParams.get("redirect_uri") ?? "");
      back.search = new URLSearchParams({ code, state: searchParams.get("state") ?? "", ...extra }).toString();
      return back;
    },
  });
  return rogue;
}

/** In the header, where both are form-encoded (RFC 6749 §2.3.1), or else in the body. */
function credentialsOf({ headers }: VendorCall, form: URLSearchParams): (string | null)[] {
  const [, basic] = /^Basic (.+)$/.exec(headers.authorization ?? "") ?? [];
  if (basic === undefined) return [form.get("client_id"), form.get("client_secret")];
  const [id = "", secret = ""] = Buffer.from(basic, "base64").toString().split(":");
  return [id, secret].map((part) => new URLSearchParams(`value=${part}`).get("value"));
}

function json(status: number, body: unknown): VendorReply {
  return { status, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}
