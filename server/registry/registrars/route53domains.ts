import { createHash, createHmac } from "node:crypto";
import { z } from "zod";
import { apiAddress } from "../../dns-providers/config-fields.ts";
import { accessKey } from "../../dns-providers/route53.ts";
import { VendorAccounts } from "../../dns-providers/vendor-api/accounts.ts";
import { VendorCalls, type VendorAnswer, type VendorEnvironment } from "../../dns-providers/vendor-api/calls.ts";
import { JsonApi } from "../../dns-providers/vendor-api/json-api.ts";
import { PageTurner } from "../../dns-providers/vendor-api/pages.ts";
import { maybe } from "../../dns-providers/vendor-api/text.ts";
import { distinct, readDs, readHostNames } from "../expiry/dates.ts";
import {
  dsOfKey,
  dsStepsToSend,
  inSteps,
  keysToSend,
  RegistrarApi,
  type RegistrarAccount,
  type RegistrarKind,
} from "./registrar.ts";

// Amazon Route 53 Domains, API version 2014-05-15. Read on 2026-11-29: its service model in botocore 1.43 (JSON 1.1, times in seconds, an operation for each
// change), its page "GetDomainDetail", and the General Reference's "Create a signed AWS API request". boto3's issue 1585 has the message for a name of another
// account. Not found: its calls per second.

const address = "https://route53domains.us-east-1.amazonaws.com";
/** Its only region. */
const region = "us-east-1";
const service = "route53domains";
const perPage = 100;
const contentType = "application/x-amz-json-1.1";

const configSchema = z.strictObject({ ...accessKey, endpoint: apiAddress(address).default(address) });
type Route53DomainsConfig = z.infer<typeof configSchema>;

const listPage = z.object({
  Domains: maybe(z.array(z.object({ DomainName: z.string() }))),
  NextPageMarker: maybe(z.string()),
});
const nameServer = z.object({ Name: z.string(), GlueIps: maybe(z.array(z.string())) });
const signer = z.object({
  Id: maybe(z.string()),
  Algorithm: maybe(z.int()),
  Flags: maybe(z.int()),
  PublicKey: maybe(z.string()),
  DigestType: maybe(z.int()),
  Digest: maybe(z.string()),
  KeyTag: maybe(z.int()),
});
const detail = z.object({
  DomainName: maybe(z.string()),
  AutoRenew: maybe(z.boolean()),
  /** Seconds. */
  ExpirationDate: maybe(z.number()),
  StatusList: maybe(z.array(z.string())),
  Nameservers: maybe(z.array(nameServer)),
  DnssecKeys: maybe(z.array(signer)),
});
type Detail = z.infer<typeof detail>;
/** What carries a change out. Changes of automatic renewal have none. */
const operation = z.object({ OperationId: maybe(z.string()) });
const operationDetail = z.object({ Status: maybe(z.string()), Message: maybe(z.string()) });

/** Codes with which AWS refuses an access key or its permissions, with status 400. */
const codesOfAccess =
  /^(?:AccessDenied|ExpiredToken|IncompleteSignature|InvalidClientTokenId|InvalidSignature|MissingAuthenticationToken|NotAuthorized|OptInRequired|UnrecognizedClient)(?:Exception)?$/;

/** The domains of an AWS account. */
export const route53domains: RegistrarKind<Route53DomainsConfig> = {
  kind: "route53domains",
  name: "Amazon Route 53 Domains",
  configFields: [
    { name: "accessKeyId", label: "Access key id", secret: false, required: true },
    { name: "secretAccessKey", label: "Secret access key", secret: true, required: true },
    { name: "endpoint", label: "API address", secret: false, required: false },
  ],
  addresses: ["endpoint"],
  configSchema,
  changes: ["nameServers", "ds", "locked", "autoRenew"],
  makesDs: true,
  connect: (config, environment) => route53Account(config, environment),
};

