import { expect, test } from "vitest";
import type { z } from "zod";
import * as alidns from "../../../server/dns-providers/alidns/client.ts";
import * as cloudflare from "../../../server/dns-providers/cloudflare/client.ts";
import * as dnspod from "../../../server/dns-providers/dnspod/client.ts";

const nulls = (...fields: string[]) => Object.fromEntries(fields.map((field) => [field, null]));

// Cloudflare prints `"data": null` and `"plan": null`; others write their JSON with the same libraries.
test.each<[string, z.ZodType, object]>([
  [
    "zones of Cloudflare",
    cloudflare.zonePage,
    { result: [{ id: "1", name: "example.com", ...nulls("status", "plan") }], ...nulls("result_info") },
  ],
  [
    "records of Cloudflare",
    cloudflare.recordPage,
    {
      result: [
        {
          id: "1",
          name: "example.com",
          type: "A",
          ttl: 1,
          ...nulls("content", "priority", "data", "proxied", "comment", "tags", "settings", "private_routing", "meta"),
        },
      ],
      result_info: nulls("total_count", "total_pages"),
    },
  ],
  ["batches of Cloudflare", cloudflare.batchResult, { result: nulls("deletes", "patches", "posts") }],
  [
    "records of Alibaba Cloud DNS",
    alidns.recordPage,
    {
      TotalCount: 1,
      DomainRecords: {
        Record: [
          {
            RecordId: "1",
            RR: "@",
            Type: "A",
            Value: "192.0.2.1",
            TTL: 600,
            ...nulls("Priority", "Line", "Status", "LbaStatus", "Weight"),
          },
        ],
      },
    },
  ],
  [
    "domains of Alibaba Cloud DNS",
    alidns.domainPage,
    { TotalCount: 1, Domains: { Domain: [{ DomainName: "example.com", ...nulls("PunyCode") }] } },
  ],
  [
    "records of DNSPod",
    dnspod.recordList,
    {
      RecordCountInfo: { TotalCount: 1 },
      RecordList: [
        {
          RecordId: 1,
          Name: "@",
          Type: "A",
          Value: "192.0.2.1",
          TTL: 600,
          ...nulls("MX", "Line", "LineId", "Status", "Weight"),
        },
      ],
    },
  ],
  [
    "domains of DNSPod",
    dnspod.domainList,
    { DomainCountInfo: { DomainTotal: 1 }, DomainList: [{ Name: "example.com", ...nulls("Punycode") }] },
  ],
])("%s are read where every field that may be missing is null", (_what, schema, printed) => {
  expect(schema.safeParse(printed)).toMatchObject({ success: true });
});
