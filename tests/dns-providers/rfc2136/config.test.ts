import { describe, expect, test } from "vitest";
import { kindByName } from "../../../server/dns-providers/kinds.ts";

const schema = kindByName("rfc2136")?.configSchema;
const least = { server: "ns1.example.com", tsigName: "Zonewright.Key.", tsigSecret: "c2VjcmV0" };

describe("a configuration of rfc2136", () => {
  test("an rfc2136 configuration needs a server and a key, and is stored in canonical form", () => {
    const config = { ...least, port: 53, tsigName: "zonewright.key", tsigAlgorithm: "hmac-sha256" };
    expect(schema?.parse(least)).toEqual(config);
    expect(schema?.parse(schema.parse(least))).toEqual(config);
  });

  test.each([
    { server: "2001:db8::1" },
    { server: "192.0.2.1", port: 5353 },
    { tsigAlgorithm: "hmac-sha1" },
    { zones: "example.com, bücher.example ,0/25.2.0.192.in-addr.arpa" },
    { zones: "" },
    { timeoutSeconds: 1 },
    { timeoutSeconds: 600 },
    { tsigName: "key" },
  ])("an rfc2136 configuration may have %j", (fields) => {
    expect(schema?.safeParse({ ...least, ...fields }).error).toBeUndefined();
  });

  test.each([
    { server: "" },
    { server: "ns1 example" },
    { server: "http://ns1.example.com/" },
    { server: "ns1.example.com:5353" },
    { server: "192.0.2.1:53" },
    { port: 0 },
    { port: "53" },
    { tsigName: "" },
    { tsigName: "a..b" },
    { tsigAlgorithm: "hmac-md5" },
    { tsigSecret: "" },
    { tsigSecret: "not base64" },
    { zones: "example" },
    { zones: "example.com;example.net" },
    { timeoutSeconds: 0 },
    { timeoutSeconds: 601 },
    { timeoutSeconds: 1.5 },
    { other: 1 },
  ])("an rfc2136 configuration with %j is refused", (fields) => {
    expect(schema?.safeParse({ ...least, ...fields }).success).toBe(false);
  });
});