function route53Account(
  { accessKeyId, secretAccessKey, endpoint }: Route53DomainsConfig,
  environment: VendorEnvironment,
): RegistrarAccount {
  const { now } = environment.accounts ?? new VendorAccounts();
  const calls = new VendorCalls({
    name: route53domains.name,
    address: endpoint,
    environment,
    secrets: [secretAccessKey],
    account: accessKeyId,
    throttles: (answer) => answer.status === 400 && codeOf(answer) === "ThrottlingException",
  });

  /** Makes a call of one action, which is a header that is signed. @returns null if the account does not have the name */
  async function find<T>(action: string, body: object, schema: z.ZodType<T>): Promise<T | null> {
    const api = new JsonApi({
      calls,
      base: endpoint.replace(/\/+$/, ""),
      // A signature ages, so each attempt has its own.
      headers:
        ({ url, body: text = "" }) =>
        () =>
          signed({ url, text, action, accessKeyId, secretAccessKey, at: now() }),
      credentials: "the access key",
      of: "registrar configuration",
      advice: `Check the key, this server's clock, and that its user may ${service}:${action}.`,
      isForbidden: (answer) =>
        answer.status === 401 || answer.status === 403 || codesOfAccess.test(codeOf(answer) ?? ""),
    });
    const registrar = new RegistrarApi(
      api,
      {},
      { isMissing: (answer) => codeOf(answer) === "InvalidInput" && /not found/i.test(answer.text) },
    );
    const changes = !/^(?:List|Get)/.test(action);
    return (await registrar.find({ method: "POST", path: "/", body, schema, changes }))?.value ?? null;
  }

  async function call<T>(action: string, body: object, schema: z.ZodType<T>): Promise<T> {
    const found = await find(action, body, schema);
    if (found === null) throw calls.failure("does not have this name in the account.", "none", { zoneMissing: true });
    return found;
  }
  const detailOf = (name: string) => call("GetDomainDetail", { DomainName: name }, detail);

  return {
    async domains() {
      const names: string[] = [];
      const turner = new PageTurner(calls.name);
      for (let marker = ""; ;) {
        const body = { MaxItems: perPage, ...(marker !== "" && { Marker: marker }) };
        const page = await call("ListDomains", body, listPage);
        names.push(...(page.Domains ?? []).map(({ DomainName }) => DomainName.toLowerCase()));
        marker = page.NextPageMarker ?? "";
        if (marker === "") return names;
        turner.turn(marker);
      }
    },
    async read(name) {
      const found = await find("GetDomainDetail", { DomainName: name }, detail);
      if (found === null) return null;
      const { ExpirationDate: expires, StatusList: statuses, AutoRenew: autoRenew } = found;
      return {
        name: found.DomainName ?? null,
        expiresAt: expires === undefined ? null : new Date(expires * 1_000),
        autoRenew: autoRenew ?? null,
        locked: statuses?.some((status) => /TransferProhibited$/i.test(status)) ?? null,
        nameServers: readHostNames((found.Nameservers ?? []).map(({ Name }) => Name)),
        ds: distinct(signersOf(name, found).map(({ ds }) => ds)),
      };
    },
    async task(_name, id) {
      const { Status: status = "", Message: message = "" } = await call(
        "GetOperationDetail",
        { OperationId: id },
        operationDetail,
      );
      const state = /^(?:ERROR|FAILED)$/.test(status) ? "failed" : status === "SUCCESSFUL" ? "done" : "open";
      return { state, reason: calls.plain(message) };
    },
    async change(name, { nameServers, ds, locked, autoRenew }) {
      const tasks: string[] = [];
      const send = async (action: string, more: object = {}) => {
        const { OperationId: id } = await call(action, { DomainName: name, ...more }, operation);
        if (id !== undefined) tasks.push(id);
      };
      if (nameServers) {
        // A name server within the domain would lose its addresses.
        const { Nameservers: present = [] } = await detailOf(name);
        const all = nameServers.map(
          (host) => present.find(({ Name }) => Name.toLowerCase() === host) ?? { Name: host },
        );
        await send("UpdateDomainNameservers", { Nameservers: all });
      }
      if (locked !== undefined) await send(locked ? "EnableDomainTransferLock" : "DisableDomainTransferLock");
      if (autoRenew !== undefined) await send(autoRenew ? "EnableDomainAutoRenew" : "DisableDomainAutoRenew");
      if (!ds) return tasks;
      const { added, removed } = dsStepsToSend(calls.name, signersOf(name, await detailOf(name)), ds);
      await inSteps([
        ...keysToSend(calls.name, added).map(({ flags, algorithm, publicKey }) => () => {
          const attributes = { Algorithm: algorithm, Flags: flags, PublicKey: publicKey };
          return send("AssociateDelegationSignerToDomain", { SigningAttributes: attributes });
        }),
        ...removed.map((one) => () => send("DisassociateDelegationSignerFromDomain", { Id: one.id })),
      ]);
      return tasks;
    },
  };
}

/** Returns the DS records of a domain, with the ids to remove them by. */
function signersOf(name: string, { DnssecKeys: keys = [] }: Detail): { ds: string; id: string }[] {
  return keys.flatMap(({ Id: id = "", Algorithm: algorithm = 0, Flags: flags = 257, ...key }) => {
    const ds =
      key.Digest === undefined || key.Digest === ""
        ? dsOfKey(name, { flags, algorithm, publicKey: key.PublicKey ?? "" })
        : readDs(`${key.KeyTag} ${algorithm} ${key.DigestType} ${key.Digest}`);
    return ds === null ? [] : [{ ds, id }];
  });
}

/** Returns the code of a refusal, without the namespace that may precede it. */
function codeOf({ text }: Pick<VendorAnswer, "text">): string | undefined {
  const [, code] = /"__type"\s*:\s*"(?:[^"#]*#)?([^"#]*)"/.exec(text) ?? [];
  return code;
}

interface Unsigned {
  url: string;
  text: string;
  action: string;
  accessKeyId: string;
  secretAccessKey: string;
  at: Date;
}

/** Returns the headers of a call with their signature (AWS Signature Version 4). */
function signed({ url, text, action, accessKeyId, secretAccessKey, at }: Unsigned): Record<string, string> {
  const { host, pathname } = new URL(url);
  const time = at.toISOString().replaceAll(/[-:]|\.\d+/g, "");
  const day = time.slice(0, 8);
  const sent = {
    "content-type": contentType,
    "x-amz-date": time,
    "x-amz-target": `Route53Domains_v20140515.${action}`,
  };
  const all = Object.entries({ ...sent, host }).toSorted(([one], [other]) => (one < other ? -1 : 1));
  const names = all.map(([name]) => name).join(";");
  const lines = all.map(([name, value]) => `${name}:${value}`).join("\n");
  const request = ["POST", pathname, "", lines, "", names, sha256(text)].join("\n");
  const scope = `${day}/${region}/${service}/aws4_request`;
  const key = scope.split("/").reduce<Buffer | string>((secret, part) => hmac(secret, part), `AWS4${secretAccessKey}`);
  const signature = hmac(key, ["AWS4-HMAC-SHA256", time, scope, sha256(request)].join("\n")).toString("hex");
  const authorization = `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
  return { ...sent, authorization };
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function hmac(key: Buffer | string, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}
