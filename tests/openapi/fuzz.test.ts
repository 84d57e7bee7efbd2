import * as fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import {
  addressOf,
  clockOfExamples,
  operationsOf,
  redirects,
  streams,
  type ApiDocument,
  type FoundOperation,
} from "../support/api/api-document.ts";
import { fuzzTimes } from "../support/fuzz-times.ts";
import { RestClient, type Answer } from "../support/rest-client.ts";
import { useZonewright } from "../support/zonewright.ts";
import { narrowedToken } from "../dns-service/update-clients/narrowed.ts";
import { complaint } from "./fuzzing/complaint.ts";
import { furnish } from "./fuzzing/furnish.ts";
import { mutate, mutations } from "./fuzzing/mutations.ts";
import { validCall, type Call, type Furnished } from "./fuzzing/valid-calls.ts";

const zw = useZonewright({ now: clockOfExamples(), env: { LOG_LEVEL: process.env["FUZZ_LOG_LEVEL"] ?? "silent" } });
const requests = Number(process.env["FUZZ_REQUESTS"] ?? 1_600 * fuzzTimes);
const seed = Number(process.env["FUZZ_SEED"] ?? 20_270_301);

let furnished: Furnished;
let narrowed: RestClient;
let operations: FoundOperation[];
beforeAll(async () => {
  const document: ApiDocument = (await zw.nobody.get("/api/openapi.json")).body;
  // Objects created there would stay; tests/notifications covers its invalid input.
  operations = operationsOf(document).filter((found) => !streams(found));
  furnished = { document, ids: await furnish(zw) };
  narrowed = new RestClient(zw.url, await narrowedToken(zw.admin, { recordTypes: ["TXT"] }));
});

let sent = 0;
async function send(found: FoundOperation, call: Call): Promise<Answer> {
  const { method, operation } = found;
  const filled = addressOf(found).replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(call.path[name] ?? ""),
  );
  const query = new URLSearchParams(call.query).toString();
  const open = operation.security?.length === 0;
  const narrow = operation.tags?.includes("Update clients") === true;
  const client = open ? zw.nobody : narrow ? narrowed : zw.admin;
  sent += 1;
  const target = `${filled}${query === "" ? "" : `?${query}`}`;
  const answer = await client.send(method, target, call.body);
  // Other calls may have revoked the administrator's tokens.
  if (!narrow || answer.status !== 401) return answer;
  narrowed.token = await narrowedToken(zw.admin, { recordTypes: ["TXT"] });
  return await client.send(method, target, call.body);
}

/** What needs a second factor, a device or a mail server, none of which the administrator has here. */
const needsFactor =
  /^(?:(?:en|dis)able|verify)|^(?:confirmSession|createPasskey|getConfirmationOptions|createRecoveryCodes|resendEmailVerification|sendEmailCode|signInWithPasskey|getSecondFactorPasskeyOptions)$/;

/** What needs a user who has just returned from a provider. */
const needsProvider = /^(?:exchangeTicket|registerExternally|unbind)$/;

/** What needs a registrar that answers. */
const needsRegistrar = /^(?:listRegistrarDomains|changeRegistration)$/;

/** What needs a provider that signs zones. */
const needsSigner = /^(?:setDnssec|publishDs)$/;

/** What needs a program or a device that waits. */
const needsProgram = /^(?:exchangeCliCode|exchangeDeviceCode|(?:find|approve|refuse)Device)$/;

/** What would delete objects that later requests need: only sent if it cannot succeed. */
const deletesForGood =
  /^delete(?:Assignment|Domain|IdentityConfig|ProviderConfig|RegistrarConfig|User|Invitation|Template)$/;

test("requests are valid before they are mutated, so that each mutation is the only fault", async () => {
  const failing: string[] = [];
  for (const found of operations) {
    const { operation } = found;
    if (
      /^(?:v1D|d)elete|^(?:login|refresh|resetPassword|apply(?:LinkedTemplate|Records|Replacement|Template)|revertReplacement|startPortfolioImport|(?:approve|reject|withdraw|apply)ChangeRequest|snoozeDelegation|raiseSerial|revokeTsigKey|unlinkTemplate)$/.test(
        operation.operationId,
      )
    )
      continue;
    if (needsProgram.test(operation.operationId) || needsRegistrar.test(operation.operationId)) continue;
    if (needsSigner.test(operation.operationId)) continue;
    if (needsFactor.test(operation.operationId) || needsProvider.test(operation.operationId)) continue;
    const { status, body } = await send(found, validCall(found, sent, furnished));
    if (status >= 300 && !redirects(found)) failing.push(`${operation.operationId}: ${status} ${body.detail}`);
  }
  expect(failing).toEqual([]);
});

test(
  `every answer is one that the document describes, and names bad fields (${requests} requests)`,
  async () => {
    const tried = new Map(operations.map(({ operation }) => [operation.operationId, 0]));
    // One operation after another, so that each gets its share of few requests. A constant does not shrink: the operation stays.
    let turns = 0;
    const turn = fc.constant(0).map(() => turns++);
    await fc.assert(
      fc.asyncProperty(
        turn,
        fc.array(mutations(Object.values(furnished.ids)), { minLength: 1, maxLength: 3, size: "small" }),
        async (chosen, changes) => {
          const found = operations[chosen % operations.length];
          if (!found) throw new Error("There are no operations.");
          const { operationId } = found.operation;
          const call = validCall(found, sent, furnished);
          const targets = changes.map((one) => mutate(call, one));
          const hits = Object.values(furnished.ids).includes(call.path["id"] ?? "");
          if (hits && deletesForGood.test(operationId)) call.path["id"] = furnished.ids.othersRecord;
          tried.set(operationId, (tried.get(operationId) ?? 0) + 1);
          const answer = await send(found, call);
          expect(
            complaint(furnished.document, { found, call, targets }, answer, zw.services.config.siteUrl),
          ).toBeNull();
        },
      ),
      { numRuns: requests, seed },
    );
    expect(sent).toBeGreaterThanOrEqual(requests);
    expect([...tried].filter(([, times]) => times < 5)).toEqual([]);
  },
  120_000 * fuzzTimes,
);
