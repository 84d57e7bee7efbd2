import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { authorize, browserFor, comeBack, invite, site } from "../../support/identity/external-sign-in.ts";
import {
  hs256,
  rogueClient,
  rs256,
  startRogueProvider,
  type RogueProvider,
  type TokenParts,
} from "../../support/identity/rogue-openid-provider.ts";
import { useZonewright } from "../../support/zonewright.ts";

const lines: string[] = [];
const zw = useZonewright({
  env: { SITE_URL: site },
  logTo: { write: (line) => void lines.push(line) },
});
let rogue: RogueProvider;

beforeAll(async () => {
  rogue = await startRogueProvider();
  const { wellKnownUrl } = rogue;
  rogue.discovery["authorization_response_iss_parameter_supported"] = true;
  await zw.admin.post("/api/oauth/providers", { providerId: "oidc", ...rogueClient, wellKnownUrl });
  const explicit = {
    authorizeUrl: `${rogue.url}/authorize`,
    tokenUrl: `${rogue.url}/token`,
    userInfoUrl: `${rogue.url}/userinfo`,
  };
  await zw.admin.post("/api/oauth/providers", { providerId: "custom", ...rogueClient, ...explicit });
});
afterAll(() => rogue.stop());
beforeEach(() => {
  rogue.tamper();
  rogue.leaveOutIdToken = false;
  for (const field of Object.keys(rogue.user)) delete rogue.user[field];
});

/** Returns from the rogue provider. @returns the parameters that the front end receives */
async function goThrough(providerId: "oidc" | "custom", extra: Record<string, string> = {}) {
  const browser = browserFor(zw);
  const url = await authorize(browser, providerId);
  const iss: Record<string, string> = providerId === "oidc" ? { iss: rogue.url } : {};
  return await comeBack(browser, rogue.agree(url, { ...iss, ...extra }));
}

// First: twenty failures a minute are logged.
test("the log has the provider's reason, but no code, token, secret or state", async () => {
  lines.splice(0);
  const browser = browserFor(zw);
  const url = await authorize(browser, "custom");
  const back = rogue.agree(url);
  const code = back.searchParams.get("code") ?? "";
  // The provider forgets the code and quotes it in its refusal.
  await fetch(`${rogue.url}/token`, { method: "POST", body: new URLSearchParams({ code }) });
  expect(await comeBack(browser, back)).toEqual({ error: "provider_error" });
  const denied = rogue.agree(await authorize(browser, "oidc"), {
    error: "temporarily_unavailable",
    error_description: "Come back\r\nlater",
  });
  denied.searchParams.delete("code");
  expect(await comeBack(browser, denied)).toEqual({ error: "provider_error" });
  expect(lines.join("")).toContain("invalid_grant");
  expect(lines.join("")).toContain("temporarily_unavailable: Come back later");
  const log = lines.join("");
  for (const secret of [code, back.searchParams.get("state"), rogueClient.clientSecret, "rogue-access-token"])
    expect(log).not.toContain(secret);
});

/** A refusal in which a provider quotes the request. */
function quoting(words: string) {
  const headers = { "content-type": "application/json" };
  return { status: 400, headers, body: JSON.stringify({ error: "odd", error_description: words }) };
}

function asked(path: string) {
  return (call: { url: URL }) => call.url.pathname === path;
}

test("the log has no secret that the provider quotes, not even a short access token or a truncated secret", async () => {
  lines.splice(0);
  rogue.failNext({ after: false, reply: quoting("What is rogue-access-token?") }, 1, asked("/userinfo"));
  expect(await goThrough("custom")).toEqual({ error: "provider_error" });
  const { clientSecret } = rogueClient;
  for (const providerId of ["oidc", "custom"] as const) {
    for (let length = 270; length < 300; length += 5) {
      const story = `${"a ".repeat(150).slice(0, length)} ${clientSecret}`;
      rogue.failNext({ after: false, reply: quoting(story) }, 1, asked("/token"));
      expect(await goThrough(providerId)).toEqual({ error: "provider_error" });
    }
  }
  const log = lines.join("");
  expect(log).toContain("odd: What is");
  expect(log).toContain("odd: a a a");
  for (const secret of ["rogue-access", clientSecret.slice(0, 8)]) expect(log).not.toContain(secret);
});

