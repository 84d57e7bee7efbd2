import { createPrivateKey, X509Certificate } from "node:crypto";
import { z } from "zod";
import { readOwner } from "../dns/names/names.ts";
import { maxTtl, rrsetKey } from "../dns/record.ts";
import { canonicalType, isVendorType } from "../dns/zone-file/type-names.ts";
import { apiAddress, credential, inMilliseconds, timeoutField, timeoutSeconds } from "./config-fields.ts";
import { certificateFault } from "../platform/net/tls.ts";
import {
  ProviderError,
  type ConfigField,
  type DnsProvider,
  type LimitedRecord,
  type ProviderKind,
  type ZoneRefusals,
} from "./provider.ts";
import type { RrsetAccount, RrsetContent, RrsetStep, VendorRrset, Written } from "./rrset-api/account.ts";
import { rrsetAccountProvider } from "./rrset-api/provider.ts";
import { lateSeconds, VendorCalls, type VendorEnvironment } from "./vendor-api/calls.ts";
import { JsonApi, type JsonAnswer, type JsonCall } from "./vendor-api/json-api.ts";
import { PageTurner } from "./vendor-api/pages.ts";
import { parsedJson } from "./vendor-api/text.ts";
import {
  capabilities,
  outcomes,
  rrsetList,
  staleRefusal,
  zoneList,
  type Capabilities,
  type ChangeSet,
} from "./webhook/protocol.ts";

// The protocol of webhook adapters: docs/providers/webhook.md.

const name = "Webhook adapter";

/** The address of an adapter, and what it is called with. */
export const adapterConfig = z
  .strictObject({
    url: apiAddress("https://adapter.example.com"),
    token: credential("token", 16, 500).optional(),
    clientCertificate: pem("certificate", /CERTIFICATE$/).optional(),
    clientKey: pem("private key", /^(?:RSA |EC )?PRIVATE KEY$/).optional(),
    timeoutSeconds,
  })
  .superRefine(({ url, token, clientCertificate, clientKey }, context) => {
    const refuse = (path: string, message: string) => context.addIssue({ code: "custom", path: [path], message });
    if (clientCertificate === undefined && clientKey === undefined) {
      if (token === undefined) refuse("token", "Enter a token, or a client certificate with its key.");
    } else if (clientCertificate === undefined) {
      refuse("clientCertificate", "Enter the certificate of the client key, too.");
    } else if (clientKey === undefined) {
      refuse("clientKey", "Enter the key of the client certificate, too.");
    } else if (!isPair(clientCertificate, clientKey)) {
      refuse("clientKey", "This key does not belong to the client certificate.");
    } else if (!/^https:/i.test(url)) {
      refuse("url", "A client certificate needs an address that begins with https://.");
    } else {
      const fault = certificateFault(clientCertificate, clientKey);
      if (fault !== null) refuse("clientCertificate", `TLS does not accept this certificate: ${fault}.`);
    }
  });

export type WebhookConfig = z.infer<typeof adapterConfig>;

export const adapterFields: readonly ConfigField[] = [
  { name: "url", label: "Adapter's address", secret: false, required: true },
  { name: "token", label: "Token", secret: true, required: false },
  { name: "clientCertificate", label: "Client certificate (PEM)", secret: true, required: false },
  { name: "clientKey", label: "Client key (PEM)", secret: true, required: false },
  timeoutField,
];

/** The zones of any server that speaks the protocol of docs/providers/webhook.openapi.json. */
export const webhook: ProviderKind<WebhookConfig> = {
  id: "5a1f0c52-7d0e-4c1b-9d0a-000000000050",
  kind: "webhook",
  name,
  recordTypes: "any",
  vendorTypes: true,
  supportsProxied: false,
  minTtl: 0,
  maxTtl,
  lowersCase: "owners",
  granularity: "rrset",
  configFields: adapterFields,
  addresses: ["url"],
  configSchema: adapterConfig,
  connect: (config, environment) => webhookProvider(new Adapter(config, environment), config.timeoutSeconds),
};

