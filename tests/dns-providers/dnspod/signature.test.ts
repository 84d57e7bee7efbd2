import * as fc from "fast-check";
import { expect, test } from "vitest";
import { authorization, contentType } from "../../../server/dns-providers/dnspod/client.ts";
import { signatureFault } from "../../support/vendors/dnspod/signature.ts";

test("the published example gets the published signature (TC3)", () => {
  // "Signature method v3": the secrets are printed there as asterisks, and the signature is that of asterisks.
  const call = {
    host: "cvm.tencentcloudapi.com",
    service: "cvm",
    action: "DescribeInstances",
    body: String.raw`{"Limit": 1, "Filters": [{"Values": ["\u672a\u547d\u540d"], "Name": "instance-name"}]}`,
    date: new Date(1_551_113_065_000),
  };
  expect(authorization(call, { id: "*".repeat(36), key: "*".repeat(32) })).toBe(
    `TC3-HMAC-SHA256 Credential=${"*".repeat(36)}/2019-02-25/cvm/tc3_request, ` +
      "SignedHeaders=content-type;host;x-tc-action, " +
      "Signature=10b1a37a7301a02ca19a647ad722d5e43b4b3cff309d421d85b46093f6ab6c4f",
  );
});

const key = { id: "AKIDexample", key: "the-key" };

function signed(body: string, date: Date) {
  const call = { host: "dnspod.example", service: "dnspod", action: "CreateRecord", body, date };
  return {
    method: "POST",
    target: "/",
    headers: {
      host: call.host,
      authorization: authorization(call, key),
      "content-type": contentType,
      "x-tc-action": call.action,
      "x-tc-timestamp": String(Math.floor(date.getTime() / 1_000)),
    },
    body,
  };
}

test("an independent verifier accepts the signature and detects any change in transit", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme", minLength: 1 }), (body, more) => {
      const request = signed(body, new Date());
      expect(signatureFault(request, key)).toBeNull();
      expect(signatureFault({ ...request, body: body + more }, key)?.[0]).toBe("AuthFailure.SignatureFailure");
      const headers = { ...request.headers, "x-tc-action": "DeleteRecord" };
      expect(signatureFault({ ...request, headers }, key)?.[0]).toBe("AuthFailure.SignatureFailure");
      expect(signatureFault(request, { ...key, key: more })?.[0]).toBe("AuthFailure.SignatureFailure");
    }),
  );
});

test("a signature of six minutes ago is rejected as expired", () => {
  const request = signed("{}", new Date(Date.now() - 6 * 60_000));
  expect(signatureFault(request, key)?.[0]).toBe("AuthFailure.SignatureExpire");
});
