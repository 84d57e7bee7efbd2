import { z } from "zod";
import { toUnicodeName } from "../dns/names/names.ts";
import { ruleFor } from "../dns/record-types.ts";
import { maxTtl, nameOf, valueOf, type RecordData } from "../dns/record.ts";
import { parseGeneric } from "../dns/values/character-strings.ts";
import { loadedLate } from "../platform/late-modules.ts";
import { ok, refuse } from "../platform/result.ts";
import { apiAddress, credential } from "./config-fields.ts";
import type { UnusableZone } from "./listed-zones.ts";
import type { LimitedRecord, ProviderError, ProviderKind } from "./provider.ts";
import { recordAccountProvider, type RecordAccount } from "./single-record-api/provider.ts";
import type { StoredRecord } from "./single-record-api/record-calls.ts";
import {
  printedFields,
  printedRecord,
  quotedStrings,
  quotedText,
  rdataWithHosts,
} from "./single-record-api/rest-account.ts";
import { AccessTokens } from "./vendor-api/access-tokens.ts";
import { VendorCalls, type VendorEnvironment } from "./vendor-api/calls.ts";
import { JsonApi } from "./vendor-api/json-api.ts";
import { plainNamesOnly } from "./vendor-api/limits.ts";
import { readPages } from "./vendor-api/pages.ts";
import { maybe } from "./vendor-api/text.ts";

// INWX's DomRobot API (JSON-RPC). Read on 2026-11-28: INWX's own clients for Python 3.1.1 of 2025-10-17 (addresses, login with a session cookie and a second
// factor) and for Terraform of 2026-07-03 (calls, types, kinds of zones), and goinwx of 2025-11-27 (fields, the codes from 1000 to 1500 mean success). What others
// found with real accounts: DNSControl's INWX of 2026-05-31 with its audit and pull requests 971 and 3544 (hosts without a trailing dot, Unicode in lists, what
// happens to quotes, backslashes, backticks and blanks in texts; HTTPS and SVCB), dns-update's issue 79 (2303 for a zone that is missing), nodejs-client's issue
// 28 (2002 without a session). The name servers of the test system are DNSControl's.

const address = "https://api.domrobot.com";
const onPage = 20;
/** How long a session is used. Its own end was not found. */
const sessionSeconds = 900;
/** How long a code of the second factor counts (RFC 6238 §5.2). */
const codeMilliseconds = 30_000;
/** The shortest cookie that is masked: `a=1` is not a secret. */
const leastMasked = 8;
/** The name servers of a new zone. */
const nameServers = ["ns.inwx.de", "ns2.inwx.de", "ns3.inwx.eu"];
/** Those of the test system, by its address. */
const testSystem = { host: "api.ote.domrobot.com", nameServers: ["ns.ote.inwx.de", "ns2.ote.inwx.de"] };
const codes = { noSession: 2002, rejected: 2200, denied: 2201, missing: 2303 };
const loadOtp = loadedLate(() => import("otplib"));

const recordTypes = "A AAAA ALIAS CAA CNAME HTTPS MX NAPTR NS PTR SRV SSHFP SVCB TLSA TXT".split(" ");
/** What is listed beside records: the zone's own, and redirects of web pages. */
const notRecords = new Set(["SOA", "URL"]);

const inwxRecord = z.object({
  id: z.union([z.string(), z.int()]).transform(String),
  /** Absolute, without a trailing dot. */
  name: z.string(),
  type: z.string(),
  content: z.string(),
  ttl: z.coerce.number(),
  prio: maybe(z.coerce.number()),
});
type InwxRecord = z.infer<typeof inwxRecord>;
const zoneInfo = z.object({ record: maybe(z.array(inwxRecord)) });
const zoneList = z.object({
  count: z.coerce.number(),
  domains: maybe(z.array(z.object({ domain: z.string(), type: maybe(z.string()) }))),
});
const login = z.object({ tfa: maybe(z.union([z.string(), z.int()]).transform(String)) });
const made = z.object({ id: inwxRecord.shape.id });
const response = z.object({
  code: z.int(),
  msg: maybe(z.string()),
  reason: maybe(z.string()),
  resData: maybe(z.unknown()),
});
type Response = z.infer<typeof response>;

