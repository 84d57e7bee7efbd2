import type { HttpPort } from "../../platform/http-port.ts";
import { AppError } from "../../platform/errors.ts";
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
 * The refresh token that a call presents: the body's, else the cookie's, else null.
 * @param trustedOrigins the site's own first.
 * @throws AppError FORBIDDEN when another site's page made the browser send the cookie.
 */
export function presentedRefreshToken(
  http: HttpPort,
  body: { refreshToken?: string | undefined },
  trustedOrigins: readonly string[],
): string | null {
  return body.refreshToken ?? readRefreshCookie(http, trustedOrigins);
}

function readRefreshCookie(http: HttpPort, trustedOrigins: readonly string[]): string | null {
  const token = http.cookie(name);
  if (token === undefined || token === "") return null;
  const origin = http.header("origin");
  if (origin !== undefined && !trustedOrigins.includes(origin) && !isSameOrigin(http, origin, trustedOrigins)) {
    throw new AppError(
      "FORBIDDEN",
      "This request came from another site; add that site to CORS_ORIGINS if it is yours.",
    );
  }
  return token;
}

/** A page of ours under another of our names, such as 127.0.0.1 for localhost. With TLS only SITE_URL counts. */
function isSameOrigin(http: HttpPort, origin: string, [site = ""]: readonly string[]): boolean {
  return site.startsWith("http:") && origin === `http://${http.header("host")}`;
}
