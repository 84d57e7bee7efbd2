import { verifyAuthenticationResponse, verifyRegistrationResponse } from "@simplewebauthn/server";
import { decodeAttestationObject, decodeClientDataJSON, isoBase64URL } from "@simplewebauthn/server/helpers";

/** EdDSA, ES256 and RS256 (RFC 9053): what authenticators have. */
const algorithms = [-8, -7, -257];

/** `RegistrationResponseJSON` (WebAuthn §5.1), as far as it matters to us. */
export interface PasskeyRegistration {
  id: string;
  rawId: string;
  type: "public-key";
  response: { clientDataJSON: string; attestationObject: string; transports?: string[] | undefined };
}

/** `AuthenticationResponseJSON` (WebAuthn §5.1), as far as it matters to us. */
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

/** A passkey as WebAuthn needs it. Keys and ids are base64url. */
export interface Credential {
  credentialId: string;
  publicKey: string;
  counter: number;
  transports: string[];
}

type KnownCredential = Pick<Credential, "credentialId" | "transports">;

/** Us, as authenticators know us (WebAuthn §4, "relying party"). No storage here: only what is asked and what is right. */
export class RelyingParty {
  readonly #id: string;
  readonly #origin: string;

  constructor(siteUrl: string) {
    const { hostname, origin } = new URL(siteUrl);
    this.#id = hostname;
    this.#origin = origin;
  }

  /** What a browser needs to make a passkey that can sign in by itself. */
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

  /** @param allowed the passkeys to choose from; null: whichever the authenticator has for this site */
  requestOptions(allowed: readonly KnownCredential[] | null, challenge: string, timeout: number) {
    return {
      challenge,
      timeout,
      rpId: this.#id,
      userVerification: "required" as const,
      ...(allowed ? { allowCredentials: allowed.map(descriptor) } : {}),
    };
  }

  /** The new passkey, or null when anything about it is wrong (WebAuthn §7.1). */
  async checkRegistration(registration: PasskeyRegistration, challenge: string): Promise<Credential | null> {
    try {
      const { id, rawId, type, response } = registration;
      const { clientDataJSON, attestationObject, transports = [] } = response;
      if (hasCertificates(attestationObject)) return null;
      const result = await verifyRegistrationResponse({
        response: { id, rawId, type, response: { clientDataJSON, attestationObject }, clientExtensionResults: {} },
        expectedChallenge: challenge,
        expectedOrigin: this.#origin,
        expectedRPID: this.#id,
        requireUserVerification: true,
        supportedAlgorithmIDs: algorithms,
      });
      if (!result.verified) return null;
      const { credential } = result.registrationInfo;
      const publicKey = isoBase64URL.fromBuffer(credential.publicKey);
      return { credentialId: credential.id, publicKey, counter: credential.counter, transports };
    } catch {
      // The library throws for whatever does not fit, and decoders for what they cannot read.
      return null;
    }
  }

  /** The signature counter that goes with a right answer, or null when anything about it is wrong (WebAuthn §7.2). */
  async checkAnswer(
    answer: PasskeyAnswer,
    challenge: string,
    { credentialId, publicKey, counter }: Omit<Credential, "transports">,
  ): Promise<number | null> {
    const { id, rawId, type } = answer;
    const { clientDataJSON, authenticatorData, signature } = answer.response;
    const response = { clientDataJSON, authenticatorData, signature };
    try {
      const { verified, authenticationInfo } = await verifyAuthenticationResponse({
        response: { id, rawId, type, response, clientExtensionResults: {} },
        expectedChallenge: challenge,
        expectedOrigin: this.#origin,
        expectedRPID: this.#id,
        requireUserVerification: true,
        credential: { id: credentialId, publicKey: isoBase64URL.toBuffer(publicKey), counter },
      });
      return verified ? authenticationInfo.newCounter : null;
    } catch {
      return null;
    }
  }
}

/** What authenticators know a user by (WebAuthn §4, "user handle"): base64url. */
export function userHandleOf(userId: string): string {
  return Buffer.from(userId).toString("base64url");
}

/** The challenge that an answer says it signed, or null for what cannot be read. Nothing is verified by this. */
export function challengeIn(clientDataJson: string): string | null {
  try {
    const { challenge } = decodeClientDataJSON(clientDataJson) as { challenge?: unknown };
    return typeof challenge === "string" ? challenge : null;
  } catch {
    return null;
  }
}

/**
 * Whether an attestation comes with certificates. We ask for none, so a browser sends none (WebAuthn §5.1.3); the library would fetch the
 * revocation lists that they name, and a caller's addresses are not for us to call.
 */
function hasCertificates(attestationObject: string): boolean {
  const attestation = decodeAttestationObject(isoBase64URL.toBuffer(attestationObject));
  const format = attestation.get("fmt");
  if (format === "none") return false;
  return format !== "packed" || attestation.get("attStmt").get("x5c") !== undefined;
}

function descriptor({ credentialId, transports }: KnownCredential) {
  return { id: credentialId, type: "public-key" as const, transports };
}
