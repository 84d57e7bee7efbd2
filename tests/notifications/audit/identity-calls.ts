import { authorize, browserFor, comeBack, invite, startBinding } from "../../support/identity/external-sign-in.ts";
import { startIdentityVendor, vendorClient, type IdentityVendor } from "../../support/identity/vendors.ts";
import type { Answer } from "../../support/rest-client.ts";
import type { Zonewright } from "../../support/zonewright.ts";

let made = 5_000;

/** Calls of identity providers, each with its audit action. The vendor runs from `start` to `stop`. */
export function identityCalls(zw: () => Zonewright) {
  let vendor: IdentityVendor;
  let configId = "";

  async function goThrough(): Promise<Record<string, string>> {
    const browser = browserFor(zw());
    return await comeBack(browser, vendor.agree(await authorize(browser, "github")));
  }

  async function registered(): Promise<Answer> {
    made += 1;
    vendor.user.value = { id: made, login: `caller-${made}` };
    const { pending_token: pendingToken } = await goThrough();
    const inviteCode = await invite(zw());
    return await zw().nobody.post("/api/auth/oauth/github/register", { pendingToken, inviteCode });
  }

  async function exchanged(): Promise<Answer> {
    await registered();
    return await zw().nobody.post("/api/auth/oauth/exchange-ticket", { ticket: (await goThrough())["ticket"] });
  }

  async function unbound(): Promise<Answer> {
    made += 1;
    vendor.user.value = { id: made, login: `caller-${made}` };
    const member = await zw().member(`caller-${made}`);
    const browser = browserFor(zw());
    await comeBack(browser, vendor.agree(await startBinding(browser, member, "github")));
    return await member.delete("/api/auth/oauth/unbind/github");
  }

  const newConfig = (providerId: string) => zw().admin.post("/api/oauth/providers", { providerId, clientId: "client" });

  async function deletedConfig(): Promise<Answer> {
    const { body } = await newConfig("gitlab");
    return await zw().admin.delete(`/api/oauth/providers/${body.id}`);
  }

  const calls: Record<string, [action: string, call: () => Promise<Answer>, by?: "member"]> = {
    "identity.exchangeTicket": ["identity.sign_in", exchanged, "member"],
    "identity.register": ["identity.register", registered, "member"],
    "identity.unbind": ["identity.unbind", unbound, "member"],
    "identityConfigs.create": ["identity_config.create", () => newConfig("google")],
    "identityConfigs.update": [
      "identity_config.update",
      () => zw().admin.put(`/api/oauth/providers/${configId}`, { enabled: true }),
    ],
    "identityConfigs.delete": ["identity_config.delete", deletedConfig],
  };
  return {
    calls,
    async start() {
      vendor = await startIdentityVendor("github");
      const config = { providerId: "github", ...vendorClient, ...vendor.endpoints };
      configId = (await zw().admin.post("/api/oauth/providers", config)).body.id;
    },
    stop: () => vendor.stop(),
  };
}
