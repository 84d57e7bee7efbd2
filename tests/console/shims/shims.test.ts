import * as net from "node:net";
import * as url from "node:url";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { isIP, isIPv4, isIPv6 } from "../../../web/src/shims/net.ts";
import { setImmediate } from "../../../web/src/shims/timers.ts";
import { domainToASCII, domainToUnicode } from "../../../web/src/shims/url.ts";

const addressLike = fc
  .array(
    fc.constantFrom("0", "1", "25", "255", "256", "01", ".", ":", "::", "ffff", "fe80", "db8", "g", "1.2.3.4", "%eth0"),
    {
      maxLength: 12,
    },
  )
  .map((parts) => parts.join(""));

test("an address in the browser is an address to the service, and the other way around", () => {
  fc.assert(
    fc.property(fc.oneof(addressLike, fc.ipV4(), fc.ipV6()), (text) => {
      // Node also accepts a zone, which no record may have.
      if (text.includes("%")) return;
      expect([text, isIPv4(text), isIPv6(text), isIP(text)]).toEqual([
        text,
        net.isIPv4(text),
        net.isIPv6(text),
        net.isIP(text),
      ]);
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  "bücher.example",
  "xn--bcher-kva.example",
  "例え.テスト",
  "www.example.com",
  "STRASSE.example",
  "straße.example",
])("%s has the same A-labels and Unicode in the browser as in the service", (name) => {
  const ascii = url.domainToASCII(name);
  expect(domainToASCII(name)).toBe(ascii);
  expect(domainToUnicode(ascii)).toBe(url.domainToUnicode(ascii));
});

test("what is no host name has no A-labels in the browser, either", () => {
  for (const name of ["a b", "a/b", "a@b", "a:80", "[::1]"]) expect(domainToASCII(name)).toBe("");
});

test("what waits for its turn lets the tasks before it run", async () => {
  let isDone = false;
  setTimeout(() => (isDone = true));
  await setImmediate();
  expect(isDone).toBe(true);
});