const configSchema = z.strictObject({
  username: z.string("Enter the user name.").trim().min(1, "Enter the user name.").max(100),
  password: z.string("Enter the password.").min(1, "Enter the password.").max(200),
  sharedSecret: credential("shared secret", 16, 200)
    .regex(/^[A-Z2-7]+=*$/i, "The shared secret has the letters A to Z and the digits 2 to 7 only.")
    .optional(),
  endpoint: apiAddress(address).default(address),
});

export type InwxConfig = z.infer<typeof configSchema>;

/** The zones of an INWX account. */
export const inwx: ProviderKind<InwxConfig> = {
  id: "5a1f0c52-7d0e-4c1b-9d0a-000000000036",
  kind: "inwx",
  name: "INWX",
  recordTypes,
  supportsProxied: false,
  minTtl: 300,
  maxTtl,
  cutsTexts: true,
  unsupportedReason: plainNamesOnly(valueReason),
  lowersCase: "owners",
  granularity: "record",
  configFields: [
    { name: "username", label: "User name", secret: false, required: true },
    { name: "password", label: "Password", secret: true, required: true },
    { name: "sharedSecret", label: "Shared secret of the second factor", secret: true, required: false },
    { name: "endpoint", label: "API address", secret: false, required: false },
  ],
  addresses: ["endpoint"],
  configSchema,
  connect: (config, environment) => recordAccountProvider(inwxAccount(config, environment)),
};

