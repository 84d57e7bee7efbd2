import { createHash, createPrivateKey, sign } from "node:crypto";
import { z } from "zod";
import { absoluteName } from "../dns/names/names.ts";
import { maxTtl } from "../dns/record.ts";
import { apiAddress, credentialFields } from "./config-fields.ts";
import type { UnusableZone } from "./listed-zones.ts";
import type { ProviderKind } from "./provider.ts";
import { apexAliasOnly } from "./vendor-api/limits.ts";
import type { RrsetAccount, RrsetStep, VendorRrset, Written } from "./rrset-api/account.ts";
import { rrsetAccountProvider } from "./rrset-api/provider.ts";
import { AccessTokens, oauthRequest } from "./vendor-api/access-tokens.ts";
import { VendorCalls, type VendorAnswer, type VendorEnvironment } from "./vendor-api/calls.ts";
import { JsonApi, linkedPages } from "./vendor-api/json-api.ts";
import { maybe, parsedJson } from "./vendor-api/text.ts";

// Google's Cloud DNS API v1. Read on 2026-11-28: its discovery document (paging, changes that are made whole, deletions that must match exactly, RDATA in
// master-file form), its pages "DNS records overview" (types, ALIAS) and "Quotas and limits" (1,000 additions and deletions, 100,000 bytes a change, in an
// earlier version) and "Roles and permissions", AIP-4112 (tokens for service accounts). What others found with real accounts: DNSControl's GCLOUD of 2026-05-31 (ALIAS at the apex only,
// apex NS may change), octodns-googlecloud 1.1.0 (values in the order in which they are listed), external-dns issues 467, 1028, 1710 and 3311 (412, 403
// quotaExceeded, 429), 2817 and 5129 (faults by name and type), Terraform's issue 836 (the NS at the apex stays), Posh-ACME's issue 688 (the form of errors). Not found: which owner names it refuses, its calls per minute, and whether its 429 says how long to wait.
// DNSSEC, read on 2026-11-29: the reference's page "REST Resource: dnsKeys". A zone's state, and that the reference and the discovery document write
// enumerated values differently, are from the clients that Google generates; not tried with an account.

const address = "https://dns.googleapis.com";
const scope = "https://www.googleapis.com/auth/ndev.clouddns.readwrite";
/** The longest life of an assertion. */
const assertionSeconds = 3_600;
const mostRrsets = 1_000;
const mostBytes = 100_000;

const recordTypes = "A AAAA ALIAS CAA CNAME DS HTTPS IPSECKEY MX NAPTR NS PTR SPF SRV SSHFP SVCB TLSA TXT".split(" ");

const keyFile = z.object({
  type: z.literal("service_account"),
  project_id: z.string().min(1),
  private_key_id: maybe(z.string()),
  private_key: z.string().min(1),
  client_email: z.string().min(1),
  token_uri: apiAddress("https://oauth2.googleapis.com/token"),
});
type KeyFile = z.infer<typeof keyFile>;

const managedZone = z.object({
  name: z.string(),
  /** Absolute. */
  dnsName: z.string(),
  visibility: maybe(z.string()),
  forwardingConfig: maybe(z.unknown()),
  peeringConfig: maybe(z.unknown()),
});
type ManagedZone = z.infer<typeof managedZone>;
const rrset = z.object({
  name: z.string(),
  type: z.string(),
  ttl: maybe(z.int()),
  rrdatas: maybe(z.array(z.string())),
  routingPolicy: maybe(z.unknown()),
});
const nextPageToken = maybe(z.string());
const zoneList = z.object({ managedZones: maybe(z.array(managedZone)), nextPageToken });
const rrsetList = z.object({ rrsets: maybe(z.array(rrset)), nextPageToken });
const signedZone = z.object({ dnssecConfig: maybe(z.object({ state: maybe(z.string()) })) });
const dnsKey = z.object({ type: z.string(), algorithm: z.string(), publicKey: z.string() });
const keyList = z.object({ dnsKeys: maybe(z.array(dnsKey)), nextPageToken });
/** Its algorithms for keys (RFC 8624), as `plainWord` returns them. */
const algorithms: Readonly<Record<string, number>> = {
  rsasha1: 5,
  rsasha256: 8,
  rsasha512: 10,
  ecdsap256sha256: 13,
  ecdsap384sha384: 14,
};
const change = z.object({ id: z.string(), status: z.string() });
const fault = z.object({ message: maybe(z.string()), reason: maybe(z.string()) });
const refusal = z.object({ error: z.object({ errors: maybe(z.array(fault)) }) });

