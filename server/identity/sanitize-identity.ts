import { IdentityProviderError, type Identity } from "./providers/provider.ts";

// oxlint-disable-next-line no-control-regex
const controls = /[\u0000-\u001f\u007f]/;

/** Validates and normalizes an identity, which is untrusted input. @throws IdentityProviderError for an invalid subject */
export function sanitizeIdentity(identity: Identity): Identity {
  const { subject } = identity;
  // OpenID Connect Core 1.0 §2 allows 255 characters.
  if (subject.length > 255 || controls.test(subject) || !subject.isWellFormed())
    throw new IdentityProviderError("The subject is invalid.");
  const email = identity.email !== null && isAddress(identity.email) ? identity.email : null;
  return {
    ...identity,
    email,
    emailVerified: email !== null && identity.emailVerified,
    displayName: lineOf(identity.displayName, 100),
    username: lineOf(identity.username, 100),
  };
}

function isAddress(text: string): boolean {
  return (
    text.length <= 254 &&
    /^[^\s@<>"]+@[^\s@<>"]+\.[^\s@<>"]+$/.test(text) &&
    !controls.test(text) &&
    text.isWellFormed()
  );
}

function lineOf(text: string | null, longest: number): string | null {
  if (text === null) return null;
  const line = text
    .toWellFormed()
    .replaceAll(/\p{C}+/gu, "")
    .replaceAll(/\s+/g, " ")
    .trim();
  return line === "" ? null : line.slice(0, longest).toWellFormed();
}
