import * as fc from "fast-check";
import { expect, test } from "vitest";
import { usernamesFor } from "../../../server/accounts/identity/registration.ts";
import { usernameField } from "../../../server/accounts/users/schemas.ts";
import { anyCharacter } from "../../support/any-character.ts";

const identity = {
  issuer: "",
  subject: "1",
  email: null,
  emailVerified: false,
  displayName: null,
  username: null,
  claims: {},
};

test.each([
  [{ username: "octo-cat" }, "octo-cat"],
  [{ username: "José Núñez" }, "Jose-Nunez"],
  [{ username: "mona@example.org" }, "mona-example.org"],
  [{ username: "小明", email: "ming@example.org" }, "ming"],
  [{ email: "x@example.org", displayName: "Ada Lovelace" }, "Ada-Lovelace"],
  [{ username: "--..--", displayName: "张三" }, "github-user"],
  [{}, "github-user"],
])("a user name for %j is %s", (reported, username) => {
  expect(usernamesFor("github", { ...identity, ...reported })[0]).toBe(username);
});

test("all user-name candidates are valid and different, whatever a provider returns", () => {
  const text = fc.option(fc.string({ unit: anyCharacter, maxLength: 120 }));
  fc.assert(
    fc.property(text, text, text, (username, email, displayName) => {
      const names = usernamesFor("feishu", { ...identity, username, email, displayName });
      for (const name of names) expect(usernameField.safeParse(name).success).toBe(true);
      expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(names.length);
    }),
  );
});
