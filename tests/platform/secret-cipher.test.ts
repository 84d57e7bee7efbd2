import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SecretCipher, createKeyring } from "../../server/platform/secret-cipher.ts";
import { anyCharacter } from "../support/any-character.ts";

const box = (...keys: [string, ...string[]]) => new SecretCipher(createKeyring(keys), "test");
const [older, newer] = ["an old key of thirty-two characters", "a new key of thirty-two characters!"];
const place = ["table", "id", "field"];

test("any encrypted text decrypts to the same text and is never encrypted the same way twice", () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), fc.array(fc.string()), (text, place) => {
      const sealed = box(older).seal(text, place);
      expect(box(older).open(sealed, place)).toEqual({ ok: true, text });
      expect(box(older).seal(text, place)).not.toBe(sealed);
    }),
  );
});

test("an encrypted text shows its version and key id, but not its content", () => {
  const sealed = box(older).seal("the secret", place);
  expect(sealed).toMatch(/^v1\.[0-9a-f]{16}\.[\w-]{16}\.[\w-]{22}\.[\w-]+$/);
  expect(Buffer.from(sealed.split(".").at(-1) ?? "", "base64url").toString("latin1")).not.toContain("secret");
});

describe("tampered texts do not decrypt", () => {
  const sealed = box(older).seal("the secret", place);

  test.each([
    ["in another row", ["table", "other", "field"]],
    ["in another field", ["table", "id", "other"]],
    ["where the parts are cut otherwise", ["table", "idf", "ield"]],
    ["in no place", []],
  ])("an encrypted text does not decrypt %s", (_where, elsewhere) => {
    expect(box(older).open(sealed, elsewhere)).toEqual({ ok: false, reason: "damaged" });
  });

  test("an encrypted text with any altered part does not decrypt", () => {
    const parts = sealed.split(".");
    for (const index of parts.keys()) {
      const altered = parts.map((part, at) =>
        at === index ? `${part.startsWith("A") ? "B" : "A"}${part.slice(1)}` : part,
      );
      expect(box(older).open(altered.join("."), place).ok).toBe(false);
    }
    for (const text of ["", "v1", "plain", `${sealed}.`, sealed.slice(0, -4), sealed.replace("v1", "v2")]) {
      expect(box(older).open(text, place).ok).toBe(false);
    }
  });

  test("an encrypted text does not decrypt with another key or purpose", () => {
    expect(box(newer).open(sealed, place)).toEqual({ ok: false, reason: "unknownKey" });
    const other = new SecretCipher(createKeyring([older]), "other");
    expect(other.open(sealed, place)).toEqual({ ok: false, reason: "unknownKey" });
  });
});

test("the first key encrypts, and every key decrypts", () => {
  const sealed = box(older).seal("the secret", place);
  const both = box(newer, older);
  expect(both.open(sealed, place)).toEqual({ ok: true, text: "the secret" });
  expect(both.isCurrent(sealed)).toBe(false);
  const again = both.seal("the secret", place);
  expect(both.isCurrent(again)).toBe(true);
  expect(box(newer).open(again, place)).toEqual({ ok: true, text: "the secret" });
  expect(box(older).open(again, place)).toEqual({ ok: false, reason: "unknownKey" });
});
