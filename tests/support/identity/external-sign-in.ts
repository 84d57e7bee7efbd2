import { expect } from "vitest";
import { Browser } from "./browser.ts";
import { rememberSecrets } from "../log-watch.ts";
import type { Answer, RestClient } from "../rest-client.ts";
import { RestClient as Client } from "../rest-client.ts";
import type { Zonewright } from "../zonewright.ts";

/** The public address that tests of external sign-in run under. */
export const site = "https://dns.example.com";

/** A browser that reaches the service under its public address. */
export function browserFor(zw: Zonewright): Browser {
  return new Browser({ [site]: zw.url });
}

/** Sends a browser to a provider. @param query of the address, such as `?prompt=login`. @returns the redirect target */
export async function authorize(browser: Browser, providerId: string, query = ""): Promise<URL> {
  const { status, location } = await browser.get(`${site}/api/auth/oauth/${providerId}/authorize${query}`);
  expect(status).toBe(302);
  if (!location) throw new Error("There is no redirect.");
  return location;
}

/** Follows a provider's redirect back. @returns what the front end gets in its query */
export async function comeBack(browser: Browser, callback: URL): Promise<Record<string, string>> {
  const { status, location } = await browser.get(callback);
  expect(status).toBe(302);
  expect(location?.origin).toBe(site);
  expect(location?.pathname).toBe("/");
  const query = Object.fromEntries(location?.searchParams ?? []);
  rememberSecrets(query);
  return query;
}

/** Turns a ticket into a session. */
export async function exchange(zw: Zonewright, ticket: string | undefined): Promise<Answer> {
  return await zw.nobody.post("/api/auth/oauth/exchange-ticket", { ticket });
}

/** Begins to bind a provider to the account of `client`, in `browser`. @returns where the browser has to go */
export async function startBinding(browser: Browser, client: RestClient, providerId: string): Promise<URL> {
  const { status, body } = await browser.send("POST", new URL(`${site}/api/auth/oauth/${providerId}/bind/start`), {
    headers: { authorization: `Bearer ${client.token}` },
  });
  expect(status).toBe(200);
  return new URL(body.authorizeUrl);
}

/** An invitation code for registering. */
export async function invite(zw: Zonewright, invitation: object = {}): Promise<string> {
  const { body } = await zw.admin.post("/api/invitations", invitation);
  return body.code;
}

/** A client with the session from an answer. */
export function signedInClient(zw: Zonewright, { body }: Answer): RestClient {
  return new Client(zw.url, body.accessToken);
}
