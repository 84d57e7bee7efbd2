import * as fc from "fast-check";
import { expect, test } from "vitest";
import { readRdapAnswer } from "../../../server/registry/expiry/rdap/client.ts";
import { anyCharacter } from "../../support/any-character.ts";

const name = "example.com";

test("any RDAP answer is read without an exception", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json({ maxDepth: 5 })), (body) => {
      expect(["broken", "unregistered", "limited"]).toContain(readRdapAnswer(body, name).kind);
    }),
  );
});

test("any fields in an RDAP answer yield only single-line text and dates", () => {
  const anything = fc.jsonValue({ maxDepth: 3 });
  const object = fc.record(
    {
      events: fc.oneof(anything, fc.array(fc.record({ eventAction: fc.constant("expiration"), eventDate: anything }))),
      entities: fc.oneof(
        anything,
        fc.array(
          fc.record({
            roles: fc.constant(["registrar"]),
            handle: fc.string({ unit: anyCharacter }),
            vcardArray: anything,
          }),
        ),
      ),
      status: fc.oneof(anything, fc.array(fc.string({ unit: anyCharacter }))),
      links: anything,
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(object, (given) => {
      const answer = readRdapAnswer(JSON.stringify({ objectClassName: "domain", ldhName: name, ...given }), name);
      const registration = "registration" in answer ? answer.registration : null;
      const texts = [registration?.registrar ?? "", ...(registration?.statuses ?? ["\u0000"])];
      expect(texts.filter((text) => /[\p{Cc}\p{Cs}]/u.test(text) || text.length > 200)).toEqual([]);
    }),
  );
});

test.each(["EXAMPLE.COM", "example.com.", "Example.Com"])("%s matches the requested name", (ldhName) => {
  expect(readRdapAnswer(JSON.stringify({ objectClassName: "domain", ldhName }), name).kind).toBe("registered");
});

test.each(["example.com.evil.test", "www.example.com", "com", "xn--e1afmkfd.com"])(
  "%s does not match the requested name",
  (ldhName) => {
    expect(readRdapAnswer(JSON.stringify({ objectClassName: "domain", ldhName }), name).kind).toBe("broken");
  },
);
