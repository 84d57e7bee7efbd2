import type { HttpPort } from "../context.ts";
import { AppError } from "../errors.ts";
import type { IssuedRefreshToken } from "./sessions.ts";

const name = "refresh_token";
const path = "/api";

/** Hands the refresh token to the browser: HttpOnly, SameSite=Lax, Secure when the site is. */
export function setRefreshCookie(http: HttpPort, token: IssuedRefreshToken): void {
  http.setCookie({ name, value: token.refreshToken, path, maxAgeSeconds: token.cookieSeconds });
}

export function clearRefreshCookie(http: HttpPort): void {
  http.setCookie({ name, value: "", path, maxAgeSeconds: 0 });
}

/**
 * The refresh token of the request's cookie, or null.
 * @throws AppError FORBIDDEN when another site's page made the browser send it.
 */
export function readRefreshCookie(http: HttpPort, trustedOrigins: readonly string[]): string | null {
  const token = http.cookie(name);
  if (token === undefined || token === "") return null;
  const origin = http.header("origin");
  if (origin !== undefined && !trustedOrigins.includes(origin)) {
    throw new AppError(
      "FORBIDDEN",
      "This request came from another site; add that site to CORS_ORIGINS if it is yours.",
    );
  }
  return token;
}
