/** The moments of a JWT, in milliseconds since 1970 by the server's clock. */
interface TokenTimes {
  issuedAt: number | null;
  expiresAt: number;
}

/** Reads the moments of a JWT (RFC 7519 §4.1) without verifying it; null for anything else. */
function tokenTimes(token: string): TokenTimes | null {
  try {
    const payload = (token.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/");
    const { iat, exp } = JSON.parse(atob(payload)) as { iat?: unknown; exp?: unknown };
    if (typeof exp !== "number") return null;
    return { issuedAt: typeof iat === "number" ? iat * 1000 : null, expiresAt: exp * 1000 };
  } catch {
    return null;
  }
}

/**
 * From when on, by our clock, a token is better renewed than used: after 95 % of its life.
 * @param justIssued a token that has just come from the server: then its life counts from now, so that a clock that
 * differs from the server's does no harm.
 */
export function renewalTime(token: string, justIssued: boolean): number {
  const times = tokenTimes(token);
  if (!times) return Infinity;
  const { issuedAt, expiresAt } = times;
  const now = Date.now();
  const life = issuedAt === null ? expiresAt - now : expiresAt - issuedAt;
  return (justIssued ? now + life : expiresAt) - 0.05 * life;
}
