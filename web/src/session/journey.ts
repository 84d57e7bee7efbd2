import { perTab } from "../ui/storage.ts";

/** What the page remembers while the browser is at an identity provider: the return carries neither the provider nor the page. */
interface Journey {
  providerId: string;
  next: string;
  /** Who is expected to come back, if they were signed in before; null for anybody. */
  userId: string | null;
}

const key = "zonewright.external";

/** Remembers where to go after the return, until the return or for as long as the tab is open. */
export function beginExternal(journey: Journey): void {
  perTab.setItem(key, JSON.stringify(journey));
}

/**
 * Leaves for an identity provider, and remembers where to go after the return.
 * @param options.userId who signs in again; the provider is then asked to prove anew who they are
 */
export function leaveForProvider(providerId: string, next: string, { userId = null }: { userId?: string | null } = {}) {
  beginExternal({ providerId, next, userId });
  const authorize = `/api/auth/oauth/${encodeURIComponent(providerId)}/authorize`;
  location.assign(userId === null ? authorize : `${authorize}?prompt=login`);
}

/** What was remembered, once. */
export function endExternal(): Journey | null {
  const stored = perTab.getItem(key);
  perTab.removeItem(key);
  if (stored === null) return null;
  const { providerId, next, userId = null } = JSON.parse(stored) as Partial<Journey>;
  const own = typeof next === "string" && /^\/(?!\/)/.test(next);
  return { providerId: String(providerId), next: own ? next : "/", userId };
}
