import { afterAll, beforeAll, expect } from "vitest";
import { authorize, browserFor, comeBack, exchange, invite, signedInClient, startBinding } from "./external-sign-in.ts";
import { startIdentityVendor, vendorClient, type IdentityVendor } from "./vendors.ts";
import type { Answer, RestClient } from "../rest-client.ts";
import type { Zonewright } from "../zonewright.ts";

/** A GitHub on loopback, configured, with whoever a test needs in it. */
export interface IdentityHarness {
  readonly vendor: IdentityVendor;
  /** The id of its configuration. */
  readonly configId: string;
  /** Becomes somebody at the vendor. */
  be(id: number, about?: { login?: string; name?: string; email?: string; verified?: boolean }): void;
  /** Goes there and back. @returns what the front end gets */
  goThrough(): Promise<Record<string, string>>;
  /** Registers whom the vendor tells of. */
  register(fields?: object): Promise<Answer>;
  /** Registers whom the vendor tells of, who must be let in. @returns their client */
  newcomer(): Promise<RestClient>;
  /** Binds whom the vendor tells of to a user. @returns what the front end gets */
  bind(client: RestClient): Promise<Record<string, string>>;
  /** Signs in as whom the vendor tells of. */
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
