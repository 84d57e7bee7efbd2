import { beforeEach, expect, test, vi } from "vitest";

const origin = "https://dns.example.com";
const answer = () => Promise.resolve(new Response("early"));

beforeEach(() => {
  vi.stubGlobal("location", { origin });
});

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

test("an answer that was asked for early is taken once, by the session that it was for", async () => {
  const { takeEarly } = await import("../../web/src/early-answers.ts");
  globalThis.zonewrightEarly = new Map([
    ["/api/auth/refresh", { token: null, response: answer() }],
    ["/trpc/auth.me?input=1", { token: "mine", response: answer() }],
  ]);
  const me = `${origin}/trpc/auth.me?input=1`;
  expect(takeEarly(me, bearer("another's"))).toBeNull();
  expect(takeEarly(me, undefined)).toBeNull();
  expect(takeEarly(`${origin}/trpc/auth.me?input=2`, bearer("mine"))).toBeNull();
  expect(takeEarly("https://elsewhere.example/trpc/auth.me?input=1", bearer("mine"))).toBeNull();
  expect(await (await takeEarly(me, bearer("mine")))?.text()).toBe("early");
  expect(takeEarly(me, bearer("mine"))).toBeNull();
  expect(await (await takeEarly(`${origin}/api/auth/refresh`, { method: "POST" }))?.text()).toBe("early");
});
