import type { HttpPort } from "../../platform/http-port.ts";
import { AppError } from "../../platform/errors.ts";
import { clearSiteCookie, setSiteCookie } from "../auth/known-devices.ts";
import { hashOf } from "../../platform/ids.ts";
import { pendingSeconds, ticketSeconds } from "./tickets.ts";
import type { FrontEndQuery } from "./external-sign-in.ts";
import { flowSeconds, type StartedFlow } from "./flows.ts";

/** Sets the cookie that binds a flow to the browser. SameSite=Lax, like all cookies here: Strict cookies are not sent on redirects from a provider. */
export function setFlowCookie(http: HttpPort, { name, value }: StartedFlow["cookie"]): void {
  setSiteCookie(http, { name, value, maxAgeSeconds: flowSeconds });
}

/**
 * Binds a ticket or pending token to the browser that received it. Both are in the console's URL, so an attacker could send a victim a URL
 * with their own: the victim would then use the attacker's account, or register one that the attacker can access (login CSRF, RFC 9700
 * §4.7).
 * @param site SITE_URL
 */
export function setArrivalCookie(http: HttpPort, site: string, outcome: FrontEndQuery): void {
  const { ticket, pending_token: pendingToken } = outcome;
  const token = ticket ?? pendingToken;
  if (token === undefined) return;
  const maxAgeSeconds = ticket === undefined ? pendingSeconds : ticketSeconds;
  setSiteCookie(http, { ...cookieOf(site, token), maxAgeSeconds });
}

/**
 * Requires the cookie from browsers. Clients without an Origin header are not browsers and not vulnerable to login CSRF.
 * @throws AppError UNAUTHORIZED if another browser received the ticket or pending token
 */
export function requireArrival(http: HttpPort, site: string, token: string): void {
  if (http.header("origin") === undefined) return;
  const { name, value } = cookieOf(site, token);
  if (http.cookie(name) !== value)
    throw new AppError(
      "UNAUTHORIZED",
      "This sign-in was started in another browser, or its cookie is missing. Sign in again.",
    );
}

/** Deletes the cookie after use. */
export function clearArrivalCookie(http: HttpPort, site: string, token: string): void {
  const { name } = cookieOf(site, token);
  if (http.cookie(name) !== undefined) clearSiteCookie(http, name);
}

/** Derives the cookie from the token. Others who know the token can compute it, but cannot set it in a victim's browser. */
function cookieOf(site: string, token: string): { name: string; value: string } {
  const value = hashOf(`arrival ${token}`);
  const name = `${site.startsWith("https:") ? "__Host-" : ""}identity_arrival_${value.replaceAll(/\W|_/g, "").slice(0, 12)}`;
  return { name, value };
}
