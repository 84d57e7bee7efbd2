import { z } from "zod";
import { apiAddress, credential, credentialFields } from "./config-fields.ts";
import type { LimitedRecord, ProviderKind, Unsupported } from "./provider.ts";
import type { RrsetAccount, RrsetContent, VendorRrset, Written } from "./rrset-api/account.ts";
import { rrsetAccountProvider } from "./rrset-api/provider.ts";
import { VendorAccounts } from "./vendor-api/accounts.ts";
import { VendorCalls, type VendorAnswer, type VendorEnvironment } from "./vendor-api/calls.ts";
import { JsonApi } from "./vendor-api/json-api.ts";
import { PageTurner } from "./vendor-api/pages.ts";
import { maybe, parsedJson } from "./vendor-api/text.ts";

// Zones of the Hetzner Cloud API, by its public clients. Read on 2026-11-27: Hetzner's own (github.com/hetznercloud/hcloud-go, zone_rrset.go), lego, and
// DNSControl's hetznerv2 of 2026-05-31 (100 entries on a page). Read on 2026-11-30: the vendor's
// own reference (docs.hetzner.cloud, "Errors" and "Rate Limiting": a call more each second, and a reset when the quota is whole). The range of TTLs was not.

const address = "https://api.hetzner.cloud";
/** 3,600 an hour for a project, which others share. */
const limits = [{ calls: 3_400, seconds: 3_600 }];
const perPage = 100;
/** Pauses between looks at an action, in milliseconds; about a minute in all. */
const actionPauses = [200, 400, 800, 1_600, 3_000, 5_000, 5_000, 10_000, 15_000, 20_000];

const page = z.object({ meta: maybe(z.object({ pagination: maybe(z.object({ next_page: maybe(z.int()) })) })) });
const zoneEntry = z.object({ name: z.string(), ttl: maybe(z.int()), mode: maybe(z.string()) });
const rrset = z.object({
  name: z.string(),
  type: z.string(),
  /** Null: that of the zone. */
  ttl: maybe(z.int()),
  protection: maybe(z.object({ change: maybe(z.boolean()) })),
  records: z.array(z.object({ value: z.string(), comment: maybe(z.string()) })),
});
const action = z.object({
  id: z.int(),
  status: z.enum(["running", "success", "error"]),
  error: maybe(z.object({ message: maybe(z.string()) })),
});
const acted = z.object({ action });

const configSchema = z.strictObject({
  token: credential("API token"),
  endpoint: apiAddress(address).default(address),
});

export type HetznerConfig = z.infer<typeof configSchema>;

/** The zones of a Hetzner Cloud project. */
export const hetzner: ProviderKind<HetznerConfig> = {
  id: "5a1f0c52-7d0e-4c1b-9d0a-000000000012",
  kind: "hetzner",
  name: "Hetzner",
  recordTypes: [
    "A",
    "AAAA",
    "CAA",
    "CNAME",
    "DS",
    "HINFO",
    "HTTPS",
    "MX",
    "NS",
    "PTR",
    "RP",
    "SRV",
    "SVCB",
    "TLSA",
    "TXT",
  ],
  supportsProxied: false,
  minTtl: 60,
  maxTtl: 2_147_483_647,
  unsupportedReason,
  lowersCase: "owners",
  callLimits: limits,
  granularity: "rrset",
  configFields: credentialFields({ token: "API token" }),
  addresses: ["endpoint"],
  configSchema,
  connect: (config, environment) => rrsetAccountProvider(hetznerAccount(config, environment)),
};

function unsupportedReason({ recordType, value }: LimitedRecord): Unsupported | null {
  return recordType !== "TXT" && value.startsWith("\\#")
    ? { field: "value", reason: "does not support data in generic form (RFC 3597)." }
    : null;
}

