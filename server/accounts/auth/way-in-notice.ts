import type { TypedNotice } from "../../notifications/notify.ts";
import type { Method } from "./second-factors/methods.ts";

/** A way to sign in that was added, removed or replaced. Names are those its owner chose; nothing here is secret. */
export type WayInChange =
  | { event: "security.factor_added" | "security.factor_removed"; method: Method; name: string | null }
  | { event: "security.recovery_codes_replaced" }
  | { event: "security.identity_added" | "security.identity_removed"; providerId: string; provider: string }
  | { event: "security.access_revoked"; ways: readonly string[] }
  | { event: "security.token_created"; tokenId: string; name: string }
  | { event: "security.key_created"; keyId: string; keyName: string; name: string | null; domainName: string }
  | { event: "security.email_changed" | "security.password_changed" };

/** The account that changed, and the address the change came from. */
export interface ChangedAccount {
  userId: string;
  username: string;
  ip: string | null;
}

/** Returns the notice to an account's owner, for the application, channels and mail. */
export function wayInNotice(change: WayInChange, { userId, username, ip }: ChangedAccount): TypedNotice {
  const { event, ...details } = change;
  const [title, advice] = words(change, username);
  return {
    event,
    title,
    content: `The change came from ${ip ?? "an unknown address"}. If ${username} did not make it, ${advice}`,
    level: "warning",
    metadata: { userId, username, ...details, ip },
    to: { userIds: [userId] },
    mailed: "separately",
    // The change carries the fields of its event, but the compiler cannot infer that through the rest.
  } satisfies Omit<TypedNotice, "event" | "metadata"> & { event: string; metadata: object } as TypedNotice;
}

const newPassword = "set a new password";

/** Returns a title, and advice in case someone else made the change. */
function words(change: WayInChange, username: string): [title: string, advice: string] {
  const to = `the account ${username}`;
  switch (change.event) {
    case "security.factor_added":
      return [`${factorWas(change)} added to ${to}`, `${newPassword} and remove it.`];
    case "security.factor_removed":
      return [`${factorWas(change)} removed from ${to}`, `${newPassword} and set the second factor up again.`];
    case "security.recovery_codes_replaced":
      return [`The recovery codes of ${to} were replaced`, `${newPassword} and generate new codes.`];
    case "security.identity_added":
      return [`Sign-in with ${change.provider} was added to ${to}`, `${newPassword} and unbind it.`];
    case "security.identity_removed":
      return [`Sign-in with ${change.provider} was removed from ${to}`, `${newPassword} and bind it again.`];
    case "security.access_revoked":
      return [`Access to ${to} was revoked: ${change.ways.join(", ")}`, "contact an administrator immediately."];
    case "security.token_created":
      return [`The personal token ${change.name} was created for ${to}`, `${newPassword} and delete the token.`];
    case "security.key_created":
      return [
        `The TSIG key ${change.name ?? change.keyName} for ${change.domainName} was created for ${to}`,
        `${newPassword} and delete the key.`,
      ];
    case "security.password_changed":
      return [`The password of ${to} was changed`, "request a new one and contact an administrator immediately."];
    default:
      return [`The email address of ${to} was changed`, "contact an administrator immediately."];
  }
}

function factorWas({ method, name }: { method: Method; name: string | null }): string {
  if (method === "passkey") return `The passkey ${name} was`;
  return method === "totp" ? "An authenticator app was" : "Sign-in codes by email were";
}
