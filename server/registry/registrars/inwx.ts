import { domainToASCII } from "node:url";
import { z } from "zod";
import { inwx as dnsProvider, inwxCalls, isDone, isMissing, type InwxConfig } from "../../dns-providers/inwx.ts";
import { readPages } from "../../dns-providers/vendor-api/pages.ts";
import { maybe } from "../../dns-providers/vendor-api/text.ts";
import type { VendorEnvironment } from "../../dns-providers/vendor-api/calls.ts";
import { parseExpiryDate, distinct, readDs, readHostNames } from "../expiry/dates.ts";
import { ProviderError } from "../../dns-providers/provider.ts";
import {
  adviceOnKeys,
  dsSteps,
  dsStepsToSend,
  inSteps,
  type ChangeableField,
  type Refusal,
  type RegistrarAccount,
  type RegistrarChange,
  type RegistrarKind,
} from "./registrar.ts";

// INWX's DomRobot API (JSON-RPC). Read on 2026-11-29: its documentation, chapters 2.8 (dnssec), 2.9 (domain) and 3 (types), and what its own clients do: Terraform
// of 2026-07-03 (resource_domain.go, resource_dnssec_key.go) and WHMCS of 2026-04-22 (the form of dates, the renewal mode of .at); goinwx of 2025-11-27
// (counts as text, the name of the DNSSEC status).

const pageSize = 250;
const automatic = "AUTORENEW";

const number = z.coerce.number();
/** Dates are ISO 8601 texts, or the object that PHP makes of XML-RPC's. */
const date = maybe(z.union([z.string(), z.object({ scalar: z.string() }).transform(({ scalar }) => scalar)]));
const domain = z.object({
  domain: z.string(),
  exDate: date,
  renewalMode: maybe(z.string()),
  transferLock: maybe(z.union([z.boolean(), number.transform(Boolean)])),
  ns: maybe(z.array(z.string())),
});
const domainPage = z.object({ count: number, domain: maybe(z.array(z.object({ domain: z.string() }))) });
const key = z.object({
  id: number,
  keyTag: number,
  algorithmId: number,
  digestTypeId: number,
  digest: z.string(),
});
const keyList = z.union([
  z.array(key),
  z.object({ dnskey: maybe(z.array(key)) }).transform(({ dnskey = [] }) => dnskey),
]);
const state = z.object({ domain: z.string(), dnsSecStatus: maybe(z.string()), dnssecStatus: maybe(z.string()) });
const stateList = z.object({ data: maybe(z.array(state)) });
/** What a change costs: an amount, also as text. */
const cost = z.object({ price: maybe(number), currency: maybe(z.string()) });
const anything = z.unknown();

/** The domains of an INWX account. */
export const inwx: RegistrarKind<InwxConfig> = {
  kind: "inwx",
  name: dnsProvider.name,
  configFields: dnsProvider.configFields,
  addresses: dnsProvider.addresses,
  configSchema: dnsProvider.configSchema,
  changes: ["nameServers", "ds", "locked", "autoRenew"],
  connect: (config, environment) => inwxAccount(config, environment),
};

