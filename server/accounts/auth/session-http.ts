import type { HttpPort } from "../../platform/http-port.ts";
import { AppError } from "../../platform/errors.ts";
import type { IssuedRefreshToken, ClientInfo } from "./sessions.ts";
import { briefUser } from "../users/service.ts";
import type { KnownDevices } from "./known-devices.ts";
import type { SignedIn } from "./sign-in.ts";

const name = "refresh_token";
const path = "/api";

/** Returns the details of the client program that opens a session. */
export function clientInfo(http: HttpPort): ClientInfo {
  return {
    userAgent: http.header("user-agent")?.toWellFormed() ?? null,
    ip: http.ip,
    cookie: (name) => http.cookie(name),
  };
}

/** Returns a new session's tokens and user, and sets the cookies of the refresh token and the known browser. */
export function signedInAnswerOf(
  { http, knownDevices }: { http: HttpPort; knownDevices: KnownDevices },
  { accessToken, refresh, user }: SignedIn,
) {
  setRefreshCookie(http, refresh);
  knownDevices.remember(http, user);
  return { accessToken, refreshToken: refresh.refreshToken, user: briefUser(user) };
}

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