function hetznerAccount({ token, endpoint }: HetznerConfig, environment: VendorEnvironment): RrsetAccount {
  const { pause } = environment.accounts ?? new VendorAccounts();
  const calls = new VendorCalls({
    name: hetzner.name,
    address: endpoint,
    environment,
    secrets: [token],
    quotas: { address, limits },
    refillSeconds: 3_600,
  });
  const api = new JsonApi({
    calls,
    base: `${endpoint.replace(/\/+$/, "").replace(/\/v1$/, "")}/v1`,
    headers: () => ({ authorization: `Bearer ${token}` }),
    credentials: "the token",
    advice: "Check the token, that it is of the zone's project, and that it may read and write.",
    isForbidden: ({ status, text }) => status === 401 || (status === 403 && codeOf(text) !== "resource_limit_exceeded"),
  });

  async function* pages<T>(path: string, schema: z.ZodType<T & z.infer<typeof page>>, zone?: string) {
    const turner = new PageTurner(hetzner.name);
    for (let next = 1; ;) {
      const query = `${path.includes("?") ? "&" : "?"}page=${next}&per_page=${perPage}`;
      const { value }: { value: T & z.infer<typeof page> } = await api.read(`${path}${query}`, schema, zone);
      yield value;
      const following = value.meta?.pagination?.next_page;
      if (following === undefined) return;
      turner.turn(following);
      next = following;
    }
  }

  /** Makes a call and waits until the action that it starts has ended. */
  async function act(zone: string, method: "POST" | "DELETE", path: string, body?: unknown): Promise<Written> {
    const answer = await api.send({ method, path: `${zonePath(zone)}${path}`, body, isBusy }, acted);
    if (!answer.ok) {
      if (answer.status === 404) await api.read(zonePath(zone), z.unknown(), zone);
      return { ok: false, message: answer.message, isStale: answer.status === 404 };
    }
    let latest = answer.value.action;
    for (const milliseconds of actionPauses) {
      if (latest.status !== "running") break;
      await pause(milliseconds);
      latest = await readAction(latest.id);
    }
    if (latest.status === "running")
      throw calls.failure("has not finished the change yet. Sync the zone later.", "unknown");
    if (latest.status === "success") return { ok: true };
    return { ok: false, message: calls.plain(latest.error?.message ?? "The action failed.") };
  }

  async function readAction(id: number): Promise<z.infer<typeof action>> {
    const { value } = await api.read(`/actions/${id}`, acted).catch((error: unknown) => {
      throw calls.failure("accepted the change, but its outcome could not be read. Sync the zone later.", "unknown", {
        cause: error,
      });
    });
    return value.action;
  }

  return {
    vendor: hetzner.name,
    async *zones() {
      for await (const { zones } of pages("/zones", page.extend({ zones: z.array(zoneEntry) }))) {
        yield zones.filter(({ mode }) => mode !== "secondary").map(({ name }) => name);
      }
    },
    async createZone(zone) {
      const known = await api.send({ method: "GET", path: zonePath(zone) }, z.unknown());
      if (known.ok) return;
      const body = { name: zone, mode: "primary" };
      const made = await api.send({ method: "POST", path: "/zones", body }, z.unknown());
      if (!made.ok) throw calls.failure(`did not create the zone ${zone}: ${made.message}`, "none");
    },
    async *rrsets(zone, name) {
      let zoneTtl: number | undefined;
      const filter = name === undefined ? "" : `?name=${encodeURIComponent(name)}`;
      for await (const { rrsets } of pages(
        `${zonePath(zone)}/rrsets${filter}`,
        page.extend({ rrsets: z.array(rrset) }),
        zone,
      )) {
        if (zoneTtl === undefined && rrsets.some(({ ttl }) => ttl === undefined)) {
          const { value } = await api.read(zonePath(zone), z.object({ zone: zoneEntry }), zone);
          zoneTtl = value.zone.ttl;
        }
        yield rrsets.map((one) => readRrset(one, zoneTtl ?? usualTtl));
      }
    },
    async put(zone, { name, recordType, before, after }) {
      const records = recordsOf(before, after);
      if (!before) return await act(zone, "POST", "/rrsets", { name, type: recordType, ttl: after.ttl, records });
      const path = `/rrsets/${encodeURIComponent(name)}/${recordType}/actions`;
      if (before.ttl !== after.ttl) return await act(zone, "POST", `${path}/change_ttl`, { ttl: after.ttl });
      return await act(zone, "POST", `${path}/set_records`, { records });
    },
    async remove(zone, { name, recordType }) {
      return await act(zone, "DELETE", `/rrsets/${encodeURIComponent(name)}/${recordType}`);
    },
    mostQueries: 3,
    ttlApart: true,
    marksReadOnly: true,
  };
}

/** The TTL of a zone that does not say its own. */
const usualTtl = 3_600;

/** Whether a zone is locked by an action of somebody else's. Status 423 is also that of what is protected. */
function isBusy({ status, text }: VendorAnswer): boolean {
  const code = codeOf(text);
  return code === null ? status === 423 : ["conflict", "locked"].includes(code);
}

/** Returns the code of a refusal; null without one. */
function codeOf(text: string): string | null {
  const parsed = z.object({ error: z.object({ code: z.string() }) }).safeParse(parsedJson(text));
  return parsed.success ? parsed.data.error.code : null;
}

function zonePath(zone: string): string {
  return `/zones/${encodeURIComponent(zone)}`;
}

function readRrset({ name, type, ttl, protection, records }: z.infer<typeof rrset>, zoneTtl: number): VendorRrset {
  const isProtected = protection?.change === true;
  return {
    name,
    recordType: type,
    ttl: ttl ?? zoneTtl,
    values: records.map(({ value }) => value),
    // Comments are set with the records, so those of records that stay are sent again.
    tag: JSON.stringify(records),
    readOnly: isProtected ? "protects these records against changes; lift the protection there." : undefined,
  };
}

function recordsOf(
  before: VendorRrset | null,
  { values }: RrsetContent,
): { value: string; comment?: string | undefined }[] {
  const parsed = rrset.shape.records.safeParse(parsedJson(before?.tag ?? ""));
  const known = new Map((parsed.success ? parsed.data : []).map((record) => [record.value, record]));
  return values.map((value) => known.get(value) ?? { value });
}
