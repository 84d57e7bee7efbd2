import { loadedLate } from "../../../platform/late-modules.ts";

/** EdDSA, ES256 and RS256 (RFC 9053), the algorithms that authenticators support. */
const algorithms = [-8, -7, -257];

/** `RegistrationResponseJSON` (WebAuthn §5.1), reduced to the fields in use. */
export interface PasskeyRegistration {
  id: string;
  rawId: string;
  type: "public-key";
  response: { clientDataJSON: string; attestationObject: string; transports?: string[] | undefined };
}

/** `AuthenticationResponseJSON` (WebAuthn §5.1), reduced to the fields in use. */
export interface PasskeyAnswer {
  id: string;
  rawId: string;
  type: "public-key";
  response: {
    clientDataJSON: string;
    authenticatorData: string;
    signature: string;
    userHandle?: string | null | undefined;
  };
}

/** The fields of a passkey that WebAuthn needs. Keys and ids are base64url. */
export interface Credential {
  credentialId: string;
  publicKey: string;
  counter: number;
  transports: string[];
}

type KnownCredential = Pick<Credential, "credentialId" | "transports">;

/** Implements the relying party (WebAuthn §4): builds options and verifies responses. Stores nothing. */
export class RelyingParty {
  readonly #id: string;
  readonly #origin: string;

  constructor(siteUrl: string) {
    const { hostname, origin } = new URL(siteUrl);
    this.#id = hostname;
    this.#origin = origin;
  }

  /** Returns the options for creating a discoverable passkey. */
  creationOptions(
    user: { id: string; username: string; displayName: string },
    existing: readonly KnownCredential[],
    challenge: string,
    timeout: number,
  ) {
    const { id, username, displayName } = user;
    return {
      rp: { id: this.#id, name: "Zonewright" },
      user: { id: userHandleOf(id), name: username, displayName },
      challenge,
      pubKeyCredParams: algorithms.map((alg) => ({ type: "public-key" as const, alg })),
      timeout,
      excludeCredentials: existing.map(descriptor),
      authenticatorSelection: {
        residentKey: "required" as const,
        requireResidentKey: true as const,
        userVerification: "required" as const,
      },
      attestation: "none" as const,
    };
  }

  /** @param allowed the passkeys to choose from; null: any that the authenticator has for this site */
  requestOptions(allowed: readonly KnownCredential[] | null, challenge: string, timeout: number) {
    return {
      challenge,
      timeout,
      rpId: this.#id,
      userVerification: "required" as const,
      ...(allowed ? { allowCredentials: allowed.map(descriptor) } : {}),
    };
  }

  /** Returns the new passkey, or null if verification fails (WebAuthn §7.1). */
  async checkRegistration(registration: PasskeyRegistration, challenge: string): Promise<Credential | null> {
    const library = await loadLibrary();
    try {
      const { id, rawId, type, response } = registration;
      const { clientDataJSON, attestationObject, transports = [] } = response;
      if (hasCertificates(library, attestationObject)) return null;
      const result = await library.verifyRegistrationResponse({
        response: { id, rawId, type, response: { clientDataJSON, attestationObject }, clientExtensionResults: {} },
        expectedChallenge: challenge,
        expectedOrigin: this.#origin,
        expectedRPID: this.#id,
        requireUserVerification: true,
        supportedAlgorithmIDs: algorithms,
      });
      if (!result.verified) return null;
      const { credential } = result.registrationInfo;
      const publicKey = library.isoBase64URL.fromBuffer(credential.publicKey);
      return { credentialId: credential.id, publicKey, counter: credential.counter, transports };
    } catch {
      // The library throws for any mismatch, and its decoders for malformed input.
      return null;
    }
  }

  /** Returns the signature counter of a valid response, or null if verification fails (WebAuthn §7.2). */
  async checkAnswer(
    answer: PasskeyAnswer,
    challenge: string,
    { credentialId, publicKey, counter }: Omit<Credential, "transports">,
  ): Promise<number | null> {
    const { id, rawId, type } = answer;
    const { clientDataJSON, authenticatorData, signature } = answer.response;
    const response = { clientDataJSON, authenticatorData, signature };
    const library = await loadLibrary();
    try {
      const { verified, authenticationInfo } = await library.verifyAuthenticationResponse({
        response: { id, rawId, type, response, clientExtensionResults: {} },
        expectedChallenge: challenge,
        expectedOrigin: this.#origin,
        expectedRPID: this.#id,
        requireUserVerification: true,
        credential: { id: credentialId, publicKey: library.isoBase64URL.toBuffer(publicKey), counter },
      });
      return verified ? authenticationInfo.newCounter : null;
    } catch {
      return null;
    }
  }
}

/** Returns the WebAuthn user handle (§4) of a user, as base64url. */
export function userHandleOf(userId: string): string {
  return Buffer.from(userId).toString("base64url");
}

/** Returns the challenge named in a response, or null if it cannot be read. Verifies nothing. */
export async function challengeIn(clientDataJson: string): Promise<string | null> {
  const { decodeClientDataJSON } = await loadLibrary();
  try {
    const { challenge } = decodeClientDataJSON(clientDataJson) as { challenge?: unknown };
    return typeof challenge === "string" ? challenge : null;
  } catch {
    return null;
  }
}

/**
 * Returns whether an attestation contains certificates. Browsers send none unless asked (WebAuthn §5.1.3), and this service never asks.
 * The library would fetch the revocation lists that they name, and the service must not call addresses chosen by a caller.
 */
function hasCertificates({ decodeAttestationObject, isoBase64URL }: Library, attestationObject: string): boolean {
  const attestation = decodeAttestationObject(isoBase64URL.toBuffer(attestationObject));
  const format = attestation.get("fmt");
  if (format === "none") return false;
  return format !== "packed" || attestation.get("attStmt").get("x5c") !== undefined;
}

function descriptor({ credentialId, transports }: KnownCredential) {
  return { id: credentialId, type: "public-key" as const, transports };
}

type Library = Awaited<ReturnType<typeof loadLibrary>>;

/** Not at the start: it brings 250 modules of certificate formats. */
const loadLibrary = loadedLate(async () => {
  const [
    { verifyAuthenticationResponse, verifyRegistrationResponse },
    { decodeAttestationObject, decodeClientDataJSON, isoBase64URL },
  ] = await Promise.all([import("@simplewebauthn/server"), import("@simplewebauthn/server/helpers")]);
  return {
    verifyAuthenticationResponse,
    verifyRegistrationResponse,
    decodeAttestationObject,
    decodeClientDataJSON,
    isoBase64URL,
  };
});
