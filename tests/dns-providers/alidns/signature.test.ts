import * as fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalQuery, signedHeaders, type SignedCall } from "../../../server/dns-providers/alidns/client.ts";
import { SignatureJudge } from "../../support/vendors/alidns/signature.ts";

/** The example of "V3 request structure and signature". */
const example: SignedCall = {
  host: "ecs.cn-shanghai.aliyuncs.com",
  action: "RunInstances",
  version: "2014-05-26",
  query: canonicalQuery({
    RegionId: "cn-shanghai",
    ImageId: "win2019_1809_x64_dtc_zh-cn_40G_alibase_20230811.vhd",
  }),
  date: new Date("2023-10-26T10:22:32Z"),
  nonce: "3156853299f313e23d1673dc12e1703d",
};
const key = { id: "YourAccessKeyId", secret: "YourAccessKeySecret" };

test("the published example gets the published signature (ACS3)", () => {
  expect(signedHeaders(example, key)).toEqual({
    "x-acs-action": "RunInstances",
    "x-acs-content-sha256": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "x-acs-date": "2023-10-26T10:22:32Z",
    "x-acs-signature-nonce": "3156853299f313e23d1673dc12e1703d",
    "x-acs-version": "2014-05-26",
    authorization:
      "ACS3-HMAC-SHA256 Credential=YourAccessKeyId," +
      "SignedHeaders=host;x-acs-action;x-acs-content-sha256;x-acs-date;x-acs-signature-nonce;x-acs-version," +
      "Signature=06563a9e1b43f5dfe96b81484da74bceab24a1d853912eee15083a6f0f3283c0",
  });
});

test.each([
  [{ B: "2", A: 1, a: "3" }, "A=1&B=2&a=3"],
  [{ Value: "a b+c*d~e" }, "Value=a%20b%2Bc%2Ad~e"],
  [{ Value: "!'()/?&=;" }, "Value=%21%27%28%29%2F%3F%26%3D%3B"],
  [{ DomainName: "中文.example" }, "DomainName=%E4%B8%AD%E6%96%87.example"],
  [{}, ""],
])("the parameters %j become the query %s", (parameters, query) => {
  expect(canonicalQuery(parameters)).toBe(query);
});

const call = fc.record({
  parameters: fc.dictionary(fc.stringMatching(/^[A-Za-z]{1,12}$/), fc.oneof(fc.string({ unit: "grapheme" }), fc.nat())),
  nonce: fc.uuid(),
});

test("an independent verifier accepts the signature and detects any change in transit", () => {
  fc.assert(
    fc.property(call, ({ parameters, nonce }) => {
      const judge = new SignatureJudge(key);
      const query = canonicalQuery(parameters);
      const signed = { ...example, query, nonce, date: new Date() };
      const headers = { ...signedHeaders(signed, key), host: example.host };
      const request = { method: "POST", target: `/?${query}`, headers, body: "" };
      expect(judge.faultOf({ ...request, target: `/?${query}&more=1` })?.[1]).toBe("SignatureDoesNotMatch");
      expect(judge.faultOf({ ...request, body: "x" })?.[1]).toBe("SignatureDoesNotMatch");
      expect(judge.faultOf(request)).toBeNull();
      expect(judge.faultOf(request)?.[1]).toBe("SignatureNonceUsed");
    }),
  );
});

test("a signature of fifteen minutes ago is rejected as expired", () => {
  const date = new Date(Date.now() - 16 * 60_000);
  const headers = { ...signedHeaders({ ...example, date }, key), host: example.host };
  const target = `/?${example.query}`;
  const fault = new SignatureJudge(key).faultOf({ method: "POST", target, headers, body: "" });
  expect(fault?.[1]).toBe("InvalidTimeStamp.Expired");
});