const past = () => Math.floor(Date.now() / 1_000) - 3_600;

describe("a provider that replaces its keys without overlap", () => {
  test("a sign-in with the new key succeeds at once, and one with the old key is refused", async () => {
    expect(await goThrough("oidc")).toHaveProperty("pending_token");
    rogue.keysReplaced = true;
    rogue.tamper((parts) => {
      parts.header["kid"] = "two";
      parts.signature = rs256(rogue.strangersKey);
    });
    expect(await goThrough("oidc")).toHaveProperty("pending_token");
    rogue.tamper();
    expect(await goThrough("oidc")).toEqual({ error: "provider_error" });
  });

  test("unknown keys have its keys read at most five times a minute, and known ones not again", async () => {
    rogue.keysReplaced = false;
    const before = rogue.keysRead;
    rogue.tamper(({ header }) => (header["kid"] = "unheard-of"));
    for (let count = 0; count < 8; count++) expect(await goThrough("oidc")).toEqual({ error: "provider_error" });
    const read = rogue.keysRead - before;
    expect(read).toBeGreaterThan(0);
    expect(read).toBeLessThanOrEqual(5);
    rogue.tamper();
    expect(await goThrough("oidc")).toHaveProperty("pending_token");
    expect(rogue.keysRead - before).toBe(read);
  });
});

describe("a provider with a discovery document", () => {
  test("a valid id_token is accepted", async () => {
    expect(await goThrough("oidc")).toHaveProperty("pending_token");
  });

  test.each<[string, (parts: TokenParts) => void]>([
    ["of another sign-in, by its nonce", ({ claims }) => (claims["nonce"] = "another")],
    ["without a nonce", ({ claims }) => delete claims["nonce"]],
    ["for another client", ({ claims }) => (claims["aud"] = "somebody-else")],
    [
      "for several clients, issued to another",
      ({ claims }) => Object.assign(claims, { aud: [rogueClient.clientId, "b"], azp: "b" }),
    ],
    ["of another issuer", ({ claims }) => (claims["iss"] = "https://accounts.example.com")],
    ["that has expired", ({ claims }) => Object.assign(claims, { iat: past() - 300, exp: past() })],
    ["without an expiry", ({ claims }) => delete claims["exp"]],
    ["about nobody", ({ claims }) => delete claims["sub"]],
    ["about somebody other than the userinfo endpoint tells of", ({ claims }) => (claims["sub"] = "alice")],
    ["signed by a stranger", (parts) => (parts.signature = rs256(rogue.strangersKey))],
    [
      "whose claims were changed after it was signed",
      (parts) => {
        const signed = parts.signature("something else");
        parts.signature = () => signed;
      },
    ],
    [
      "that is not signed, with alg none",
      (parts) => {
        parts.header = { alg: "none" };
        parts.signature = () => "";
      },
    ],
    [
      "with a signature but alg none",
      (parts) => {
        parts.header = { alg: "none" };
      },
    ],
    [
      "signed with the public key as if it were a secret (HS256 in place of RS256)",
      (parts) => {
        parts.header = { alg: "HS256", kid: "one" };
        parts.signature = hs256(rogue.publicPem);
      },
    ],
    [
      "signed with the client secret (HS256)",
      (parts) => {
        parts.header = { alg: "HS256" };
        parts.signature = hs256(rogueClient.clientSecret);
      },
    ],
  ])("with a discovery document, an id_token %s is refused", async (_how, tamper) => {
    rogue.tamper(tamper);
    expect(await goThrough("oidc")).toEqual({ error: "provider_error" });
  });

  test("a response with another issuer, or without a required one, is refused before its code is used", async () => {
    const before = rogue.calls.filter(({ url }) => url.pathname === "/token").length;
    expect(await goThrough("oidc", { iss: "https://accounts.example.com" })).toEqual({ error: "provider_error" });
    const browser = browserFor(zw);
    expect(await comeBack(browser, rogue.agree(await authorize(browser, "oidc")))).toEqual({ error: "provider_error" });
    expect(rogue.calls.filter(({ url }) => url.pathname === "/token")).toHaveLength(before);
  });
});

