import { expect, test } from "vitest";
import { route53Api } from "../../../server/dns-providers/route53/client.ts";
import type { Egress } from "../../../server/platform/net/egress.ts";

// https://github.com/acmesh-official/acme.sh/issues/7257: calls to another partition that are signed for us-east-1 are refused.
test.each([
  ["https://route53.amazonaws.com", "us-east-1"],
  ["https://route53.amazonaws.com.cn", "cn-northwest-1"],
  ["https://route53.us-gov.amazonaws.com", "us-gov-west-1"],
  ["https://route53.amazonaws.eu", "eusc-de-east-1"],
  ["https://proxy.example.net/route53", "us-east-1"],
])("calls to %s are signed for %s", async (endpoint, region) => {
  const signed: string[] = [];
  const guardedFetch: Egress["guardedFetch"] = (_url, { headers }) => {
    signed.push(String(new Headers(headers).get("authorization")));
    return Promise.resolve(new Response("<ListHostedZonesResponse><HostedZones/></ListHostedZonesResponse>"));
  };
  const egress = { guardedFetch } as Egress;
  const access = { accessKeyId: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG", endpoint };
  for await (const zones of route53Api(access, { egress }).hostedZones()) expect(zones).toEqual([]);
  expect(signed).toEqual([expect.stringContaining(`/${region}/route53/aws4_request`)]);
});
