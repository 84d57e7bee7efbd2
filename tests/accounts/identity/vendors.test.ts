import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  authorize,
  browserFor,
  comeBack,
  exchange,
  invite,
  signedInClient,
  site,
} from "../../support/identity/external-sign-in.ts";
import {
  startIdentityVendor,
  vendorClient,
  type IdentityVendor,
  type VendorName,
} from "../../support/identity/vendors.ts";
import { useZonewright } from "../../support/zonewright.ts";

const zw = useZonewright({ env: { SITE_URL: site } });

interface Expected {
  vendor: VendorName;
  username: string;
  /** The fields of the account: only what the vendor has verified. */
  email: string | null;
  subject: string;
  displayName: string;
}

const expected: Expected[] = [
  { vendor: "github", username: "octo-cat", email: "mona@example.org", subject: "583231", displayName: "Mona Octocat" },
  { vendor: "gitlab", username: "tanuki", email: "tanuki@example.org", subject: "4711", displayName: "Tanuki" },
  { vendor: "google", username: "ada", email: null, subject: "110169484474386276334", displayName: "Ada Lovelace" },
  { vendor: "dingtalk", username: "ming", email: null, subject: "z21HjQliSzpw0Yxxxx", displayName: "小明" },
  { vendor: "feishu", username: "San-Zhang", email: null, subject: "on_d89jhsdhjsajkda7828", displayName: "张三" },
];

const vendors = new Map<VendorName, IdentityVendor>();
beforeAll(async () => {
  for (const { vendor: providerId } of expected) {
    const vendor = await startIdentityVendor(providerId);
    vendors.set(providerId, vendor);
    await zw.admin.post("/api/oauth/providers", { providerId, ...vendorClient, ...vendor.endpoints });
  }
});
afterAll(async () => {
  for (const vendor of vendors.values()) await vendor.stop();
});

function vendorNamed(name: VendorName): IdentityVendor {
  const vendor = vendors.get(name);
  if (!vendor) throw new Error(`${name} was not started.`);
  return vendor;
}

test.each<[vendor: VendorName, claim: string, group: string]>([
  ["github", "plan.name", "pro"],
  ["dingtalk", "stateCode", "86"],
  ["feishu", "tenant_key", "736588c9260f175e"],
])("a rule for %s may name what its user endpoint sends in %s", async (name, groupsClaim, group) => {
  const vendor = vendorNamed(name);
  const { body } = await zw.admin.get("/api/oauth/providers");
  const config = body.providers.find(({ providerId }: { providerId: string }) => providerId === name);
  const configure = async (fields: object) => await zw.admin.put(`/api/oauth/providers/${config.id}`, fields);
  const groupRules = [{ group, role: "auditor" }];
  expect((await configure({ groupsClaim, groupRules, defaultDeny: true })).status).toBe(200);
  const browser = browserFor(zw);
  const { pending_token: pendingToken } = await comeBack(browser, vendor.agree(await authorize(browser, name)));
  const fields = { pendingToken, code: await invite(zw) };
  const registered = await zw.nobody.post(`/api/auth/oauth/${name}/register`, fields);
  expect(registered.body).toMatchObject({ user: { role: "auditor" } });
  await configure({ groupsClaim: null, groupRules: [], defaultDeny: false });
  await zw.admin.delete(`/api/users/${registered.body.user.id}`);
});

describe.each(expected)(
  "external sign-in through $vendor",
  ({ vendor: name, username, email, subject, displayName }) => {
    let vendor: IdentityVendor;
    beforeAll(() => {
      vendor = vendorNamed(name);
    });

    async function goThrough() {
      const browser = browserFor(zw);
      return await comeBack(browser, vendor.agree(await authorize(browser, name)));
    }

    test("requests match the vendor's documentation, and people register and sign in", async () => {
      const { pending_token: pendingToken } = await goThrough();
      const registered = await zw.nobody.post(`/api/auth/oauth/${name}/register`, {
        pendingToken,
        code: await invite(zw),
      });
      expect(registered.body).toMatchObject({ user: { username, email, role: "member" } });
      const signedIn = await exchange(zw, (await goThrough()).ticket);
      expect(signedIn.body.user).toEqual(registered.body.user);
      const { body } = await signedInClient(zw, signedIn).get("/api/auth/oauth/bindings");
      expect(body.bindings).toMatchObject([{ providerId: name, type: "oauth2", subject, displayName }]);
    });

    test("a code that the vendor rejects is refused", async () => {
      const browser = browserFor(zw);
      const back = vendor.agree(await authorize(browser, name));
      const parameter = back.searchParams.has("authCode") ? "authCode" : "code";
      back.searchParams.set(parameter, "never-given");
      expect(await comeBack(browser, back)).toEqual({ error: "provider_error" });
      const twice = vendor.agree(await authorize(browser, name));
      twice.searchParams.append(parameter, "another");
      expect(await comeBack(browser, twice)).toEqual({ error: "provider_error" });
    });

    test.each([
      ["fails", { status: 500, body: "<h1>Sorry</h1>" }],
      ["answers with something other than JSON", { status: 200, body: "access_token=abc" }],
      ["answers with a list", { status: 200, body: "[]" }],
      ["answers with an object of other fields", { status: 200, body: '{"access_token": 7, "accessToken": null}' }],
      ["closes the connection", null],
    ])("a vendor that %s is distinguished from a user who refuses consent", async (_how, reply) => {
      const browser = browserFor(zw);
      const back = vendor.agree(await authorize(browser, name));
      vendor.failNext({ after: false, reply });
      expect(await comeBack(browser, back)).toEqual({ error: "provider_error" });
    });

    test("a user endpoint without an identity is refused", async () => {
      const reported = vendor.user.value;
      try {
        for (const nobody of [{}, [], null, { code: 0, data: {} }, { code: 99_991_668, msg: "Invalid access token" }]) {
          vendor.user.value = nobody;
          expect(await goThrough()).toEqual({ error: "provider_error" });
        }
      } finally {
        vendor.user.value = reported;
      }
    });
  },
);

test.each<[VendorName, Record<string, unknown>]>([
  ["github", { error: "bad_verification_code" }],
  ["feishu", { code: 20_003 }],
])("an error of %s with status 200 is an error, whatever else it contains", async (name, refusal) => {
  const vendor = vendorNamed(name);
  const answer = JSON.stringify({ access_token: "vendor-access-token", token_type: "bearer", ...refusal });
  vendor.failNext({ after: false, reply: { status: 200, body: answer } });
  const browser = browserFor(zw);
  expect(await comeBack(browser, vendor.agree(await authorize(browser, name)))).toEqual({ error: "provider_error" });
});

test("DingTalk's code may also have its standard name", async () => {
  const vendor = vendorNamed("dingtalk");
  const browser = browserFor(zw);
  const back = vendor.agree(await authorize(browser, "dingtalk"));
  back.searchParams.set("code", back.searchParams.get("authCode") ?? "");
  back.searchParams.delete("authCode");
  const query = await comeBack(browser, back);
  expect(query["pending_token"] ?? query["ticket"]).toMatch(/^[\w-]{43}$/);
});
