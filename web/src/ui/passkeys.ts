import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from "@simplewebauthn/browser";

/** Whether this page may use passkeys: they need HTTPS or localhost. */
export const passkeysWork = typeof PublicKeyCredential !== "undefined" && isSecureContext;

/** Asks the browser's authenticator to sign. The library is loaded when first needed. */
export async function askPasskey(options: unknown) {
  const { startAuthentication } = await import("@simplewebauthn/browser");
  return await startAuthentication({ optionsJSON: options as PublicKeyCredentialRequestOptionsJSON });
}

/** Asks the browser's authenticator for a new passkey. */
export async function createPasskey(options: unknown) {
  const { startRegistration } = await import("@simplewebauthn/browser");
  return await startRegistration({ optionsJSON: options as PublicKeyCredentialCreationOptionsJSON });
}

/** Whether the person closed the browser's prompt or let it expire. */
export function wasCancelled(error: unknown): boolean {
  return error instanceof Error && (error.name === "NotAllowedError" || error.name === "AbortError");
}
