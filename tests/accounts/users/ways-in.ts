import { expect } from "vitest";
import { browserFor, comeBack, exchange, site, startBinding } from "../../support/identity/external-sign-in.ts";
import type { IdentityHarness } from "../../support/identity/harness.ts";
import { RestClient, type Answer } from "../../support/rest-client.ts";
import { codeAt } from "../../support/second-factors/authenticator-app.ts";
import { addPasskey, securityKey } from "../../support/second-factors/security-key.ts";
import type { MailServer } from "../../support/servers/mail-server.ts";
import { memberPassword, type Zonewright } from "../../support/zonewright.ts";

/** The parts of a running service that planting needs. */
export type Target = Pick<Zonewright, "url" | "nobody" | "admin" | "signIn">;

/** An account with every way into it in place. */
export interface PlantedAccount {
  id: string;
  username: string;
  /** A signed-in client of the account. */
  client: RestClient;
  /** Completes concurrently what was begun: three sign-ins, a passkey registration, a new token and a new TSIG key. @returns the sessions and tokens created */
  tryAtOnce(): Promise<RestClient[]>;
  /** Exchanges the ticket. */
  exchangeTicket(): Promise<Answer>;
  /** Signs in with the passkey alone. */
  usePasskey(): Promise<Answer>;
  /** Tries every way into the account, including those only begun. @returns whether each opens the account, by name */
  tryEach(): Promise<Record<string, boolean>>;
}

let people = 7_000;

/** Returns the text of the mail with this subject, and discards earlier mails. */
export async function mailed(mail: MailServer, to: string, subject: string): Promise<string> {
  for (;;) {
    const letter = await mail.next(to);
    if (letter.subject === subject) return letter.text;
  }
}

const opens = ({ status }: { status: number }) => status < 300;

