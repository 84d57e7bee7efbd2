import { expect, test } from "vitest";
import { received, signerOf } from "../../server/dns-service/requests.ts";
import { queryMessage } from "../../server/dns/wire/messages.ts";
import { signRequest } from "../../server/dns/wire/tsig.ts";

const key = { name: "zw-aaaaaaaaaaaaa", algorithm: "hmac-sha256" as const, secret: Buffer.from("secret") };
const signed = () => signRequest(queryMessage(1, "example.com", "SOA"), key, 1).message;

test("the key of a request is looked up, and that of a response, which gets no answer, is not", () => {
  expect(signerOf(received(signed()))).toBe(key.name);
  const response = signed();
  response.writeUInt16BE(0x8000, 2);
  expect(signerOf(received(response))).toBeNull();
});
