import { z } from "zod";
import { ovh as dnsProvider, ovhApi, type OvhConfig } from "../../dns-providers/ovh.ts";
import { maybe } from "../../dns-providers/vendor-api/text.ts";
import type { VendorEnvironment } from "../../dns-providers/vendor-api/calls.ts";
import { parseExpiryDate, distinct, readHostNames } from "../expiry/dates.ts";
import {
  dsOfKey,
  dsSteps,
  inSteps,
  keysToSend,
  RegistrarApi,
  type PublishedKey,
  type RegistrarAccount,
  type RegistrarKind,
} from "./registrar.ts";

// OVHcloud's API 1.0. Read on 2026-11-29: its OpenAPI description in ovhcloud-cli of 2025-10-02 (/domain, /domain/{serviceName}, nameServers/update, dsRecord,
// serviceInfos, task), its Terraform provider (name servers, DS records) and DNSControl's OVH (only name servers of the type `external` can be changed). OVHcloud takes
// DNSKEYs, all of a name at once, and makes the DS records itself.

const details = z.object({
  domain: maybe(z.string()),
  expirationDate: maybe(z.string()),
  nameServers: maybe(z.array(z.object({ nameServer: maybe(z.string()) }))),
  nameServerType: maybe(z.string()),
  /** `locked`, `locking`, `unlocked`, `unlocking`; `unavailable` where the registry has no lock. */
  transferLockStatus: maybe(z.string()),
});
const renewal = z.object({
  automatic: maybe(z.boolean()),
  deleteAtExpiration: maybe(z.boolean()),
  forced: maybe(z.boolean()),
  period: maybe(z.int()),
});
const service = z.object({ expiration: maybe(z.string()), renew: maybe(renewal) });
const dnsKey = z.object({
  algorithm: z.int(),
  flags: z.int(),
  publicKey: z.string(),
  status: maybe(z.string()),
});
const anything = z.unknown();
/** What carries a change out: `todo`, `doing`, `done`, `cancelled`, `error` or `problem`. */
const task = z.object({ id: z.int(), status: maybe(z.string()), comment: maybe(z.string()) });
const failedStates = new Set(["cancelled", "error", "problem"]);
/** Keys in these states have no DS record. */
const gone = new Set(["removed", "revoked"]);

/** The domains of an OVHcloud account. */
export const ovh: RegistrarKind<OvhConfig> = {
  kind: "ovh",
  name: dnsProvider.name,
  configFields: dnsProvider.configFields,
  addresses: dnsProvider.addresses,
  configSchema: dnsProvider.configSchema,
  changes: ["nameServers", "ds", "locked", "autoRenew"],
  makesDs: true,
  connect: (config, environment) => ovhAccount(config, environment),
};

function ovhAccount(config: OvhConfig, environment: VendorEnvironment): RegistrarAccount {
  const rights = "GET /domain, and GET, POST and PUT /domain/* or the names in place of *";
  const api = new RegistrarApi(
    ovhApi(config, environment, {
      of: "registrar configuration",
      rights: `it may ${rights}`,
      rightOf: (method, path) => ({ lacks: `${method} ${path}`, all: rights }),
    }),
  );
  const get = <T>(path: string, schema: z.ZodType<T>) => api.call({ method: "GET", path, schema });
  const send = (method: "POST" | "PUT", path: string, body: object) =>
    api.call({ method, path, body, schema: anything });
  /** Makes a call that a task carries out. @returns its id; none if the answer has none */
  async function sendTask(path: string, body: object): Promise<string[]> {
    const answer = task.safeParse(await send("POST", path, body));
    return answer.success ? [String(answer.data.id)] : [];
  }

  async function keysOf(name: string): Promise<(PublishedKey & { ds: string })[]> {
    const found: (PublishedKey & { ds: string })[] = [];
    for (const id of await get(at(name, "/dsRecord"), z.array(z.int()))) {
      const { status = "", ...key } = await get(at(name, `/dsRecord/${id}`), dnsKey);
      const ds = dsOfKey(name, key);
      if (ds !== null && !gone.has(status)) found.push({ ...key, ds });
    }
    return found;
  }

  return {
    async domains() {
      return (await get("/domain", z.array(z.string()))).map((name) => name.toLowerCase());
    },
    async read(name) {
      const found = await api.find({ method: "GET", path: at(name), schema: details });
      if (found === null) return null;
      const { domain, expirationDate, nameServers, transferLockStatus: lock = "" } = found.value;
      const { expiration, renew } = await get(at(name, "/serviceInfos"), service);
      const expires = expirationDate ?? expiration;
      return {
        name: domain ?? null,
        expiresAt: expires === undefined ? null : parseExpiryDate(expires),
        autoRenew: renew ? (renew.automatic ?? false) && renew.deleteAtExpiration !== true : null,
        locked: /^(?:un)?lock(?:ed|ing)$/.test(lock) ? !lock.startsWith("un") : null,
        nameServers: nameServers ? readHostNames(nameServers.map(({ nameServer = "" }) => nameServer)) : null,
        ds: distinct((await keysOf(name)).map(({ ds }) => ds)),
      };
    },
    async task(name, id) {
      const { status = "", comment = "" } = await get(at(name, `/task/${encodeURIComponent(id)}`), task);
      const reason = api.calls.plain(comment);
      return { state: failedStates.has(status) ? "failed" : status === "done" ? "done" : "open", reason };
    },
    async change(name, { nameServers, ds, locked, autoRenew }) {
      const tasks: string[] = [];
      if (nameServers) {
        const { nameServerType } = await get(at(name), details);
        const external = () => send("PUT", at(name), { nameServerType: "external" }).then(() => []);
        const steps = await inSteps<string[]>([
          ...(nameServerType === "external" ? [] : [external]),
          () => sendTask(at(name, "/nameServers/update"), { nameServers: nameServers.map((host) => ({ host })) }),
        ]);
        tasks.push(...steps.flat());
      }
      if (locked !== undefined) await send("PUT", at(name), { transferLockStatus: locked ? "locked" : "unlocked" });
      if (autoRenew !== undefined) {
        const { renew } = await get(at(name, "/serviceInfos"), service);
        const { forced = false, period } = renew ?? {};
        const set = {
          automatic: autoRenew,
          deleteAtExpiration: false,
          forced,
          ...(period !== undefined && { period }),
        };
        await send("PUT", at(name, "/serviceInfos"), { renew: set });
      }
      if (!ds) return tasks;
      const known = await keysOf(name);
      const { added, removed } = dsSteps(known, ds);
      const kept = known.filter((key) => !removed.includes(key));
      const keys = [
        ...kept.map((key) => bodyOf(key, key.ds)),
        ...keysToSend(ovh.name, added).map((key, index) => bodyOf(key, added[index]?.ds)),
      ];
      return [...tasks, ...(await sendTask(at(name, "/dsRecord"), { keys }))];
    },
  };
}

function at(name: string, part = ""): string {
  return `/domain/${encodeURIComponent(name)}${part}`;
}

function bodyOf({ algorithm, flags, publicKey }: PublishedKey, ds = ""): object {
  return { algorithm, flags, publicKey, tag: Number(ds.split(" ", 1)[0]) };
}
