import { expect, test } from "vitest";
import { sendRaw } from "../support/raw-http.ts";
import { RestClient } from "../support/rest-client.ts";
import { memberPassword, startZonewright } from "../support/zonewright.ts";

/** Unique texts, each used in place of a secret. */
const planted = {
  wrongPassword: "planted-wrong-password",
  typedAsName: "planted-password-as-name",
  brokenBody: "planted-password-in-broken-json",
  brokenInput: "planted-password-in-superjson",
  unknownField: "planted-password-in-unknown-field",
  header: "planted.access.token",
  scheme: "cGxhbnRlZC1iYXNpYy1jcmVkZW50aWFscw==",
  personal: "zw_pt_plantedpersonaltoken",
  query: "planted-token-in-query",
  lostQuery: "planted-token-in-lost-query",
  refresh: "planted-refresh-token",
  cookie: "planted-refresh-cookie",
  apiKey: "planted-api-key-of-powerdns",
  tsig: "cGxhbnRlZC10c2lnLXNlY3JldC1wbGFudGVkLXRzaWc=",
  unreadable: "planted-bytes-that-are-no-http",
};

test("no call logs a password, token, cookie or key, even at the most verbose level", async () => {
  const lines: string[] = [];
  const zw = await startZonewright({
    env: { LOG_LEVEL: "trace", EGRESS_ALLOW: "127.0.0.1" },
    logTo: { write: (line) => lines.push(line) },
  });
  const { nobody, admin } = zw;
  const member = await zw.member("ada");
  const session = await nobody.post("/api/auth/login", { username: "ada", password: memberPassword });
  const { accessToken, refreshToken } = session.body;
  const refreshed = await nobody.post("/api/auth/refresh", { refreshToken });
  await nobody.post("/api/auth/refresh", { refreshToken: refreshed.body.refreshToken });
  await nobody.post("/api/auth/refresh", { refreshToken });
  await nobody.post("/api/auth/login", { username: "ada", password: planted.wrongPassword });
  await nobody.post("/api/auth/login", { username: planted.typedAsName, password: "x" });
  await nobody.post("/api/auth/login", `{"username":"ada","password":"${planted.brokenBody}`);
  await nobody.post("/api/auth/login", {
    username: "ada",
    password: "x",
    [planted.unknownField]: planted.unknownField,
  });
  await nobody.post("/trpc/auth.login", {
    json: { username: "ada", password: planted.brokenInput },
    meta: { values: 1 },
  });
  await nobody.post("/api/auth/refresh", { refreshToken: planted.refresh });
  await nobody.post("/api/auth/refresh", undefined, { cookie: `refresh_token=${planted.cookie}` });
  await nobody.post("/api/auth/refresh", undefined, {
    cookie: `refresh_token=${planted.cookie}`,
    origin: "https://evil.example",
  });
  for (const token of [planted.header, planted.personal]) await new RestClient(zw.url, token).get("/api/domains");
  await nobody.get("/api/domains", { authorization: `Basic ${planted.scheme}` });
  await nobody.get(`/api/domains?token=${planted.query}`);
  await nobody.get(`/api/notifications/stream?token=${planted.lostQuery}`);
  await member.post("/api/provider-configs", {});
  const configs = [
    { kind: "powerdns", name: "PowerDNS", config: { url: "http://127.0.0.1:9", apiKey: planted.apiKey } },
    {
      kind: "rfc2136",
      name: "BIND",
      config: { server: "127.0.0.1", port: 9, tsigName: "k", tsigSecret: planted.tsig, zones: "a.example" },
    },
  ];
  for (const config of configs) {
    const { status, body } = await admin.post("/api/provider-configs", config);
    expect({ status, body }).toMatchObject({ status: 201 });
    await admin.post(`/api/provider-configs/${body.id}/test`);
    await admin.get(`/api/provider-configs/${body.id}/zones`);
    await admin.post("/api/domains", { name: "a.example", providerConfigId: body.id });
  }
  await sendRaw(zw.url, `${planted.unreadable}\r\n\r\n`);
  await zw.stop();

  const log = lines.join("");
  // The log must not be empty.
  for (const reported of [
    "a sign-in failed",
    "was used again",
    "an administrator procedure",
    "a dependency was unavailable",
  ])
    expect(log).toContain(reported);
  const issued = {
    accessToken,
    refreshToken,
    member: member.token,
    second: refreshed.body.refreshToken,
    memberPassword,
  };
  for (const [place, secret] of Object.entries({ ...planted, ...issued })) {
    expect({ place, known: typeof secret === "string" && secret.length >= 8 }).toEqual({ place, known: true });
    expect({ place, leaked: log.includes(String(secret)) }).toEqual({ place, leaked: false });
  }
});
