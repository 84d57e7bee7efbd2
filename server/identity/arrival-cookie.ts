import type { HttpPort } from "../platform/http-port.ts";
import { AppError } from "../platform/errors.ts";
import { clearSiteCookie, setSiteCookie } from "./flow-cookie.ts";
import { hashOf } from "../platform/opaque-tokens.ts";
import { pendingSeconds, ticketSeconds } from "./tickets.ts";
import type { FrontEndQuery } from "./external-sign-in.ts";

/**
 * Lets a browser know what came to it itself. A ticket stands in the front end's address, and an attacker can send anybody there with one of their
 * own: who follows would work in the attacker's account, or make one that the attacker can enter (login CSRF, RFC 9700 §4.7).
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
 * Asks a page for the cookie. What is no browser sends no Origin, has no cookies that matter and cannot be lured.
 * @throws AppError UNAUTHORIZED where the ticket or the pending token came to another browser
 */
export function requireArrival(http: HttpPort, site: string, token: string): void {
  if (http.header("origin") === undefined) return;
  const { name, value } = cookieOf(site, token);
  if (http.cookie(name) !== value)
    throw new AppError(
      "UNAUTHORIZED",
      "This did not come to your browser from the provider, or its cookie was not sent along; sign in again.",
    );
}

/** For what is used up. */
export function clearArrivalCookie(http: HttpPort, site: string, token: string): void {
  const { name } = cookieOf(site, token);
  if (http.cookie(name) !== undefined) clearSiteCookie(http, name);
}

/** Whoever has the token can tell the value; what they cannot do is put it into another's browser. */
function cookieOf(site: string, token: string): { name: string; value: string } {
  const value = hashOf(`arrival ${token}`);
  const name = `${site.startsWith("https:") ? "__Host-" : ""}identity_arrival_${value.replaceAll(/\W|_/g, "").slice(0, 12)}`;
  return { name, value };
}
