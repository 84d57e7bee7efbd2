import { generateKeyPairSync } from "node:crypto";
import { createServer } from "node:http";
import { Provider } from "oidc-provider";
import type { Browser, Page } from "./browser.ts";
import { freePorts } from "../programs.ts";

/** A user with an account there. */
interface Account {
  email?: string;
  email_verified?: boolean;
  name?: string;
  preferred_username?: string;
  /** In any form, for hostile ones. */
  groups?: unknown;
  realm_access?: unknown;
  _claim_names?: unknown;
  hasgroups?: unknown;
}

export interface OpenIdProvider {
  issuer: string;
  wellKnownUrl: string;
  clientId: string;
  clientSecret: string;
  /** By sign-in name, which is also the `sub`. */
  accounts: Map<string, Account>;
  /** Signs in there as a user and consents to everything. @returns the redirect back to the site */
  signIn(browser: Browser, authorizeUrl: string | URL, login: string): Promise<URL>;
  /** Signs in there and refuses. @returns the redirect back to the site */
  refuse(browser: Browser, authorizeUrl: string | URL): Promise<URL>;
  stop(): Promise<void>;
}

/** A real OpenID provider on loopback, with its own pages for signing in and consenting. */
export async function startOpenIdProvider(redirectUri: string): Promise<OpenIdProvider> {
  const [port = 0] = await freePorts(1);
  const issuer = `http://127.0.0.1:${port}`;
  const accounts = new Map<string, Account>();
  const clientId = "zonewright-client";
  const clientSecret = "a secret: of 100 % odd & strange characters";
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const key = { ...privateKey.export({ format: "jwk" }), alg: "RS256", use: "sig", kid: "one" };
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [redirectUri],
        response_types: ["code"],
        grant_types: ["authorization_code"],
      },
    ],
    jwks: { keys: [key] },
    cookies: { keys: ["a key for the cookies of tests"] },
    pkce: { required: () => true },
    claims: {
      openid: ["sub"],
      email: ["email", "email_verified"],
      profile: ["name", "preferred_username", "groups", "realm_access", "_claim_names", "hasgroups"],
    },
    features: { devInteractions: { enabled: true } },
    findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id, ...accounts.get(id) }) }),
    ttl: { AccessToken: 600, AuthorizationCode: 60, IdToken: 600, Interaction: 600, Session: 600, Grant: 600 },
  });
  const server = createServer((request, response) => void provider.callback()(request, response));
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const back = (location: URL) => location.href.startsWith(redirectUri);

  async function loginPage(browser: Browser, authorizeUrl: string | URL): Promise<Page> {
    const page = await browser.follow(authorizeUrl, back);
    if (page.status !== 200)
      throw new Error(`The provider does not ask for a sign-in: ${page.status} ${String(page.body)}`);
    return page;
  }

  async function onwards(browser: Browser, page: Page): Promise<Page> {
    return page.location && !back(page.location) ? await browser.follow(page.location, back) : page;
  }

  return {
    issuer,
    wellKnownUrl: `${issuer}/.well-known/openid-configuration`,
    clientId,
    clientSecret,
    accounts,
    async signIn(browser, authorizeUrl, login) {
      const first = await loginPage(browser, authorizeUrl);
      let page = await onwards(browser, await browser.submit(first, { login, password: "whatever" }));
      if (page.status === 200) page = await onwards(browser, await browser.submit(page, {}));
      if (!page.location)
        throw new Error(`The provider does not send the browser back: ${page.status} ${String(page.body)}`);
      return page.location;
    },
    async refuse(browser, authorizeUrl) {
      const page = await loginPage(browser, authorizeUrl);
      const [, abort = ""] = /href="([^"]*\/abort)"/.exec(String(page.body)) ?? [];
      const { location } = await browser.follow(new URL(abort, page.url), back);
      if (!location) throw new Error("The provider does not send the browser back.");
      return location;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
