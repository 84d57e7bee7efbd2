import { randomUUID } from "node:crypto";
import { parseCookie, stringifySetCookie } from "cookie";
import type { Request, Response } from "express";
import { looksPersonal } from "../../access/personal-token-form.ts";
import type { Context } from "../context.ts";
import type { CookieToSet, HttpPort } from "../../platform/http-port.ts";
import { claimedAddress } from "../limits/address.ts";
import { noteProcedure } from "./metrics.ts";

const requestIdForm = /^[\w.-]{8,64}$/;

/** Returns the caller's request id if it is valid, otherwise a new one, and sets it as `X-Request-Id`. */
export function requestIdOf(req: Request, res: Response): string {
  const known: unknown = res.locals["requestId"];
  if (typeof known === "string") return known;
  const given = req.header("x-request-id");
  const requestId = given !== undefined && requestIdForm.test(given) ? given : randomUUID();
  res.locals["requestId"] = requestId;
  res.setHeader("X-Request-Id", requestId);
  return requestId;
}

/** Adapts Express to the interface that procedures use. */
export function httpPort(req: Request, res: Response, secureCookies: boolean): HttpPort {
  return {
    header: (name) => {
      const value = req.headers[name];
      return Array.isArray(value) ? value[0] : value;
    },
    cookie: (name) => parseCookie(req.headers.cookie ?? "")[name],
    setHeader: (name, value) => {
      res.setHeader(name, value);
    },
    setCookie: (cookie: CookieToSet) => {
      const { name, value, path, maxAgeSeconds: maxAge } = cookie;
      const options = { path, httpOnly: true, sameSite: "lax" as const, secure: secureCookies };
      res.appendHeader(
        "Set-Cookie",
        stringifySetCookie({ name, value, ...options, ...(maxAge === undefined ? {} : { maxAge }) }),
      );
    },
    noteProcedure: (procedure) => {
      noteProcedure(res, procedure);
    },
    get ip() {
      return req.ip ?? null;
    },
    get claimedIp() {
      return claimedAddress(req.ip ?? "", req.header("x-forwarded-for"), req.ips.length);
    },
    cut: () => {
      res.destroy();
    },
  };
}

/**
 * Adds the access token from tRPC's connection parameters to a subscription's context. They are part of the URL, because a browser's
 * `EventSource` cannot send headers. Personal tokens are ignored there: they live too long for URLs, which are logged in many places.
 */
export function withConnectionToken<C extends Context>(
  context: C,
  { type, connectionParams }: { type: string; connectionParams: Readonly<Record<string, string | undefined>> | null },
): C {
  const token = type === "subscription" ? connectionParams?.["token"] : undefined;
  if (token === undefined || looksPersonal(token)) return context;
  const { http } = context;
  const authorization = () => http.header("authorization") ?? `Bearer ${token}`;
  const header = (name: string) => (name === "authorization" ? authorization() : http.header(name));
  return { ...context, http: { ...http, ip: http.ip, claimedIp: http.claimedIp, header } };
}
