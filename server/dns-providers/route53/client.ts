import type {
  Change,
  HostedZone,
  ResourceRecordSet,
  Route53Client,
  Route53ClientConfig,
} from "@aws-sdk/client-route-53";
import { ProviderError } from "../provider.ts";
import { PageTurner } from "../vendor-api/pages.ts";
import { VendorCalls, type VendorAnswer, type VendorEnvironment } from "../vendor-api/calls.ts";
import { loadedLate } from "../../platform/late-modules.ts";
import { percentEncoded } from "../vendor-api/text.ts";

interface Route53Access {
  accessKeyId: string;
  secretAccessKey: string;
  endpoint: string;
  /** The reusable delegation set of new zones: they get its name servers. */
  delegationSetId?: string | undefined;
}

/**
 * The API's addresses by partition, with the region in whose name calls are signed (AWS General Reference, "Amazon Route 53 endpoints and
 * quotas", and the endpoint rules of AWS's own package). Elsewhere, as behind a proxy, it is that of the usual partition.
 */
const regions: Readonly<Record<string, string>> = {
  "route53.amazonaws.com.cn": "cn-northwest-1",
  "route53.us-gov.amazonaws.com": "us-gov-west-1",
  "route53.amazonaws.eu": "eusc-de-east-1",
  "route53.c2s.ic.gov": "us-iso-east-1",
  "route53.sc2s.sgov.gov": "us-isob-east-1",
  "route53.cloud.adc-e.uk": "eu-isoe-west-1",
  "route53.csp.hci.ic.gov": "us-isof-south-1",
};

/** Returns the region in whose name calls to an API address are signed. */
function regionOf(endpoint: string): string {
  return regions[new URL(endpoint).hostname] ?? "us-east-1";
}

/** Where in a zone a listing starts. */
interface ListingStart {
  name: string;
  type?: ResourceRecordSet["Type"];
  identifier?: string;
}

const loadSdk = loadedLate(() => import("@aws-sdk/client-route-53"));
type Sdk = Awaited<ReturnType<typeof loadSdk>>;

/** The outcome of a batch, which is made or refused as a whole. */
export type BatchAnswer =
  | { ok: true; /** Of the change; undefined if Route 53 did not say. */ id: string | undefined }
  | Refusal;

export interface Refusal {
  ok: false;
  /** Route 53's message, in a form that may be shown. */
  message: string;
  /** The names at fault, as Route 53 prints them, if it names any. */
  names: ReadonlySet<string>;
}

/** The API calls in use. @throws ProviderError from all of them */
export interface Route53Api {
  readonly name: string;
  hostedZones(): AsyncIterable<HostedZone[]>;
  /** Returns the hosted zones of this name; `dnsName` as Route 53 writes it. */
  hostedZonesOfName(dnsName: string): Promise<HostedZone[]>;
  createHostedZone(dnsName: string, reference: string): Promise<void>;
  /** Lists a zone's RRsets. @param pageSize RRsets per page, at most 300 */
  recordSets(zoneId: string, start?: ListingStart, pageSize?: number): AsyncIterable<ResourceRecordSet[]>;
  change(zoneId: string, changes: Change[]): Promise<BatchAnswer>;
  /** Returns whether all of Route 53's name servers have a change. */
  isInSync(changeId: string): Promise<boolean>;
}

const vendorName = "Amazon Route 53";
export const route53Address = "https://route53.amazonaws.com";
/** Per account. Some accounts allow more and some actions fewer, which the answers show. */
export const route53Limits = [{ calls: 5, seconds: 1 }];
const mostPerPage = 300;
const codesOfAccess = new Set([
  "AccessDenied",
  "AccessDeniedException",
  "IncompleteSignature",
  "InvalidClientTokenId",
  "InvalidSignatureException",
  "MissingAuthenticationToken",
  "RequestExpired",
  "SignatureDoesNotMatch",
  "UnrecognizedClientException",
]);

