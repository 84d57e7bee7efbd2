import { afterEach, beforeEach, expect, test, vi } from "vitest";

const origin = "https://dns.example.com";
const answer = () => Promise.resolve(new Response("early"));

beforeEach(() => {
  vi.stubGlobal("location", { origin });
});

afterEach(() => {
  globalThis.zonewrightAsked?.clear();
});

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

test("an answer that was asked for early is taken once, by the session that it was for", async () => {
  const { takeEarly } = await import("../../web/src/early-answers.ts");
  globalThis.zonewrightEarly = new Map([
    ["/api/auth/refresh", { token: null, response: answer() }],
    ["/trpc/auth.me?input=1", { token: "mine", response: answer() }],
  ]);
  const me = `${origin}/trpc/auth.me?input=1`;
  expect(takeEarly(`${origin}/trpc/auth.me?input=2`, bearer("mine"))).toBeNull();
  expect(takeEarly("https://elsewhere.example/trpc/auth.me?input=1", bearer("mine"))).toBeNull();
  expect(await (await takeEarly(me, bearer("mine")))?.text()).toBe("early");
  expect(takeEarly(me, bearer("mine"))).toBeNull();
  expect(await (await takeEarly(`${origin}/api/auth/refresh`, { method: "POST" }))?.text()).toBe("early");
});

test("an answer is not for another session", async () => {
  const { takeEarly } = await import("../../web/src/early-answers.ts");
  const me = `${origin}/trpc/auth.me?input=1`;
  for (const init of [bearer("another's"), undefined]) {
    globalThis.zonewrightAsked?.clear();
    globalThis.zonewrightEarly = new Map([["/trpc/auth.me?input=1", { token: "mine", response: answer() }]]);
    expect(takeEarly(me, init)).toBeNull();
  }
});

test("an answer that comes after the console has asked by itself never stands for what a later call wants to know", async () => {
  const { takeEarly } = await import("../../web/src/early-answers.ts");
  const zone = `${origin}/trpc/domains.get?input=1`;
  globalThis.zonewrightEarly = new Map();
  expect(takeEarly(zone, bearer("mine"))).toBeNull();
  globalThis.zonewrightEarly.set("/trpc/domains.get?input=1", { token: "mine", response: answer() });
  expect(takeEarly(zone, bearer("mine"))).toBeNull();
});
