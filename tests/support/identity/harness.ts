import { afterAll, beforeAll, expect } from "vitest";
import { authorize, browserFor, comeBack, exchange, invite, signedInClient, startBinding } from "./external-sign-in.ts";
import { startIdentityVendor, vendorClient, type IdentityVendor } from "./vendors.ts";
import type { Answer, RestClient } from "../rest-client.ts";
import type { Zonewright } from "../zonewright.ts";

/** A configured GitHub on loopback, with the users that a test needs. */
export interface IdentityHarness {
  readonly vendor: IdentityVendor;
  /** The id of its configuration. */
  readonly configId: string;
  /** Switches to a user at the vendor. */
  be(id: number, about?: { login?: string; name?: string; email?: string; verified?: boolean }): void;
  /** Goes there and back. @returns what the front end gets */
  goThrough(): Promise<Record<string, string>>;
  /** Registers the vendor's current user. */
  register(fields?: object): Promise<Answer>;
  /** Registers the vendor's current user, which must succeed. @returns their client */
  newcomer(): Promise<RestClient>;
  /** Binds the vendor's current user to an account. @returns what the front end gets */
  bind(client: RestClient): Promise<Record<string, string>>;
  /** Signs in as the vendor's current user. */
  signIn(): Promise<Answer>;
}

export function useIdentityHarness(zw: Zonewright): IdentityHarness {
  let vendor: IdentityVendor;
  let configId = "";
  const emails: { email: string; primary: boolean; verified: boolean }[] = [];
  beforeAll(async () => {
    vendor = await startIdentityVendor("github", { "/user/emails": emails });
    const config = { providerId: "github", ...vendorClient, ...vendor.endpoints };
    configId = (await zw.admin.post("/api/oauth/providers", config)).body.id;
  });
  afterAll(() => vendor.stop());
  const harness: IdentityHarness = {
    get vendor() {
      return vendor;
    },
    get configId() {
      return configId;
    },
    be(id, { login = `user-${id}`, name = `User ${id}`, email, verified = true } = {}) {
      vendor.user.value = { id, login, name };
      emails.splice(0, emails.length, ...(email === undefined ? [] : [{ email, primary: true, verified }]));
    },
    async goThrough() {
      const browser = browserFor(zw);
      return await comeBack(browser, vendor.agree(await authorize(browser, "github")));
    },
    async register(fields) {
      const { pending_token: pendingToken } = await harness.goThrough();
      const body = fields ?? { inviteCode: await invite(zw) };
      return await zw.nobody.post("/api/auth/oauth/github/register", { pendingToken, ...body });
    },
    async newcomer() {
      const answer = await harness.register();
      expect(answer.status).toBe(201);
      return signedInClient(zw, answer);
    },
    async bind(client) {
      const browser = browserFor(zw);
      return await comeBack(browser, vendor.agree(await startBinding(browser, client, "github")));
    },
    async signIn() {
      return await exchange(zw, (await harness.goThrough()).ticket);
    },
  };
  return harness;
}