export function route53Api(
  { accessKeyId, secretAccessKey, endpoint, delegationSetId }: Route53Access,
  environment: VendorEnvironment,
): Route53Api {
  const calls = new VendorCalls({
    name: vendorName,
    address: endpoint,
    environment,
    secrets: [secretAccessKey],
    throttles,
    quotas: { address: route53Address, limits: route53Limits },
  });
  let client: Route53Client | undefined;
  const opened = async () => {
    const sdk = await loadSdk();
    client ??= new sdk.Route53Client({
      ...settled,
      region: regionOf(endpoint),
      endpoint,
      credentials: { accessKeyId, secretAccessKey },
      requestHandler: transport(calls),
    });
    return { sdk, client };
  };
  const send = async <T>(call: (client: Route53Client, sdk: Sdk) => Promise<T>): Promise<T> => {
    const { sdk, client } = await opened();
    try {
      // Before it is signed, because a signature ages.
      await calls.untilOpen();
      return await call(client, sdk);
    } catch (error) {
      throw failure(sdk, calls, error);
    }
  };

  return {
    name: vendorName,
    async *hostedZones() {
      const pages = new PageTurner(vendorName);
      for (let Marker: string | undefined; ;) {
        const page = await send((client, sdk) => client.send(new sdk.ListHostedZonesCommand({ Marker })));
        yield page.HostedZones ?? [];
        if (!page.IsTruncated || page.NextMarker === undefined) return;
        Marker = page.NextMarker;
        pages.turn(Marker);
      }
    },
    async hostedZonesOfName(dnsName) {
      const found: HostedZone[] = [];
      const pages = new PageTurner(vendorName);
      for (let start: { DNSName: string; HostedZoneId?: string | undefined } = { DNSName: dnsName }; ;) {
        const page = await send((client, sdk) => client.send(new sdk.ListHostedZonesByNameCommand(start)));
        found.push(...(page.HostedZones ?? []).filter(({ Name }) => Name === dnsName));
        if (!page.IsTruncated || page.NextDNSName !== dnsName) return found;
        start = { DNSName: page.NextDNSName, HostedZoneId: page.NextHostedZoneId };
        pages.turn(`${page.NextHostedZoneId}`);
      }
    },
    async createHostedZone(Name, CallerReference) {
      const DelegationSetId = delegationSetId?.split("/").at(-1);
      const zone = { Name, CallerReference, ...(DelegationSetId ? { DelegationSetId } : {}) };
      await send((client, sdk) => client.send(new sdk.CreateHostedZoneCommand(zone)));
    },
    async *recordSets(HostedZoneId, start, MaxItems = mostPerPage) {
      const pages = new PageTurner(vendorName);
      for (let from = start; ;) {
        const page = await send((client, sdk) =>
          client.send(
            new sdk.ListResourceRecordSetsCommand({
              HostedZoneId,
              MaxItems,
              StartRecordName: from?.name,
              StartRecordType: from?.type,
              StartRecordIdentifier: from?.identifier,
            }),
          ),
        );
        yield page.ResourceRecordSets ?? [];
        if (!page.IsTruncated || page.NextRecordName === undefined) return;
        const { NextRecordName: name, NextRecordType: type, NextRecordIdentifier: identifier } = page;
        from = { name, ...(type && { type }), ...(identifier !== undefined && { identifier }) };
        pages.turn(`${name} ${type} ${identifier}`);
      }
    },
    async change(HostedZoneId, Changes) {
      const { sdk, client } = await opened();
      try {
        await calls.untilOpen();
        const batch = { HostedZoneId, ChangeBatch: { Changes } };
        const { ChangeInfo } = await client.send(new sdk.ChangeResourceRecordSetsCommand(batch));
        return { ok: true, id: ChangeInfo?.Id };
      } catch (error) {
        const refusal = refusalIn(sdk, error);
        if (refusal === null) throw failure(sdk, calls, error);
        return { ok: false, message: calls.plain(refusal), names: namesIn(refusal) };
      }
    },
    async isInSync(Id) {
      const { ChangeInfo } = await send((client, sdk) => client.send(new sdk.GetChangeCommand({ Id })));
      return ChangeInfo?.Status === "INSYNC";
    },
  };
}

/** Sets what the SDK would otherwise read from the environment and from files. */
const settled = {
  maxAttempts: 1,
  retryMode: "standard",
  defaultsMode: "standard",
  useDualstackEndpoint: false,
  useFipsEndpoint: false,
  userAgentAppId: "",
  authSchemePreference: [],
  ignoreConfiguredEndpointUrls: true,
  disableClockSkewCorrection: true,
} as const satisfies Route53ClientConfig & Record<string, unknown>;

/**
 * Returns whether an answer means too many calls, or a call for a zone that is busy with the previous one. Both come as 400, and
 * nothing was done.
 */
