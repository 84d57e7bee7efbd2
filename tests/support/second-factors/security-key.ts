import { createHash } from "node:crypto";
import { AuthenticatorEmulator, PasskeysCredentialsMemoryRepository, WebAuthnEmulator } from "nid-webauthn-emulator";
import NoFilter from "nofilter";
import type { RestClient } from "../rest-client.ts";

export const site = "https://dns.example.com";
export const siteHost = "dns.example.com";

/**
 * The authenticator's package for CBOR encodes into this buffer and takes everything out by one `read()`. From Node 26 on, a stream gives out one
 * piece at a time.
 */
const readPiece = Reflect.get(NoFilter.prototype, "read") as (this: NoFilter, size?: number) => Buffer | null;
NoFilter.prototype.read = function readAll(this: NoFilter, size?: number) {
  if (size !== undefined) return readPiece.call(this, size);
  const pieces: Buffer[] = [];
  for (let piece = readPiece.call(this); piece !== null; piece = readPiece.call(this)) pieces.push(piece);
  return pieces.length === 0 ? null : Buffer.concat(pieces);
};

/** An authenticator as a browser on our site uses it. */
export function securityKey(options: { verifiesUser?: boolean; countsUp?: boolean } = {}): WebAuthnEmulator {
  const { verifiesUser = true, countsUp = true } = options;
  const interaction = () => ({ options: { uv: verifiesUser, up: true } });
  return new WebAuthnEmulator(
    new AuthenticatorEmulator({
      credentialsRepository: new PasskeysCredentialsMemoryRepository(),
      signCounterIncrement: countsUp ? 1 : 0,
      userMakeCredentialInteraction: interaction,
      userGetAssertionInteraction: interaction,
      verifications: { userPresent: true, userVerified: verifiesUser },
    }),
  );
}

/** Adds a passkey of this authenticator to the account. */
export async function addPasskey(client: RestClient, key: WebAuthnEmulator, name = "Key") {
  const { body: options } = await client.post("/api/2fa/passkeys/options");
  const answer = await client.post("/api/2fa/passkeys", { name, credential: key.createJSON(site, options) });
  if (answer.status !== 201) throw new Error(`The passkey was not added: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

/** Base64url of an edited original. */
export function edited(base64url: string, edit: (bytes: Buffer) => Buffer): string {
  return edit(Buffer.from(base64url, "base64url")).toString("base64url");
}

/** Client data (WebAuthn §5.8.1) with some fields changed. */
export function withClientData(clientDataJson: string, fields: Record<string, unknown>): string {
  return edited(clientDataJson, (bytes) =>
    Buffer.from(JSON.stringify({ ...(JSON.parse(bytes.toString()) as object), ...fields })),
  );
}

function hash(id: string): string {
  return createHash("sha256").update(id).digest().toString("latin1");
}

/** An attestation object that says it was made for another relying party. */
export function forRelyingParty(attestationObject: string, from: string, to: string): string {
  return edited(attestationObject, (bytes) =>
    Buffer.from(bytes.toString("latin1").replace(hash(from), hash(to)), "latin1"),
  );
}

type Editable<T> = { -readonly [Key in keyof T]: T[Key] extends object ? Editable<T[Key]> : T[Key] };

/** A copy of an authenticator's answer that tests may modify. */
export function editable<T>(answer: T): Editable<T> {
  return structuredClone(answer) as Editable<T>;
}
