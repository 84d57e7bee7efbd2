import { expect, test } from "vitest";
import { signatureOf, type SignedRequest } from "../../support/vendors/route53/signature.ts";

// The published vectors of AWS Signature Version 4, which the server of these tests verifies with.
const scope = {
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
  date: "20150830T123600Z",
  region: "us-east-1",
  service: "service",
  signedHeaders: ["host", "x-amz-date"],
};
const request: SignedRequest = {
  method: "GET",
  target: "/",
  headers: { host: "example.amazonaws.com", "x-amz-date": scope.date },
  body: "",
};

test.each<[string, Partial<SignedRequest>, string]>([
  ["get-vanilla", {}, "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"],
  [
    "get-vanilla-query-order-key-case",
    { target: "/?Param2=value2&Param1=value1" },
    "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
  ],
  ["get-utf8", { target: "/ሴ" }, "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85"],
  [
    "get-vanilla-utf8-query",
    { target: "/?%E1%88%B4=bar" },
    "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04",
  ],
  ["post-vanilla", { method: "POST" }, "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"],
])("%s gets the published SigV4 signature", (_name, change, signature) => {
  expect(signatureOf({ ...request, ...change }, scope)).toBe(signature);
});

test("the documentation's example gets its SigV4 signature", () => {
  const headers = {
    "content-type": "application/x-www-form-urlencoded; charset=utf-8",
    host: "iam.amazonaws.com",
    "x-amz-date": scope.date,
  };
  const listUsers = { method: "GET", target: "/?Action=ListUsers&Version=2010-05-08", headers, body: "" };
  const signedHeaders = Object.keys(headers);
  expect(signatureOf(listUsers, { ...scope, service: "iam", signedHeaders })).toBe(
    "5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7",
  );
});