const configSchema = z
  .strictObject({
    serviceAccountKey: z
      .string("Enter the service account's key.")
      .max(20_000)
      .refine(
        (text) => readKey(text) !== null,
        "Enter the whole JSON file of a service account's key: it begins with { and has type, project_id, private_key and client_email.",
      ),
    projectId: z
      .string()
      .trim()
      .regex(/^[a-z\d.:-]{1,100}$/, "Enter the project's id, such as dns-12345, or leave it out.")
      .optional(),
    endpoint: apiAddress(address).default(address),
  })
  .refine(({ serviceAccountKey, endpoint }) => isTokenAddress(readKey(serviceAccountKey)?.token_uri, endpoint), {
    path: ["serviceAccountKey"],
    error: "The key's token_uri must be an address of Google, or belong to `endpoint`.",
  });

export type GcloudConfig = z.infer<typeof configSchema>;

/** The public zones of a Google Cloud project. */
export const gcloud: ProviderKind<GcloudConfig> = {
  id: "5a1f0c52-7d0e-4c1b-9d0a-000000000015",
  kind: "gcloud",
  name: "Google Cloud DNS",
  recordTypes,
  supportsProxied: false,
  minTtl: 0,
  maxTtl,
  turnsSigning: true,
  unsupportedReason: apexAliasOnly,
  lowersCase: "owners",
  granularity: "rrset",
  configFields: [
    ...credentialFields({ serviceAccountKey: "service account key (JSON)" }),
    { name: "projectId", label: "Project id (the key's own)", secret: false, required: false },
  ],
  addresses: ["endpoint"],
  configSchema,
  connect: (config, environment) => rrsetAccountProvider(gcloudAccount(config, environment)),
};

/** Returns a service account's key; null if the text is not one, or its private key cannot be used. */
function readKey(text: string): KeyFile | null {
  const read = keyFile.safeParse(parsedJson(text));
  if (!read.success) return null;
  try {
    return createPrivateKey(read.data.private_key).asymmetricKeyType === "rsa" ? read.data : null;
  } catch {
    return null;
  }
}

/**
 * Whether tokens may be requested at an address: Google's, or one that belongs to another endpoint. A key file comes from elsewhere, and
 * nobody sees the addresses in it.
 */
function isTokenAddress(address: string | undefined, endpoint: string): boolean {
  // What is not a key is reported as such.
  const url = URL.parse(address ?? "");
  if (!url) return true;
  const isGoogle = /^(?:accounts\.google|(?:[\w-]+\.)?googleapis)\.com$/.test(url.hostname);
  return url.origin === new URL(endpoint).origin || (isGoogle && url.protocol === "https:");
}

