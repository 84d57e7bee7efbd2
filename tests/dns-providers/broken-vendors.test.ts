import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startLoopbackVendor, type LoopbackVendor, type VendorReply } from "../support/vendors/loopback-vendor.ts";
import { useZonewright } from "../support/zonewright.ts";
import { Clock } from "../support/clock.ts";
import { endlessVendors } from "./endless-vendors.ts";
import { configure } from "./vendor-zone.ts";

// Gateways, proxies and captive portals answer in a vendor's place with anything. The error shows one short line of it.

const clock = new Clock();
const zw = useZonewright({ env: { EGRESS_ALLOW: "127.0.0.1" }, now: clock.now, pause: clock.pause });

/** What arrives instead of an answer, including the call's credentials. */
const bodies: [what: string, body: (echo: string) => string, shown: string][] = [
  [
    "a page with a title",
    (echo) =>
      `<!DOCTYPE html>\n<html><head><title>Bad Gateway ${echo}</title></head>\n<body><h1>Oops</h1><pre>${echo}</pre></body></html>`,
    "Bad Gateway",
  ],
  [
    "a page without one",
    (echo) => `<html><body><script>let x = "${echo}"</script><p>Down for now ${echo}</p></body></html>`,
    "Down for now",
  ],
  [
    "JSON of another API",
    (echo) => `{"errors":{"trace":["<b>at line 1</b>","${echo}"]},"message":"<i>Down</i> for\\nnow ${echo}"}`,
    "Down for now",
  ],
  ["JSON that says nothing", (echo) => `{"trace":["<b>at line 1</b>","${echo}"]}`, ""],
  ["nothing", () => "", ""],
  ["text without end", (echo) => `${"word ".repeat(5_000)}${echo}`, "word word"],
];

const isSecret = /^(?:apiToken|token|secretAccessKey|accessKeySecret|secretKey)$/;

describe.each(endlessVendors)("failures of $name", (vendor) => {
  let server: LoopbackVendor;
  let secrets: string[];
  let config: string;
  let reply: VendorReply;
  beforeAll(async () => {
    server = await startLoopbackVendor(() => reply);
    const fields = vendor.config(server.url);
    secrets = Object.entries(fields).flatMap(([field, value]) => (isSecret.test(field) ? [value] : []));
    config = await configure(zw, vendor.kind, fields, []);
  });
  afterAll(() => server.stop());

  const echo = () =>
    secrets.flatMap((one) => [one, encodeURIComponent(one), Buffer.from(one).toString("base64")]).join(" ");

  describe.each([500, 502, 403])("with status %i", (status) => {
    test.each(bodies)(
      "a failure with %s is reported in one short line without markup or secrets",
      async (_what, body, shown) => {
        reply = { status, headers: { "content-type": "text/html" }, body: body(echo()) };
        const answer = await zw.admin.get(`/api/provider-configs/${config}/zones`);
        expect(answer.status).toBe(502);
        const { message } = answer.body;
        expect(message).toMatch(new RegExp(`^${vendor.name}:? `));
        expect(message).not.toMatch(/[<>{}\n]/);
        expect(message.length).toBeLessThan(status === 403 ? 700 : 300);
        for (const secret of secrets) expect(JSON.stringify(answer.body)).not.toContain(secret);
        const failed = `failed (${status})${shown === "" ? "." : `: ${shown}`}`;
        expect(message).toContain(status >= 500 ? failed : "");
      },
    );
  });
});