function valueReason({ recordType, value }: LimitedRecord): string | null {
  if (parseGeneric(value)) return "does not support data in generic form (RFC 3597).";
  if (recordType !== "TXT") return null;
  if (value === "") return "does not allow an empty TXT value.";
  if (value.endsWith(" ")) return "does not keep spaces at the end of a TXT value.";
  return /["\\`]/.test(value) ? "does not keep quotes, backslashes and backticks in a TXT value." : null;
}

/** What the credentials of INWX are for, in messages. */
interface InwxUse {
  /** What they belong to. */
  of: string;
  /** What the user must be allowed to manage. */
  manages: string;
}

/** Makes calls to INWX, which share a session with all others of the same credentials. */
export function inwxCalls(
  { username, password, sharedSecret, endpoint }: InwxConfig,
  environment: VendorEnvironment,
  { of, manages }: InwxUse,
) {
  const secrets = [password, ...(sharedSecret === undefined ? [] : [sharedSecret])];
  const base = endpoint.replace(/\/+$/, "").replace(/\/jsonrpc$/, "");
  const calls = new VendorCalls({ name: inwx.name, address: endpoint, environment, secrets, account: username });
  /** Masks the cookies of a session: each, and its value. */
  const mask = (session: string) => {
    for (const cookie of session.split("; ")) {
      for (const secret of [cookie, cookie.replace(/^[^=]*=/, "")]) {
        if (secret.length >= leastMasked && !secrets.includes(secret)) secrets.push(secret);
      }
    }
  };
  const sessions = new AccessTokens(
    {
      identity: [base, username, password, sharedSecret ?? ""],
      request: async (now) => ({ value: await opened(now), seconds: sessionSeconds }),
      mask,
    },
    environment,
  );
  const api = new JsonApi({
    calls,
    base,
    headers: () => ({}),
    of,
    credentials: "the password",
    advice: "Check the user name, the password and the shared secret of the second factor.",
  });

  /** Logs in. @returns the cookies of the session */
  async function opened(now: () => Date): Promise<string> {
    const outside = await api.send(bodyOf("account.login", { user: username, pass: password }), response);
    const cookies = cookiesOf(outside.headers);
    const { resData } = accepted(answered(outside));
    const { tfa = "0" } = parsed(login, resData);
    if (cookies.size === 0) throw calls.notItsApi("none");
    if (tfa === "0") return headerOf(cookies);
    if (sharedSecret === undefined) {
      throw api.forbidden("This user signs in with a second factor, whose shared secret is not configured.");
    }
    const { generate } = await loadOtp();
    // The login may have waited for its turn, and a code ends within half a minute.
    const tan = await generate({ secret: sharedSecret, epoch: Math.floor(now().getTime() / 1_000) });
    secrets.push(tan);
    try {
      const unlock = bodyOf("account.unlock", { tan }, headerOf(cookies));
      const inside = await api.send({ ...unlock, staleAfterMilliseconds: codeMilliseconds }, response);
      const renewed = cookiesOf(inside.headers);
      accepted(answered(inside));
      return headerOf(new Map([...cookies, ...renewed]));
    } finally {
      secrets.splice(secrets.indexOf(tan), 1);
    }
  }

  /** Returns the cookies that an answer sets, by name, and masks them. */
  function cookiesOf(headers: Headers): Map<string, string> {
    const cookies = new Map(
      headers.getSetCookie().map((one) => {
        const [pair = ""] = one.split(";", 1);
        const [name = ""] = pair.split("=", 1);
        return [name.trim(), pair.trim()] as const;
      }),
    );
    mask(headerOf(cookies));
    return cookies;
  }

  function answered(answer: Awaited<ReturnType<typeof api.send<Response>>>): Response {
    if (answer.ok) return answer.value;
    throw calls.error(answer.message, "none");
  }

  /** @throws ProviderError if the user is refused */
  function accepted(answer: Response): Response {
    if (isDone(answer)) return answer;
    throw api.forbidden(messageOf(answer));
  }

  /** Returns the failure for a user without the right to make a call. */
  function denied(answer: Response): ProviderError {
    const reason = `rejects a call of this ${of}. Check that its user may manage ${manages}. It says: ${messageOf(answer)}`;
    return calls.failure(reason, "none");
  }

  function parsed<T>(schema: z.ZodType<T>, data: unknown, changes = false): T {
    const read = schema.safeParse(data ?? {});
    if (!read.success) throw calls.notItsApi(changes ? "unknown" : "none", read.error);
    return read.data;
  }

  function messageOf({ code, msg = "", reason }: Response): string {
    return `${calls.plain(reason === undefined ? msg : `${msg}: ${reason}`)} (${code})`;
  }

  /** Makes a call, with another session if the present one has ended. @throws ProviderError if the user is refused */
  async function call(method: string, params: object, changes = false): Promise<Response> {
    const sendIn = async (session: string) =>
      answered(await api.send({ ...bodyOf(method, params, session), changes }, response));
    const session = await sessions.current();
    let answer = await sendIn(session);
    if (answer.code === codes.noSession) {
      sessions.discard(session);
      answer = await sendIn(await sessions.current());
    }
    if (answer.code === codes.denied) throw denied(answer);
    return answer.code === codes.rejected ? accepted(answer) : answer;
  }

  return { api, call, parsed, messageOf };
}

function inwxAccount(config: InwxConfig, environment: VendorEnvironment): RecordAccount {
  const { hostname } = new URL(config.endpoint);
  const ns = hostname === testSystem.host ? testSystem.nameServers : nameServers;
  const use = { of: "provider configuration", manages: "name servers" };
  const { api, call, parsed, messageOf } = inwxCalls(config, environment, use);
  const { calls } = api;

  async function recordsOf(zone: string): Promise<InwxRecord[]> {
    const answer = await call("nameserver.info", { domain: zone });
    if (isMissing(answer)) throw api.noZone(zone);
    if (!isDone(answer)) throw calls.error(messageOf(answer), "none");
    return parsed(zoneInfo, answer.resData).record ?? [];
  }

  async function* zones(): AsyncGenerator<(string | UnusableZone)[]> {
    let known = 0;
    const list = { vendor: inwx.name, name: "The list of zones", pageSize: onPage };
    const pages = readPages({ ...list, idOf: ({ domain }: { domain: string }) => domain }, async (page) => {
      const answer = await call("nameserver.list", { page });
      if (!isDone(answer)) throw calls.error(messageOf(answer), "none");
      const { count: total, domains: entries = [] } = parsed(zoneList, answer.resData);
      known += entries.length;
      return { entries, total, isLast: known >= total };
    });
    for await (const page of pages) {
      yield page.map(({ domain, type }: { domain: string; type?: string | undefined }) =>
        type === "SLAVE"
          ? { name: domain, reason: `${inwx.name} copies this zone from another server. Manage it there.` }
          : domain,
      );
    }
  }

  const notCreated = (zone: string, answer: Response) =>
    calls.failure(`did not create the zone ${zone}: ${messageOf(answer)}`, "none");
  const refused = (answer: Response) => refuse(`${inwx.name} refused the change: ${messageOf(answer)}`);

  return {
    vendor: inwx.name,
    zones,
    async createZone(zone) {
      const known = await call("nameserver.info", { domain: zone });
      if (isDone(known)) return;
      if (!isMissing(known)) throw notCreated(zone, known);
      const answer = await call("nameserver.create", { domain: zone, type: "MASTER", ns }, true);
      if (!isDone(answer)) throw notCreated(zone, answer);
    },
    async *records(zone) {
      const records = await recordsOf(zone);
      yield records.filter(({ type }) => !notRecords.has(type)).map((one) => readRecord(zone, one));
    },
    async create(zone, record) {
      const answer = await call("nameserver.createRecord", { domain: zone, ...writeRecord(zone, record) }, true);
      return isDone(answer) ? ok(parsed(made, answer.resData, true).id) : refused(answer);
    },
    async update(zone, id, record) {
      const answer = await call("nameserver.updateRecord", { id, ...writeRecord(zone, record) }, true);
      return isDone(answer) ? ok(null) : refused(answer);
    },
    async remove(_zone, id) {
      const answer = await call("nameserver.deleteRecord", { id }, true);
      // Somebody else deleted it.
      return isDone(answer) || isMissing(answer) ? ok(null) : refused(answer);
    },
    mostQueries: 0,
  };
}

function headerOf(cookies: ReadonlyMap<string, string>): string {
  return [...cookies.values()].join("; ");
}

/** @param session the cookies of a session */
function bodyOf(method: string, params: object, session?: string) {
  const headers: Record<string, string> = session === undefined ? {} : { cookie: session };
  return {
    method: "POST",
    path: "/jsonrpc/",
    body: { method, params: { lang: "en", ...params } },
    headers,
    changes: false,
  } as const;
}

/** Returns whether INWX made a call. */
export function isDone({ code }: Response): boolean {
  return code >= 1_000 && code <= 1_500;
}

/** Returns whether INWX has no such object in this account. */
export function isMissing({ code }: Response): boolean {
  return code === codes.missing;
}

function readRecord(zone: string, record: InwxRecord): StoredRecord {
  const { id, name, type: recordType, ttl } = record;
  // Names of international zones are in Unicode.
  const suffix = [zone, toUnicodeName(zone)].find((one) => `.${name.toLowerCase()}`.endsWith(`.${one}`)) ?? "";
  const owner = suffix === "" ? name : name.slice(0, -suffix.length).replace(/\.$/, "");
  return { id, data: printedRecord(zone, { owner, recordType, rdata: rdataOf(record), ttl }) };
}

/** Returns a record's data in master-file form. Hosts have no trailing dot. */
function rdataOf({ type, content, prio }: InwxRecord): string {
  if (type === "TXT" && !content.startsWith('"')) return quotedText(content);
  return rdataWithHosts(type, content, prio);
}

function writeRecord(zone: string, record: RecordData): object {
  const { recordType: type, name, ttl } = record;
  const shared = { type, name: name === "@" ? zone : `${nameOf(record)}.${zone}`, ttl };
  const value = valueOf(record);
  if (type === "TXT") return { ...shared, content: quotedStrings(value) };
  if (type === "MX" || type === "SRV") {
    const [prio, ...fields] = printedFields(record);
    return { ...shared, prio: Number(prio), content: fields.join(" ") };
  }
  const isHost = ["ALIAS", "CNAME", "NS", "PTR"].includes(type);
  return { ...shared, content: isHost ? printedFields(record).join(" ") : ruleFor(type).print(value) };
}
