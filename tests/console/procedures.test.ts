import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { appRouter } from "../../client-sdk/app-router.ts";

/** Why no page calls a procedure: programs do, a page makes the named call instead, or the client's method does. */
type Reason = "program" | { instead: string } | { client: string };

/** Procedures that no file of the console calls. An entry goes with the first call. */
const withoutCall: Readonly<Record<string, Reason>> = {
  "auth.login": { client: "signIn" },
  "auth.passkey": { client: "signInWithPasskey" },
  "auth.logout": { client: "signOut" },
  "auth.refresh": { client: "createClient" },
  "auth.confirm": { client: "onReauthentication" },
  "twoFactor.verify": { client: "completeSecondFactor" },
  "identity.exchangeTicket": { client: "completeExternalSignIn" },
  "identity.register": { client: "completeExternalRegistration" },
  "notifications.stream": { client: "watchNotifications" },

  "auth.cliToken": "program",
  "auth.startDevice": "program",
  "auth.deviceToken": "program",
  "domains.zoneOf": "program",
  "tokens.current": "program",
  "acme.present": "program",
  "acme.cleanup": "program",
  "v1.listDomains": "program",
  "v1.getDomain": "program",
  "v1.listRecords": "program",
  "v1.createRecord": "program",
  "v1.updateRecord": "program",
  "v1.deleteRecord": "program",

  "records.create": { instead: "records.applyPlan" },
  "records.delete": { instead: "records.applyPlan" },
  "records.bulkCreate": { instead: "records.applyPlan" },
  "records.planZonefile": { instead: "records.plan" },
  "domains.plan": "program",
  "changeRequests.plan": { instead: "records.plan" },
  "changeRequests.planZonefile": "program",

  "domains.previewExpiry": "program",
  "records.exportZonefile": { instead: "records.export" },
  "snapshots.get": { instead: "records.list" },
};

const procedures = Object.keys(appRouter._def.procedures);
const sources = globSync("web/src/**/*.{ts,tsx}").map((file) => readFileSync(file, "utf8"));

/** What the sources call, such as `client.records.plan.mutate(…)`, also where a part of the client was taken out before. */
const called = new Set(
  sources.flatMap((source) =>
    [...source.matchAll(/\b(\w+)\s*\.(\w+)\s*\.(?:query|mutate|subscribe)\b/g)].map(
      ([, part, name]) => `${part}.${name}`,
    ),
  ),
);

test("every procedure is called by a page of the console, or it is written down why none does", () => {
  expect(procedures.filter((name) => !called.has(name)).toSorted()).toEqual(Object.keys(withoutCall).toSorted());
});

test("what a page or the client does instead is done", () => {
  const missing = Object.values(withoutCall).filter((reason) => {
    if (typeof reason === "string") return false;
    if ("instead" in reason) return !called.has(reason.instead);
    return !sources.some((source) => new RegExp(String.raw`\b${reason.client}\b`).test(source));
  });
  expect(missing).toEqual([]);
});