/** Creates a member and plants each way in. The identity harness stays set to the person whose identity is bound. */
export async function plantWaysIn(zw: Target, harness: IdentityHarness, mail: MailServer): Promise<PlantedAccount> {
  const person = (people += 1);
  const username = `planted-${person}`;
  const email = `${username}@example.com`;
  const user = { username, email, password: memberPassword, role: "member" };
  const { status, body: made } = await zw.admin.post("/api/users", user);
  expect(status).toBe(201);

  const { body: remembered } = await zw.nobody.post("/api/auth/login", { username, password: memberPassword });
  const client = await zw.signIn(username, memberPassword);
  const tokens = await Promise.all(
    [null, new Date(Date.now() + 86_400_000).toISOString()].map(async (expiresAt) => {
      const { body } = await client.post("/api/auth/me/tokens", {
        name: "Planted",
        permissions: ["domains:read"],
        expiresAt,
      });
      return new RestClient(zw.url, body.token);
    }),
  );
  const { body: zone } = await zw.admin.post("/api/domains", { name: `${username}.example` });
  const assignment = { userId: made.id, domainId: zone.id, subdomainPattern: "*", access: "write" };
  expect((await zw.admin.post("/api/assignments", assignment)).status).toBe(201);
  const newKey = () => client.post("/api/auth/me/tsig-keys", { name: "Planted", domainId: zone.id });
  expect((await newKey()).status).toBe(201);
  harness.be(person);
  expect(await harness.bind(client)).toMatchObject({ bound: "1" });
  const { ticket } = await harness.goThrough();
  const key = securityKey();
  await addPasskey(client, key);
  const half = securityKey();
  const { body: creation } = await client.post("/api/2fa/passkeys/options");
  const registration = half.createJSON(site, creation);
  const { body: setup } = await client.post("/api/2fa/totp/setup");
  const enabled = await client.post("/api/2fa/totp/enable", { code: codeAt(setup.secret, new Date()) });
  expect(enabled.status).toBe(200);
  const currentPassword = memberPassword;
  expect((await client.post("/api/2fa/email/enable", { currentPassword })).status).toBe(200);
  const [recoveryCode = ""] = enabled.body.recoveryCodes as string[];
  const { body: login } = await zw.nobody.post("/api/auth/login", { username, password: memberPassword });
  expect(login.methods).toEqual(["totp", "passkey", "email"]);
  const waiting = new RestClient(zw.url, login.tempToken);
  const { body: request } = await zw.nobody.post("/api/auth/passkey/options");
  const signedBefore = key.getJSON(site, request);
  await zw.nobody.post("/api/auth/password/forgot", { email });
  const [, link = ""] = /token=([\w-]+)/.exec(await mailed(mail, email, "Set a new password")) ?? [];
  expect(link).not.toBe("");
  const browser = browserFor(zw as Zonewright);
  const away = await startBinding(browser, client, "github");

  return {
    id: made.id,
    username,
    client,
    async tryAtOnce() {
      const answers = await Promise.all([
        exchange(zw as Zonewright, ticket),
        zw.nobody.post("/api/auth/passkey", { credential: signedBefore }),
        waiting.post("/api/2fa/verify", { method: "recovery", code: recoveryCode }),
        client.post("/api/auth/me/tokens", { name: "New", permissions: ["domains:read"] }),
        client.post("/api/2fa/passkeys", { name: "Half", credential: registration }),
        newKey(),
      ]);
      return answers.flatMap(({ body }) =>
        [body.accessToken, body.token].filter(Boolean).map((token: string) => new RestClient(zw.url, token)),
      );
    },
    exchangeTicket: () => exchange(zw as Zonewright, ticket),
    usePasskey: () => zw.nobody.post("/api/auth/passkey", { credential: signedBefore }),
    async tryEach() {
      harness.be(person);
      const { body: fresh } = await zw.nobody.post("/api/auth/passkey/options");
      const signIn = { username, password: memberPassword };
      const newPassword = "a password of whoever has the link";
      const back = await comeBack(browser, harness.vendor.agree(away));
      const returned = await harness.goThrough();
      const attempts: Record<string, boolean> = {
        session: opens(await client.get("/api/auth/me")),
        "another session": opens(await zw.nobody.post("/api/auth/refresh", { refreshToken: remembered.refreshToken })),
        "a token without expiry": opens(await (tokens[0] as RestClient).get("/api/v1/domains")),
        "a token with expiry": opens(await (tokens[1] as RestClient).get("/api/v1/domains")),
        "a TSIG key": (await zw.admin.get(`/api/tsig-keys?userId=${made.id}`)).body.total > 0,
        password: opens(await zw.nobody.post("/api/auth/login", signIn)),
        "a mail to a half-finished sign-in": opens(await waiting.post("/api/2fa/email/send")),
        "a half-finished sign-in": opens(
          await waiting.post("/api/2fa/verify", { method: "recovery", code: recoveryCode }),
        ),
        "a ticket": opens(await exchange(zw as Zonewright, ticket)),
        "a binding under way": back["bound"] !== undefined,
        identity: returned["ticket"] !== undefined,
        "a passkey's answer from before": opens(
          await zw.nobody.post("/api/auth/passkey", { credential: signedBefore }),
        ),
        passkey: opens(await zw.nobody.post("/api/auth/passkey", { credential: key.getJSON(site, fresh) })),
        "a half-registered passkey": opens(
          await client.post("/api/2fa/passkeys", { name: "Half", credential: registration }),
        ),
        "a new token": opens(await client.post("/api/auth/me/tokens", { name: "New", permissions: [] })),
        "a new TSIG key": opens(await newKey()),
        "a password-reset link": opens(await zw.nobody.post("/api/auth/password/reset", { token: link, newPassword })),
      };
      return attempts;
    },
  };
}

/** The attempts that use something issued for the account and still pending. */
export const outstanding = [
  "a half-finished sign-in",
  "a mail to a half-finished sign-in",
  "a ticket",
  "a half-registered passkey",
  "a password-reset link",
];

/** The result of `tryEach` when nothing opens the account. */
export const nothingOpens = (attempts: Record<string, boolean>): Record<string, boolean> =>
  Object.fromEntries(Object.keys(attempts).map((name) => [name, false]));
