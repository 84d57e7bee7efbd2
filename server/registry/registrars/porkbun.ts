import { z } from "zod";
import { apiAddress, credentialFields } from "../../dns-providers/config-fields.ts";
import { porkbunLimits, porkbunThrottles } from "../../dns-providers/porkbun.ts";
import { PageTurner } from "../../dns-providers/vendor-api/pages.ts";
import { maybe } from "../../dns-providers/vendor-api/text.ts";
import type { VendorEnvironment } from "../../dns-providers/vendor-api/calls.ts";
import { parseExpiryDate, distinct, readDs, readHostNames } from "../expiry/dates.ts";
import { dsStepsToSend, inSteps, RegistrarApi, type RegistrarAccount, type RegistrarKind } from "./registrar.ts";

// The parts of Porkbun's API v3 in use: "Domain" and "DNSSEC" of its documentation. Every call is a POST with the keys in its body.

const address = "https://api.porkbun.com/api/json/v3";
const key = z
  .string("Enter the key.")
  .trim()
  .regex(/^[!-~]{10,200}$/, "A key must be 10 to 200 characters of plain ASCII without spaces.");

const configSchema = z.strictObject({ apiKey: key, secretKey: key, endpoint: apiAddress(address).default(address) });
type PorkbunConfig = z.infer<typeof configSchema>;

/** Porkbun prints switches as 1, 0, "1", "0", and yes or no. */
const flag = z.union([z.number(), z.string(), z.boolean(), z.null()]).transform((value) => {
  if (/^(?:1|yes|on|true)$/i.test(String(value))) return true;
  return /^(?:0|no|off|false)$/i.test(String(value)) ? false : null;
});
const listed = z.object({
  domain: z.string(),
  expireDate: maybe(z.string()),
  securityLock: flag.optional(),
  autoRenew: flag.optional(),
});
const number = z.coerce.number();
const dsRecord = z.object({ keyTag: number, alg: number, digestType: number, digest: z.string() });
/** Also with status 200, and in it for each name. */
const refusal = z.object({ status: z.literal("ERROR"), message: maybe(z.string()) });
const done = z.object({ status: z.literal("SUCCESS") });
const dsAnswer = done.extend({ records: maybe(z.union([z.record(z.string(), dsRecord), z.array(dsRecord)])) });
const outcome = z.union([refusal, done]);
const doneForNames = done.extend({
  results: maybe(z.union([z.record(z.string(), outcome), z.array(outcome)])),
});
const missing = /invalid domain|domain not found/i;

/** Entries on a full page of the list. */
const pageSize = 1_000;
/** How long the list may be used for the other names of the account. Porkbun has no call for one name. */
const listLifetime = 5 * 60_000;
/** How much the clocks of two instances may differ. */
const mostSkew = 60_000;

/** The domains of a Porkbun account. */
export const porkbun: RegistrarKind<PorkbunConfig> = {
  kind: "porkbun",
  name: "Porkbun",
  configFields: credentialFields({ apiKey: "API key", secretKey: "secret key" }),
  addresses: ["endpoint"],
  configSchema,
  changes: ["nameServers", "ds", "autoRenew"],
  connect: (config, environment) => porkbunAccount(config, environment),
};

