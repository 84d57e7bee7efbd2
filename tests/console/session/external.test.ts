import { expect, test } from "vitest";
import { externalReturn } from "../../../web/src/session/external.ts";
import { betterAddress } from "../../../web/src/site.ts";

test.each([
  ["?ticket=abc", { kind: "ticket", ticket: "abc" }],
  ["?needs_invite=true&pending_token=p", { kind: "needsInvite", pendingToken: "p" }],
  ["?bound=1&provider_id=github", { kind: "bound", providerId: "github" }],
  ["?error=access_denied", { kind: "error", code: "access_denied" }],
  ["?needs_invite=true", null],
  ["?search=example", null],
])("a return with %j is understood", (search, outcome) => {
  expect(externalReturn(search)).toEqual(outcome);
});

test.each([
  ["http://127.0.0.1:3000/d/example.com", "", "http://localhost:3000/d/example.com"],
  ["http://[::1]:3000/", "", "http://localhost:3000/"],
  ["http://localhost:3000/", "", null],
  ["http://192.168.1.5:3000/", "", null],
  ["http://10.0.0.1:3000/a?b#c", "https://dns.example.com", "https://dns.example.com/a?b#c"],
  ["https://dns.example.com/", "https://dns.example.com", null],
  ["http://127.0.0.1:3000/", "http://localhost:8080", "http://localhost:8080/"],
])("the page at %s with SITE_URL %j belongs at %j", (href, site, better) => {
  expect(betterAddress(href, site)).toBe(better);
});