describe("a provider with configured endpoints", () => {
  test("the userinfo endpoint is trusted together with a matching id_token", async () => {
    expect(await goThrough("custom")).toHaveProperty("pending_token");
  });

  test.each<[string, (parts: TokenParts) => void]>([
    ["of another sign-in, by its nonce", ({ claims }) => (claims["nonce"] = "another")],
    ["for another client", ({ claims }) => (claims["aud"] = "somebody-else")],
    ["that has expired", ({ claims }) => (claims["exp"] = past())],
    ["about somebody else", ({ claims }) => (claims["sub"] = "alice")],
    ["without an issuer", ({ claims }) => delete claims["iss"]],
    [
      "for several clients, issued to another",
      ({ claims }) => Object.assign(claims, { aud: [rogueClient.clientId, "b"], azp: "b" }),
    ],
    ["without an expiry", ({ claims }) => delete claims["exp"]],
    ["that is not valid yet", ({ claims }) => (claims["nbf"] = past() + 7_200)],
    ["with alg none", ({ header }) => (header["alg"] = "none")],
  ])("with configured endpoints, an id_token %s is refused", async (_how, tamper) => {
    rogue.tamper(tamper);
    expect(await goThrough("custom")).toEqual({ error: "provider_error" });
  });

  test("a response with another issuer than the id_token is refused", async () => {
    expect(await goThrough("custom", { iss: `${rogue.url}/another` })).toEqual({ error: "provider_error" });
    expect(await goThrough("custom", { iss: rogue.url })).toHaveProperty("pending_token");
  });

  test.each(["https://accounts.example.com", "no address"])(
    "a response that names another issuer (%s) is refused before its code is used",
    async (iss) => {
      const before = rogue.calls.filter(({ url }) => url.pathname === "/token").length;
      expect(await goThrough("custom", { iss })).toEqual({ error: "provider_error" });
      expect(rogue.calls.filter(({ url }) => url.pathname === "/token")).toHaveLength(before);
    },
  );

  test("a response without an id_token, which OpenID Connect requires, is refused", async () => {
    rogue.leaveOutIdToken = true;
    expect(await goThrough("custom")).toEqual({ error: "provider_error" });
    expect(await goThrough("oidc")).toEqual({ error: "provider_error" });
  });
});

test("an address counts as verified only if its source says so", async () => {
  rogue.tamper(({ claims }) => Object.assign(claims, { sub: "eve", email: "mine@example.net", email_verified: true }));
  rogue.user["sub"] = "eve";
  rogue.user["email"] = "yours@example.net";
  rogue.user["email_verified"] = undefined;
  const { pending_token: pendingToken } = await goThrough("oidc");
  const registered = await zw.nobody.post("/api/auth/oauth/oidc/register", {
    pendingToken,
    inviteCode: await invite(zw),
  });
  expect(registered.body.user.email).toBeNull();
});

test("a subject, name or address that no database can store causes no internal error", async () => {
  rogue.user["name"] = "Ma\u0000llory \ud800";
  rogue.user["email"] = `${"x".repeat(5_000)}@example.net`;
  expect(await goThrough("oidc")).toHaveProperty("pending_token");
  rogue.tamper(({ claims }) => (claims["sub"] = "mal\u0000lory"));
  rogue.user["sub"] = "mal\u0000lory";
  expect(await goThrough("oidc")).toEqual({ error: "provider_error" });
});
