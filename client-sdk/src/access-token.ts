/** The times of a JWT, in milliseconds since 1970 by the server's clock. */
interface TokenTimes {
  issuedAt: number | null;
  expiresAt: number;
}

/** Returns the claims of a JWT (RFC 7519 §4.1), unverified, or null if it is not a JWT. */
function claimsOf(token: string): Record<string, unknown> | null {
  try {
    const payload = (token.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/");
    const claims: unknown = JSON.parse(atob(payload));
    return typeof claims === "object" && claims !== null ? { ...claims } : null;
  } catch {
    return null;
  }
}

function tokenTimes(token: string): TokenTimes | null {
  const { iat, exp } = claimsOf(token) ?? {};
  if (typeof exp !== "number") return null;
  return { issuedAt: typeof iat === "number" ? iat * 1000 : null, expiresAt: exp * 1000 };
}

/** Returns the id of the user that an access token belongs to, or null. */
export function userIdOf(token: string | undefined): string | null {
  const subject = token === undefined ? undefined : claimsOf(token)?.["sub"];
  return typeof subject === "string" ? subject : null;
}

/**
 * Returns when to renew a token, by the local clock: after 95 % of its lifetime.
 * @param justIssued whether the server has just issued it. Its lifetime then counts from now, so that clock
 * differences do no harm.
 */
export function renewalTime(token: string, justIssued: boolean): number {
  const times = tokenTimes(token);
  if (!times) return Infinity;
  const { issuedAt, expiresAt } = times;
  const now = Date.now();
  const life = issuedAt === null ? expiresAt - now : expiresAt - issuedAt;
  return (justIssued ? now + life : expiresAt) - 0.05 * life;
}
