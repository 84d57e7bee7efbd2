import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from "@simplewebauthn/browser";

type Obstacle = "insecure" | "address" | "browser";

/** What keeps a page from using passkeys, or null: they need HTTPS or localhost, a host with a name, and a browser that has them. */
export function obstacleToPasskeys(page: {
  hostname: string;
  isSecure: boolean;
  hasPasskeys: boolean;
}): Obstacle | null {
  const { hostname, isSecure, hasPasskeys } = page;
  if (!isSecure && hostname !== "localhost") return "insecure";
  // A relying party is a domain (Web Authentication §5.1.3).
  if (/^(?:\d+(?:\.\d+){3}|\[.*\])$/.test(hostname)) return "address";
  return isSecure && hasPasskeys ? null : "browser";
}

export const passkeyObstacle = obstacleToPasskeys({
  hostname: location.hostname,
  isSecure: isSecureContext,
  hasPasskeys: typeof PublicKeyCredential !== "undefined",
});

/** Whether this page may use passkeys. */
export const passkeysWork = passkeyObstacle === null;

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
