import type { HttpPort } from "../../platform/http-port.ts";
import { AppError } from "../../platform/errors.ts";
import type { IssuedRefreshToken } from "./sessions.ts";

const name = "refresh_token";
const path = "/api";

/** Sets the refresh token as a cookie: HttpOnly, SameSite=Lax, and Secure if the site uses HTTPS. */
export function setRefreshCookie(http: HttpPort, token: IssuedRefreshToken): void {
  http.setCookie({ name, value: token.refreshToken, path, maxAgeSeconds: token.cookieSeconds });
}

export function clearRefreshCookie(http: HttpPort): void {
  http.setCookie({ name, value: "", path, maxAgeSeconds: 0 });
}

/**
 * Returns the refresh token of a call: the body's, else the cookie's, else null.
 * @param trustedOrigins the site's own origin first
 * @throws AppError FORBIDDEN if another site's page made the browser send the cookie
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
      "This request came from another site. If the site is yours, add it to CORS_ORIGINS.",
    );
  }
  return token;
}

/** Returns whether the page is this site's under another name, such as 127.0.0.1 for localhost. With TLS only SITE_URL is accepted. */
function isSameOrigin(http: HttpPort, origin: string, [site = ""]: readonly string[]): boolean {
  return site.startsWith("http:") && origin === `http://${http.header("host")}`;
}