function inwxAccount(config: InwxConfig, environment: VendorEnvironment): RegistrarAccount {
  const use = { of: "registrar configuration", manages: "domains" };
  const { api, call, parsed, messageOf } = inwxCalls(config, environment, use);
  const { calls } = api;

  /** Makes a call. @returns null if the account has no such name. @throws ProviderError */
  async function find<T>(method: string, params: object, schema: z.ZodType<T>, changes = false): Promise<T | null> {
    const answer = await call(method, params, changes);
    if (isMissing(answer)) return null;
    if (!isDone(answer)) throw calls.error(messageOf(answer), "none");
    return parsed(schema, answer.resData, changes);
  }

  async function change(method: string, params: object, schema: z.ZodType = anything): Promise<void> {
    if ((await find(method, params, schema, true)) !== null) return;
    throw calls.failure("does not have this name in the account.", "none", { zoneMissing: true });
  }

  /** Returns why INWX would refuse a change of a name, or charge for it, as a trial shows; null if neither. */
  async function refusalOf(params: object): Promise<ProviderError | null> {
    const answer = await call("domain.update", { ...params, testing: true });
    if (isRefusal(answer.code)) return calls.error(messageOf(answer), "none");
    if (!isDone(answer)) throw calls.error(messageOf(answer), "none");
    const { price, currency = "" } = parsed(cost, answer.resData);
    if (!price) return null;
    const amount = `${price} ${currency}`.trim();
    return calls.failure(`charges ${amount} for this change, so it is not made. Make it in its console.`, "none");
  }

  /** Changes a name if that is free. */
  async function update(params: object): Promise<void> {
    const refusal = await refusalOf(params);
    if (refusal) throw refusal;
    await change("domain.update", params);
  }

  /** Returns what to send for a DS record; why it cannot be sent, if so. */
  function keyToAdd(name: string, { ds, key: own }: NonNullable<RegistrarChange["ds"]>[number]) {
    if (own?.flags !== 257)
      return calls.failure(`takes key-signing keys, and the zone has none for DS ${ds}. ${adviceOnKeys}`, "none");
    const { algorithm, publicKey } = own;
    return { dnskey: `${name}. IN DNSKEY 257 3 ${algorithm} ${publicKey}`, ds: `${name}. IN DS ${ds}` };
  }

  const ownKeys = () =>
    calls.failure("manages the DNSSEC keys of this name itself. Turn that off in its console first.", "none");

  /** Returns the DS records of a name; null if INWX makes its keys itself, which the API does not list. */
  async function keysOf(name: string): Promise<{ ds: string; id: number }[] | null> {
    const keys = (await find("dnssec.listkeys", { domainName: name, active: 1 }, keyList)) ?? [];
    const found = keys.flatMap(({ id, keyTag, algorithmId, digestTypeId, digest }) => {
      const ds = readDs(`${keyTag} ${algorithmId} ${digestTypeId} ${digest}`);
      return ds === null ? [] : [{ ds, id }];
    });
    if (found.length > 0) return found;
    const states = (await find("dnssec.info", { domains: [name] }, stateList))?.data ?? [];
    const own = states.find((one) => domainToASCII(one.domain) === name);
    return /AUTO/i.test(own?.dnsSecStatus ?? own?.dnssecStatus ?? "") ? null : [];
  }

  const listedDs = async (name: string) => {
    const keys = await keysOf(name);
    return keys && distinct(keys.map(({ ds }) => ds));
  };

  return {
    async domains() {
      const list = { vendor: inwx.name, name: "The list of domains", pageSize, idOf: (name: string) => name };
      const names: string[] = [];
      let known = 0;
      const pages = readPages(list, async (page) => {
        const found = await find("domain.list", { page, pagelimit: pageSize }, domainPage);
        const entries = (found?.domain ?? []).map((one) => domainToASCII(one.domain).toLowerCase());
        known += entries.length;
        return { entries, total: found?.count ?? 0, isLast: known >= (found?.count ?? 0) };
      });
      for await (const page of pages) names.push(...page);
      return names;
    },
    async read(name) {
      const found = await find("domain.info", { domain: name }, domain);
      if (found === null) return null;
      const { exDate, renewalMode, transferLock, ns } = found;
      return {
        name: found.domain,
        expiresAt: exDate === undefined ? null : parseExpiryDate(exDate),
        autoRenew: renewalMode === undefined ? null : renewalMode === automatic,
        locked: transferLock ?? null,
        nameServers: ns ? readHostNames(ns) : null,
        ds: await listedDs(name),
      };
    },
    async refusals(name, { ds, ...fields }) {
      const found: Refusal[] = [];
      for (const [field, params] of updatesOf(name, fields)) {
        const refusal = await refusalOf(params);
        if (refusal) found.push({ field, message: refusal.message });
      }
      if (!ds) return found;
      const known = await keysOf(name);
      const added = known === null ? [ownKeys()] : dsSteps(known, ds).added.map((one) => keyToAdd(name, one));
      const refused = added.filter((one) => one instanceof ProviderError);
      return [...found, ...refused.map(({ message }) => ({ field: "ds" as const, message }))];
    },
    async change(name, { ds, ...fields }) {
      for (const [, params] of updatesOf(name, fields)) await update(params);
      if (!ds) return;
      const known = await keysOf(name);
      if (known === null) throw ownKeys();
      const { added, removed } = dsStepsToSend(inwx.name, known, ds);
      const keys = added.map((one) => {
        const key = keyToAdd(name, one);
        if (key instanceof ProviderError) throw key;
        return key;
      });
      await inSteps([
        ...keys.map((one) => () => change("dnssec.adddnskey", { domainName: name, ...one })),
        ...removed.map(
          ({ id }) =>
            () =>
              change("dnssec.deletednskey", { key: id }),
        ),
      ]);
    },
  };
}

/** Returns the parameters of `domain.update` for each field that changes. */
function updatesOf(name: string, { nameServers, locked, autoRenew }: Omit<RegistrarChange, "ds">) {
  const updates: [field: ChangeableField, params: object][] = [];
  if (nameServers) updates.push(["nameServers", { domain: name, ns: nameServers }]);
  if (locked !== undefined) updates.push(["locked", { domain: name, transferLock: locked }]);
  // Names below .at cannot expire: without renewal they are deleted.
  const off = /(?:^|\.)at$/.test(name) ? "AUTODELETE" : "AUTOEXPIRE";
  if (autoRenew !== undefined) updates.push(["autoRenew", { domain: name, renewalMode: autoRenew ? automatic : off }]);
  return updates;
}

/** Returns whether INWX refuses what was asked, and would again: RFC 5730 §3. Others are about the session (2002) or failures (from 2400). */
function isRefusal(code: number): boolean {
  return code >= 2_000 && code < 2_400 && code !== 2_002;
}