function porkbunAccount(
  { apiKey, secretKey, endpoint }: PorkbunConfig,
  environment: VendorEnvironment,
): RegistrarAccount {
  const api = new RegistrarApi(
    {
      name: "Porkbun",
      address: endpoint,
      environment,
      secrets: [apiKey, secretKey],
      quotas: { address, limits: porkbunLimits },
      throttles: porkbunThrottles,
    },
    {},
    {
      isMissing: ({ status, text }) => status === 400 && missing.test(text),
      isUnauthorized: ({ status, text }) =>
        status === 401 || status === 403 || /"message"\s*:\s*"[^"]*(?:invalid api key|not opted in)/i.test(text),
      advice: "Check the API key and its secret key, and that API access is on for the domain.",
    },
  );
  const now = () => environment.accounts?.now().getTime() ?? Date.now();
  let list: { at: number; entries: Promise<z.infer<typeof listed>[]> } | null = null;

  function refused({ message = "" }: z.infer<typeof refusal>) {
    if (message === "") return api.calls.failure("refused the call without a reason.", "none");
    if (!missing.test(message)) return api.calls.error(message, "none");
    return api.calls.failure("does not have this name in the account.", "none", { zoneMissing: true });
  }

  /** Makes a call, which is a POST with the keys in its body. @throws ProviderError also for a refusal with status 200 */
  async function post<T>(path: string, schema: z.ZodType<T>, changes: boolean, body: object = {}): Promise<T> {
    const answer = await api.call({
      method: "POST",
      path,
      schema: z.union([refusal.transform((error) => ({ error })), schema.transform((value) => ({ value }))]),
      changes,
      body: { apikey: apiKey, secretapikey: secretKey, ...body },
    });
    if ("error" in answer) throw refused(answer.error);
    return answer.value;
  }

  async function readList(): Promise<z.infer<typeof listed>[]> {
    const schema = done.extend({ domains: z.array(listed) });
    const entries: z.infer<typeof listed>[] = [];
    const turner = new PageTurner(api.calls.name);
    for (;;) {
      const { domains } = await post("/domain/listAll", schema, false, { start: String(entries.length) });
      entries.push(...domains);
      const [first] = domains;
      if (!first || domains.length < pageSize) return entries;
      turner.turn(first.domain);
    }
  }

  /** @param changedAt what was read before then is out of date */
  async function listedDomains(changedAt: Date | null = null): Promise<z.infer<typeof listed>[]> {
    const oldest = Math.max(now() - listLifetime, changedAt ? changedAt.getTime() + mostSkew : 0);
    if (!list || list.at < oldest) list = { at: now(), entries: readList() };
    const current = list;
    return await current.entries.catch((error: unknown) => {
      if (list === current) list = null;
      throw error;
    });
  }

  async function dsOf(name: string): Promise<{ ds: string; tag: number }[]> {
    const { records = {} } = await post(`/dns/getDnssecRecords/${name}`, dsAnswer, false);
    return Object.values(records).flatMap(({ keyTag, alg, digestType, digest }) => {
      const ds = readDs(`${keyTag} ${alg} ${digestType} ${digest}`);
      return ds === null ? [] : [{ ds, tag: keyTag }];
    });
  }

  return {
    async domains() {
      list = null;
      return (await listedDomains()).map(({ domain }) => domain.toLowerCase());
    },
    async read(name, changedAt) {
      const entry = (await listedDomains(changedAt)).find(({ domain }) => domain.toLowerCase() === name);
      if (!entry) return null;
      const { ns } = await post(`/domain/getNs/${name}`, done.extend({ ns: z.array(z.string()) }), false);
      return {
        name: entry.domain,
        expiresAt: entry.expireDate === undefined ? null : parseExpiryDate(entry.expireDate),
        autoRenew: entry.autoRenew ?? null,
        locked: entry.securityLock ?? null,
        nameServers: readHostNames(ns),
        ds: distinct((await dsOf(name)).map(({ ds }) => ds)),
      };
    },
    async change(name, { nameServers, ds, autoRenew }) {
      list = null;
      if (nameServers) await post(`/domain/updateNs/${name}`, done, true, { ns: nameServers });
      if (autoRenew !== undefined) {
        const status = autoRenew ? "on" : "off";
        const { results = {} } = await post(`/domain/updateAutoRenew/${name}`, doneForNames, true, { status });
        for (const one of Object.values(results)) if (one.status === "ERROR") throw refused(one);
      }
      if (!ds) return;
      // Deletes by key tag, so a new DS of the same key comes after the deletion of the old one.
      const { added, removed } = dsStepsToSend(porkbun.name, await dsOf(name), ds);
      const isReplaced = (tag: number) => added.some((one) => one.ds.startsWith(`${tag} `));
      const remove = [...new Set(removed.map(({ tag }) => tag))];
      const removal = (tag: number) => () => post(`/dns/deleteDnssecRecord/${name}/${tag}`, done, true);
      await inSteps([
        ...remove.filter(isReplaced).map(removal),
        ...added.map((one) => () => {
          const [keyTag, alg, digestType, digest] = one.ds.split(" ");
          return post(`/dns/createDnssecRecord/${name}`, done, true, { keyTag, alg, digestType, digest });
        }),
        ...remove.filter((tag) => !isReplaced(tag)).map(removal),
      ]);
    },
  };
}