function base64url(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

/** Returns a signed statement that a service account wants a token (RFC 7523 §3). */
function assertionOf({ private_key, private_key_id, client_email, token_uri }: KeyFile, now: Date): string {
  const iat = Math.floor(now.getTime() / 1_000);
  const claims = { iss: client_email, scope, aud: token_uri, iat, exp: iat + assertionSeconds };
  const signed = `${base64url({ alg: "RS256", typ: "JWT", kid: private_key_id })}.${base64url(claims)}`;
  return `${signed}.${sign("RSA-SHA256", Buffer.from(signed), private_key).toString("base64url")}`;
}

function gcloudAccount(
  { serviceAccountKey, projectId, endpoint }: GcloudConfig,
  environment: VendorEnvironment,
): RrsetAccount {
  const key = readKey(serviceAccountKey);
  if (!key) throw new Error("The configuration's schema takes keys only that can be read.");
  const project = projectId ?? key.project_id;
  const identity = [key.client_email, project];
  // An answer may repeat any line of the key, which has other line breaks in JSON.
  const secrets = key.private_key.split("\n").filter((line) => line.length > 8 && !line.startsWith("-----"));
  const mask = (secret: string) => void (secrets.includes(secret) || secrets.push(secret));
  const callsTo = (to: string) =>
    new VendorCalls({
      name: gcloud.name,
      address: to,
      environment,
      secrets,
      account: identity.join(" "),
      throttles: (answer) => answer.status === 403 && reasonsIn(answer).some((reason) => /rateLimit/i.test(reason)),
    });
  const calls = callsTo(endpoint);
  const request = oauthRequest({
    calls: callsTo(key.token_uri),
    url: key.token_uri,
    form: (now) => ({
      grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
      assertion: assertionOf(key, now),
    }),
    mask,
    refused: (message) => api.forbidden(message),
  });
  const tokens = new AccessTokens({ identity: [serviceAccountKey, scope], request, mask }, environment);
  const api: JsonApi = new JsonApi({
    calls,
    base: `${endpoint.replace(/\/+$/, "")}/dns/v1/projects/${encodeURIComponent(project)}/managedZones`,
    headers: () => tokens.header(),
    renew: ({ authorization = "" }) => tokens.discard(authorization),
    credentials: "the key",
    advice:
      "Check that the key was not deleted, that its service account has the role DNS Administrator in the project, that the Cloud DNS API is enabled there, and this server's clock.",
    // 403 also refuses changes that are too large.
    isForbidden: (answer) =>
      answer.status === 401 || (answer.status === 403 && !reasonsIn(answer).includes("quotaExceeded")),
  });

  /** Reads a list. @param path with a query */
  function pages<T extends { nextPageToken?: string | undefined }>(path: string, schema: z.ZodType<T>, zone?: string) {
    const nextOf = ({ nextPageToken: token }: T) =>
      token === undefined || token === "" ? null : `${path}&pageToken=${encodeURIComponent(token)}`;
    return linkedPages(api, path, schema, { nextOf, zone });
  }

  /** Returns the zones that the Internet sees, of one name if given. */
  async function publicZones(name?: string): Promise<ManagedZone[]> {
    const found: ManagedZone[] = [];
    const filter = name === undefined ? "" : `&dnsName=${encodeURIComponent(`${name}.`)}`;
    for await (const { managedZones = [] } of pages(`?prettyPrint=false${filter}`, zoneList))
      found.push(...managedZones);
    return found.filter(
      ({ visibility, forwardingConfig, peeringConfig }) =>
        visibility !== "private" && forwardingConfig === undefined && peeringConfig === undefined,
    );
  }

  const paths = new Map<string, string>();
  /** Returns the path of a zone. @throws ProviderError if the project has no zone of that name, or more than one */
  async function pathOf(zone: string): Promise<string> {
    const known = paths.get(zone);
    if (known !== undefined) return known;
    const [found, ...others] = await publicZones(zone);
    if (!found) throw api.noZone(zone);
    if (others.length > 0) throw calls.error(ambiguous(zone, [found, ...others]), "none");
    const path = `/${encodeURIComponent(found.name)}`;
    paths.set(zone, path);
    return path;
  }

  /** Returns the data of the DNSKEY records of a zone, also of keys that are being replaced; none if Google does not sign it. */
  async function keysOf(zone: string): Promise<Buffer[]> {
    const path = await pathOf(zone);
    const { dnssecConfig } = (await api.read(path, signedZone, zone)).value;
    if (plainWord(dnssecConfig?.state ?? "off") === "off") return [];
    const keys: Buffer[] = [];
    for await (const { dnsKeys = [] } of pages(`${path}/dnsKeys?prettyPrint=false`, keyList, zone)) {
      for (const { type, algorithm, publicKey } of dnsKeys) {
        const number = algorithms[plainWord(algorithm)];
        if (number === undefined) throw calls.failure(`has a key of an unknown algorithm (${algorithm}).`, "none");
        const head = Buffer.from([1, plainWord(type) === "keysigning" ? 1 : 0, 3, number]);
        keys.push(Buffer.concat([head, Buffer.from(publicKey, "base64")]));
      }
    }
    return keys;
  }

  async function setSigning(zone: string, enabled: boolean): Promise<void> {
    const path = await pathOf(zone);
    const body = { dnssecConfig: { state: enabled ? "on" : "off" } };
    const answer = await api.send({ method: "PATCH", path, body }, z.object({ status: maybe(z.string()) }));
    if (answer.ok) return;
    if (answer.status === 404) throw api.noZone(zone);
    throw calls.failure(`did not turn DNSSEC ${enabled ? "on" : "off"} for ${zone}: ${answer.message}`, "none");
  }

  return {
    vendor: gcloud.name,
    signing: { set: setSigning, keys: keysOf },
    async *zones() {
      const named = Map.groupBy(await publicZones(), ({ dnsName }) => dnsName);
      yield [...named].map(([dnsName, zones]): string | UnusableZone => {
        const name = dnsName.replace(/\.$/, "");
        return zones.length === 1 ? name : { name, reason: ambiguous(name, zones) };
      });
    },
    async createZone(zone) {
      if ((await publicZones(zone)).length > 0) return;
      const body = {
        name: managedName(zone),
        dnsName: `${zone}.`,
        description: "Managed with Zonewright",
        visibility: "public",
      };
      const made = await api.send({ method: "POST", path: "", body }, managedZone);
      if (!made.ok) throw calls.failure(`did not create the zone ${zone}: ${made.message}`, "none");
    },
    async *rrsets(zone, name) {
      const filter = name === undefined ? "" : `&name=${encodeURIComponent(`${absoluteName(name, zone)}.`)}`;
      const path = `${await pathOf(zone)}/rrsets?prettyPrint=false${filter}`;
      for await (const { rrsets = [] } of pages(path, rrsetList, zone)) yield rrsets.map(readRrset);
    },
    async apply(zone, steps) {
      const path = await pathOf(zone);
      const body = bodyOf(zone, steps);
      const answer = await api.send({ method: "POST", path: `${path}/changes`, body }, change);
      if (answer.ok) return { ok: true, ref: `${path}/changes/${encodeURIComponent(answer.value.id)}` };
      const refusal = refused(zone, steps, answer, (text) => calls.plain(text));
      // 404 is also the answer to a deletion of what somebody else deleted, which it names.
      if (answer.status === 404 && refusal.faults.size === 0) throw api.noZone(zone);
      return refusal;
    },
    callLimits: {
      sizesOf: ({ before, after }) => [
        after ? 1 : 0,
        before ? 1 : 0,
        [...(before?.values ?? []), ...(after?.values ?? [])].join("").length,
      ],
      most: [mostRrsets, mostRrsets, mostBytes],
      words: "1,000 RRsets and 100,000 characters",
    },
    isSettled: async (ref) => (await api.read(ref, change)).value.status !== "pending",
    mostQueries: 5,
    marksReadOnly: true,
  };
}

/** Returns an enumerated value as the discovery document writes it: the reference has it in capitals, with underscores. */
function plainWord(text: string): string {
  return text.replaceAll("_", "").toLowerCase();
}

function ambiguous(zone: string, zones: readonly ManagedZone[]): string {
  const names = zones.map(({ name }) => name).toSorted();
  return `The project has several public zones named ${zone} (${names.join(", ")}). Delete all but one of them.`;
}

/** Returns what a new zone is called within its project: lower-case letters, digits and hyphens, at most 63. */
function managedName(zone: string): string {
  const digest = createHash("sha256").update(zone).digest("hex").slice(0, 8);
  return `zone-${zone.replaceAll(/[^a-z\d]+/g, "-").slice(0, 45)}-${digest}`;
}

function readRrset({ name, type, ttl = 0, rrdatas = [], routingPolicy }: z.infer<typeof rrset>): VendorRrset {
  if (routingPolicy === undefined) return { name, recordType: type, ttl, values: rrdatas };
  const values = [...new Set(dataIn(routingPolicy))];
  return {
    name,
    recordType: type,
    ttl,
    values,
    readOnly: "steers these records by a routing policy; change them there.",
  };
}

/** Returns the data that a routing policy chooses from. */
function dataIn(policy: unknown): string[] {
  if (typeof policy !== "object" || policy === null) return [];
  const own = z.object({ rrdatas: z.array(z.string()) }).safeParse(policy);
  return [...(own.success ? own.data.rrdatas : []), ...Object.values(policy).flatMap(dataIn)];
}

function bodyOf(zone: string, steps: readonly RrsetStep[]) {
  const written = (
    name: string,
    { recordType: type }: RrsetStep,
    content: { ttl: number; values: readonly string[] },
  ) => ({
    name: name.endsWith(".") ? name : `${absoluteName(name, zone)}.`,
    type,
    ttl: content.ttl,
    rrdatas: content.values,
  });
  return {
    additions: steps.flatMap((step) => (step.after ? [written(step.before?.name ?? step.name, step, step.after)] : [])),
    deletions: steps.flatMap((step) => (step.before ? [written(step.before.name, step, step.before)] : [])),
  };
}

/** Returns a refusal, whose messages name the additions and deletions at fault by number, or by name and type. */
function refused(
  zone: string,
  steps: readonly RrsetStep[],
  answer: { status: number; text: string; message: string },
  plain: (text: string) => string,
): Extract<Written, { ok: false }> & { faults: ReadonlyMap<RrsetStep, string> } {
  const { status, message } = answer;
  const { additions, deletions } = bodyOf(zone, steps);
  const lists = {
    additions: { rrsets: additions, steps: steps.filter(({ after }) => after) },
    deletions: { rrsets: deletions, steps: steps.filter(({ before }) => before) },
  };
  const faults = errorsIn(answer).flatMap(({ message: said = "" }): [RrsetStep, string][] => {
    const [, list, index, type] = /entity\.change\.(additions|deletions)\[([^\]]+)\](?:\[([A-Z]+)\])?/.exec(said) ?? [];
    if (index === undefined) return [];
    const { rrsets, steps: own } = lists[list === "additions" ? "additions" : "deletions"];
    const isNamed = (one: { name: string; type: string }) =>
      one.name.toLowerCase() === index.toLowerCase() && one.type === type;
    const step = own[type === undefined ? Number(index) : rrsets.findIndex(isNamed)];
    return step ? [[step, `${plain(said)} (${status})`]] : [];
  });
  return { ok: false, message, faults: new Map(faults), isStale: [404, 409, 412].includes(status) };
}

function errorsIn({ text }: Pick<VendorAnswer, "text">): z.infer<typeof fault>[] {
  const parsed = refusal.safeParse(parsedJson(text));
  return parsed.success ? (parsed.data.error.errors ?? []) : [];
}

function reasonsIn(answer: Pick<VendorAnswer, "text">): string[] {
  return errorsIn(answer).map(({ reason = "" }) => reason);
}