function throttles({ status, text }: VendorAnswer): boolean {
  return status === 400 && /<Code>(?:Throttling(?:Exception)?|PriorRequestNotComplete)<\/Code>/.test(text);
}

/** Returns why a batch was refused, so that nothing changed; null for any other failure. */
function refusalIn({ Route53ServiceException }: Sdk, error: unknown): string | null {
  const isRefusal =
    error instanceof Route53ServiceException && ["InvalidChangeBatch", "InvalidInput"].includes(error.name);
  return isRefusal ? error.message : null;
}

/**
 * Returns the names in a message, quoted as in `[name='www.example.com.', type='A']`, or bare: `RRSet with DNS name
 * www.example.com., type A`.
 */
function namesIn(message: string): Set<string> {
  const found = message.matchAll(/name='([^']+)'|name (\S+\.)(?=[\s,\]]|$)/gi);
  return new Set(Array.from(found, ([, quoted, bare]) => quoted ?? bare ?? ""));
}

function failure({ Route53ServiceException }: Sdk, calls: VendorCalls, error: unknown): ProviderError {
  if (error instanceof ProviderError) return error;
  if (!(error instanceof Route53ServiceException)) {
    // The answer was not an error and could not be read, so a change may have been carried out.
    return calls.notItsApi("unknown", error);
  }
  const { name, message, $metadata } = error;
  if (name === "NoSuchHostedZone")
    return calls.failure(`has no such hosted zone: ${message}`, "none", { zoneMissing: true });
  if (codesOfAccess.has(name) || $metadata.httpStatusCode === 401 || $metadata.httpStatusCode === 403) {
    return calls.failure(
      `rejects the access key of this provider configuration. Check the key and its permissions. It says: ${message}`,
      "none",
    );
  }
  return calls.failure(`refused the call (${name}): ${message}`, "none");
}

type Transport = Extract<NonNullable<Route53ClientConfig["requestHandler"]>, { handle: unknown }>;

/** A request signed by the SDK. */
interface SignedRequest {
  protocol: string;
  hostname: string;
  port?: number;
  path: string;
  query?: Record<string, string | string[] | null>;
  method: string;
  headers: Record<string, string>;
  body?: unknown;
}

/** A signature is valid for five minutes. */
const staleAfterMilliseconds = 240_000;

/** Returns the SDK's request handler: the SDK signs and parses, and our egress sends. */
function transport(calls: VendorCalls): Transport {
  return {
    async handle({ protocol, hostname, port, path, query, method, headers, body }: SignedRequest) {
      const url = new URL(`${protocol}//${hostname}${port === undefined ? "" : `:${port}`}${path}`);
      url.search = queryOf(query);
      // The connection sets these itself.
      const { host: _host, "content-length": _length, ...sent } = headers;
      const answer = await calls.send({
        method: method === "POST" ? "POST" : "GET",
        url: url.href,
        headers: sent,
        ...(typeof body === "string" ? { body } : {}),
        changes: method === "POST",
        staleAfterMilliseconds,
      });
      // The SDK would read any page as an empty answer.
      if (answer.status < 300 && !/<\w+Response[\s>]/.test(answer.text)) {
        throw calls.notItsApi(method === "POST" ? "unknown" : "none");
      }
      return {
        response: {
          statusCode: answer.status,
          headers: Object.fromEntries(answer.headers),
          body: Buffer.from(withCode(answer.text)),
        },
      };
    },
    updateHttpClientConfig: () => undefined,
    httpHandlerConfigs: () => ({}),
  };
}

/** Rewrites the answer to a refused batch, whose own form the SDK does not read, into the form of all other errors. */
function withCode(text: string): string {
  if (!/^\s*(?:<\?[^>]*>\s*)?<InvalidChangeBatch[\s>]/.test(text)) return text;
  const messages = [...text.matchAll(/<Message>([^<]*)<\/Message>/g)].map(([, message]) => message);
  const error = `<Code>InvalidChangeBatch</Code><Message>${messages.join(" ")}</Message>`;
  return `<ErrorResponse><Error>${error}</Error></ErrorResponse>`;
}

/** Returns the query as it was signed (SigV4). */
function queryOf(query: SignedRequest["query"] = {}): string {
  return Object.entries(query)
    .flatMap(([key, values]) => [values ?? ""].flat().map((value) => `${percentEncoded(key)}=${percentEncoded(value)}`))
    .join("&");
}