/** Returns the schema of one or several PEM blocks. Forms of one line take the line breaks away; they are put back. */
function pem(what: string, label: RegExp) {
  const blocks = /-----BEGIN ([A-Z ]+)-----([A-Za-z\d+/=\s]+)-----END \1-----/g;
  // OpenSSL writes the parameters of an elliptic curve before its key, which names them, too.
  const blocksOf = (text: string) => [...text.matchAll(blocks)].filter(([, name]) => name !== "EC PARAMETERS");
  return z
    .string()
    .max(20_000)
    .refine(
      (text) => {
        const found = blocksOf(text);
        return found.length > 0 && found.every(([, name = ""]) => label.test(name));
      },
      { abort: true, error: `Enter a ${what} in PEM form, without a passphrase: it begins with -----BEGIN.` },
    )
    .transform((text) =>
      blocksOf(text)
        .map(([, name = "", data = ""]) => {
          const lines = data.replaceAll(/\s/g, "").match(/.{1,64}/g) ?? [];
          return [`-----BEGIN ${name}-----`, ...lines, `-----END ${name}-----`, ""].join("\n");
        })
        .join(""),
    );
}

function isPair(certificate: string, key: string): boolean {
  try {
    return new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}

/** What an adapter can do is asked anew for each change, because it may be replaced at any time. */
function webhookProvider(adapter: Adapter, timeoutSeconds = 0): DnsProvider {
  const reading = rrsetAccountProvider(adapter.readAccount());
  return {
    ...reading,
    settlesAfterSeconds: Math.max(lateSeconds, timeoutSeconds),
    async listZones() {
      await adapter.capabilities();
      return await reading.listZones();
    },
    refusalsOf: async () => refusalsOf(await adapter.capabilities()),
    async applyChanges(zone, changes, options) {
      const able = await adapter.capabilities();
      const { record } = refusalsOf(able);
      // The adapter may have been replaced since the plan, or not have answered then.
      const refusalOf = (one: LimitedRecord) => record(one)?.reason ?? null;
      const account: RrsetAccount = { ...adapter.account(able), refusalOf };
      return await rrsetAccountProvider(account).applyChanges(zone, changes, options);
    },
  };
}

function refusalsOf({ recordTypes, minTtl, maxTtl }: Capabilities): ZoneRefusals {
  const named = recordTypes === "any" ? null : new Set(recordTypes.map((type) => canonicalType(type) ?? type));
  const stores = (type: string) => named?.has(type) ?? !isVendorType(type);
  return {
    everything: null,
    record({ recordType, ttl }) {
      if (!stores(recordType)) return { field: "value", reason: `does not store ${recordType} records.` };
      if (ttl < minTtl || ttl > maxTtl) {
        return { field: "ttl", reason: `accepts TTLs from ${minTtl} to ${maxTtl} seconds.` };
      }
      return null;
    },
  };
}

/** Returns the API of an adapter. @param of what its credentials belong to */
export function adapterApi(
  { url, token, clientCertificate: certificate, clientKey: key, timeoutSeconds }: WebhookConfig,
  environment: VendorEnvironment,
  { name, of }: { name: string; of?: string },
): JsonApi {
  const calls = new VendorCalls({
    name,
    address: url,
    environment,
    secrets: token === undefined ? [] : [token],
    account: token ?? certificate ?? "",
    reach: "inside",
    tryMilliseconds: inMilliseconds(timeoutSeconds),
    ...(certificate !== undefined && key !== undefined && { clientCertificate: { certificate, key } }),
  });
  return new JsonApi({
    calls,
    base: url.replace(/\/+$/, ""),
    headers: (): Record<string, string> => (token === undefined ? {} : { authorization: `Bearer ${token}` }),
    credentials: token === undefined ? "the client certificate" : "the token",
    advice: "Check it, and what the adapter allows it.",
    ...(of !== undefined && { of }),
  });
}

/** Makes the calls of the protocol. */
class Adapter {
  readonly #calls: VendorCalls;
  readonly #api: JsonApi;

  constructor(config: WebhookConfig, environment: VendorEnvironment) {
    this.#api = adapterApi(config, environment, { name });
    this.#calls = this.#api.calls;
  }

  async capabilities(): Promise<Capabilities> {
    return await this.#read("/", capabilities);
  }

  /** Returns an account that is only read. */
  readAccount() {
    return {
      vendor: name,
      zones: () => this.#zones(),
      createZone: async (zone: string) => await this.#createZone(zone),
      rrsets: (zone: string, owner?: string) => this.#rrsets(zone, owner),
      mostQueries: 5,
    };
  }

  account(able: Capabilities): RrsetAccount {
    const single = async (zone: string, step: RrsetStep) => await this.#write(zone, [step], able);
    return {
      ...this.readAccount(),
      put: single,
      remove: single,
      ...(able.atomic && { apply: async (zone, steps) => await this.#write(zone, steps, able) }),
      callLimits: {
        sizesOf: (step) => [1, JSON.stringify(changeOf(step)).length],
        most: [500, 4_000_000],
        words: "500 RRsets of 4,000,000 characters in all",
      },
      // An adapter that reads a zone, edits it and writes it back would lose one of two changes at once.
      ...(able.granularity === "zone" && { mostQueries: 0, concurrency: 1 }),
    };
  }

  async *#zones() {
    for await (const { zones } of this.#pages("/zones", zoneList)) yield zones;
  }

  async #createZone(zone: string): Promise<void> {
    const made = await this.#send({ method: "POST", path: "/zones", body: { name: zone } }, z.unknown());
    if (!made.ok) throw this.#calls.failure(`did not create the zone ${zone}: ${made.message}`, "none");
  }

  async *#rrsets(zone: string, owner?: string): AsyncGenerator<VendorRrset[]> {
    const filter = owner === undefined ? "" : `?name=${encodeURIComponent(owner)}`;
    const seen = new Set<string>();
    for await (const { rrsets } of this.#pages(`${pathOf(zone)}/rrsets${filter}`, rrsetList, zone)) {
      for (const one of rrsets) {
        const key = keyOf(zone, one.name, one.type);
        if (seen.has(key)) {
          throw this.#calls.failure(
            `lists the RRset ${one.name} ${one.type} twice. It must list each once, with all its values.`,
            "none",
          );
        }
        seen.add(key);
      }
      yield rrsets.map(({ type, ...rrset }) => Object.assign(rrset, { recordType: type }));
    }
  }

  async *#pages<T extends { next?: string | null | undefined }>(path: string, schema: z.ZodType<T>, zone?: string) {
    const turner = new PageTurner(name);
    for (let query = ""; ;) {
      const page = await this.#read(`${path}${query}`, schema, zone);
      yield page;
      const { next = null } = page;
      if (next === null) return;
      turner.turn(next);
      query = `${path.includes("?") ? "&" : "?"}cursor=${encodeURIComponent(next)}`;
    }
  }

  async #write(zone: string, steps: readonly RrsetStep[], able: Capabilities): Promise<Written> {
    const body: ChangeSet = { atomic: able.atomic, changes: steps.map(changeOf) };
    const answer = await this.#send({ method: "POST", path: `${pathOf(zone)}/changes`, body }, outcomes);
    if (!answer.ok) return this.#refused(zone, steps, answer);
    const given = answer.value.outcomes;
    if (given.length !== steps.length) {
      const reason = `returned ${given.length} outcomes for ${steps.length} changes. It must return one for each, in the same order.`;
      throw this.#calls.failure(reason, "unknown", { answered: true });
    }
    const made = given.filter(({ ok }) => ok).length;
    if (made === given.length) return { ok: true };
    if (made > 0) {
      const reason = `made ${made} of ${given.length} changes that belong together. It must make all of them, or none.`;
      throw this.#calls.failure(reason, "unknown", { answered: true });
    }
    const said = given.map(({ message }) => this.#calls.plain(message ?? ""));
    const faults = steps.flatMap((step, index): [RrsetStep, string][] =>
      said[index] === undefined || said[index] === "" ? [] : [[step, said[index]]],
    );
    const message = faults[0]?.[1] ?? "it gives no reason.";
    // Records that are written one by one may have been written in part.
    const [single] = able.granularity === "record" && !able.atomic ? steps : [];
    if (single && !(await this.#isUntouched(zone, single))) {
      throw new ProviderError(`${name} refused the change: ${message}`, "unknown", { answered: true });
    }
    return { ok: false, message, faults: new Map(faults) };
  }

  /** Returns whether an RRset still is as it was before a step; false if it cannot be read. */
  async #isUntouched(zone: string, { name: owner, recordType, before }: RrsetStep): Promise<boolean> {
    try {
      const key = keyOf(zone, owner, recordType);
      let now: VendorRrset | null = null;
      for await (const page of this.#rrsets(zone, owner)) {
        now = page.find((one) => keyOf(zone, one.name, one.recordType) === key) ?? now;
      }
      return contentOf(now) === contentOf(before);
    } catch (error) {
      if (error instanceof ProviderError) return false;
      throw error;
    }
  }

  #refused(
    zone: string,
    steps: readonly RrsetStep[],
    { status, message, text }: Extract<JsonAnswer<unknown>, { ok: false }>,
  ): Written {
    if (status === 404) throw this.#noZone(zone);
    if (status !== 409) return { ok: false, message };
    const { data } = staleRefusal.safeParse(parsedJson(text));
    const faults = (data?.stale ?? []).flatMap((index): [RrsetStep, string][] => {
      const step = steps[index];
      return step ? [[step, message]] : [];
    });
    return { ok: false, message, isStale: true, faults: new Map(faults) };
  }

  async #read<T>(path: string, schema: z.ZodType<T>, zone?: string): Promise<T> {
    const answer = await this.#send({ method: "GET", path }, schema);
    if (answer.ok) return answer.value;
    if (answer.status === 404 && zone !== undefined) throw this.#noZone(zone);
    throw this.#calls.failure(`refused GET ${path}: ${answer.message}`, "none");
  }

  /** @throws ProviderError that names what is wrong with an answer */
  async #send<T>(call: JsonCall, schema: z.ZodType<T>): Promise<JsonAnswer<T>> {
    const answer = await this.#api.send(call, z.unknown());
    if (!answer.ok) return answer;
    const parsed = schema.safeParse(answer.value);
    if (parsed.success) return { ...answer, value: parsed.data };
    const [issue] = parsed.error.issues;
    const field = (issue?.path ?? []).map(String).join(".");
    const fault = field === "" ? "it is not a JSON object" : `its field ${field} is missing or wrong`;
    throw this.#calls.error(
      `the answer to ${call.method} ${call.path} does not look like its API: ${fault}. Check the address, and the adapter.`,
      call.method === "GET" ? "none" : "unknown",
      { cause: parsed.error },
    );
  }

  #noZone(zone: string): ProviderError {
    return this.#calls.failure(`has no zone ${zone}.`, "none", { zoneMissing: true });
  }
}

function pathOf(zone: string): string {
  return `/zones/${encodeURIComponent(zone)}`;
}

function keyOf(zone: string, name: string, type: string): string {
  const owner = readOwner(name, zone, zone);
  return rrsetKey({ name: owner.ok ? owner.value.name : name, recordType: canonicalType(type) ?? type });
}

function contentOf(content: RrsetContent | null): string {
  return JSON.stringify(content && [content.ttl, content.values.toSorted()]);
}

/** An RRset that is there keeps the name and the type by which the adapter lists it. */
function changeOf({ name, recordType, before, after }: RrsetStep): ChangeSet["changes"][number] {
  return {
    name: before?.name ?? name,
    type: before?.recordType ?? recordType,
    before: before && { ttl: before.ttl, values: [...before.values] },
    after: after && { ttl: after.ttl, values: [...after.values] },
  };
}
