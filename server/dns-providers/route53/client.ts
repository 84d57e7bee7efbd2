import {
  ChangeResourceRecordSetsCommand,
  CreateHostedZoneCommand,
  ListHostedZonesByNameCommand,
  ListHostedZonesCommand,
  ListResourceRecordSetsCommand,
  Route53Client,
  Route53ServiceException,
  type Change,
  type HostedZone,
  type ResourceRecordSet,
  type Route53ClientConfig,
} from "@aws-sdk/client-route-53";
import { ProviderError } from "../provider.ts";
import { PageTurner } from "../vendor-api/page-turner.ts";
import { VendorCalls, type VendorAnswer, type VendorEnvironment } from "../vendor-api/calls.ts";
import { transport } from "./transport.ts";

export interface Route53Access {
  accessKeyId: string;
  secretAccessKey: string;
  endpoint: string;
}

/** The place in a zone where a listing begins. */
interface ListingStart {
  name: string;
  type?: ResourceRecordSet["Type"];
  identifier?: string;
}

/** What became of a change batch: done whole, or refused whole in Route 53's words. */
export type BatchAnswer = { ok: true } | Refusal;

export interface Refusal {
  ok: false;
  /** As it may be shown. */
  message: string;
  /** The names that it is about, as Route 53 prints them, where it names any. */
  names: ReadonlySet<string>;
}

/** The five calls of Route 53's API that are used. @throws ProviderError from all of them */
export interface Route53Api {
  readonly name: string;
  hostedZones(): AsyncIterable<HostedZone[]>;
  /** Those of this name; `dnsName` as Route 53 writes it. */
  hostedZonesOfName(dnsName: string): Promise<HostedZone[]>;
  createHostedZone(dnsName: string, reference: string): Promise<void>;
  /** @param pageSize RRsets in one answer, at most 300 */
  recordSets(zoneId: string, start?: ListingStart, pageSize?: number): AsyncIterable<ResourceRecordSet[]>;
  change(zoneId: string, changes: Change[]): Promise<BatchAnswer>;
}

const vendorName = "Amazon Route 53";
export const route53Address = "https://route53.amazonaws.com";
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
  { accessKeyId, secretAccessKey, endpoint }: Route53Access,
  environment: VendorEnvironment,
): Route53Api {
  const calls = new VendorCalls({
    name: vendorName,
    address: endpoint,
    environment,
    secrets: [secretAccessKey],
    throttles,
    // Five a second in any account; some have more since, and of some actions fewer, which the answers tell.
    quotas: { address: route53Address, limits: [{ calls: 5, seconds: 1 }] },
  });
  const client = new Route53Client({
    ...settled,
    endpoint,
    credentials: { accessKeyId, secretAccessKey },
    requestHandler: transport(calls),
  });
  const told = async <T>(call: () => Promise<T>): Promise<T> => {
    try {
      // Before it is signed, because a signature ages.
      await calls.untilOpen();
      return await call();
    } catch (error) {
      throw failure(calls, error);
    }
  };

  return {
    name: vendorName,
    async *hostedZones() {
      const pages = new PageTurner(vendorName);
      for (let Marker: string | undefined; ;) {
        const page = await told(() => client.send(new ListHostedZonesCommand({ Marker })));
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
        const page = await told(() => client.send(new ListHostedZonesByNameCommand(start)));
        found.push(...(page.HostedZones ?? []).filter(({ Name }) => Name === dnsName));
        if (!page.IsTruncated || page.NextDNSName !== dnsName) return found;
        start = { DNSName: page.NextDNSName, HostedZoneId: page.NextHostedZoneId };
        pages.turn(`${page.NextHostedZoneId}`);
      }
    },
    async createHostedZone(Name, CallerReference) {
      await told(() => client.send(new CreateHostedZoneCommand({ Name, CallerReference })));
    },
    async *recordSets(HostedZoneId, start, MaxItems = mostPerPage) {
      const pages = new PageTurner(vendorName);
      for (let from = start; ;) {
        const page = await told(() =>
          client.send(
            new ListResourceRecordSetsCommand({
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
      try {
        await calls.untilOpen();
        await client.send(new ChangeResourceRecordSetsCommand({ HostedZoneId, ChangeBatch: { Changes } }));
        return { ok: true };
      } catch (error) {
        const told = refusalIn(error);
        if (told === null) throw failure(calls, error);
        return { ok: false, message: calls.plain(told), names: namesIn(told) };
      }
    },
  };
}

/** All that the SDK would else look for in the environment and in files of the machine. */
const settled = {
  region: "us-east-1",
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

/** Too many calls, or one for a zone that is busy with the last one: both say so by 400, and nothing was done. */
function throttles({ status, text }: VendorAnswer): boolean {
  return status === 400 && /<Code>(?:Throttling(?:Exception)?|PriorRequestNotComplete)<\/Code>/.test(text);
}

/** Why a change batch was refused, which changes nothing; null for any other failure. */
function refusalIn(error: unknown): string | null {
  const isRefusal =
    error instanceof Route53ServiceException && ["InvalidChangeBatch", "InvalidInput"].includes(error.name);
  return isRefusal ? error.message : null;
}

/** Names stand in quotes, `[name='www.example.com.', type='A']`, or bare: `RRSet with DNS name www.example.com., type A`. */
function namesIn(message: string): Set<string> {
  const found = message.matchAll(/name='([^']+)'|name (\S+\.)(?=[\s,\]]|$)/gi);
  return new Set(Array.from(found, ([, quoted, bare]) => quoted ?? bare ?? ""));
}

function failure(calls: VendorCalls, error: unknown): ProviderError {
  if (error instanceof ProviderError) return error;
  if (!(error instanceof Route53ServiceException)) {
    // The answer had no error's status and could not be read: a change may have been carried out.
    return calls.notItsApi("unknown", error);
  }
  const { name, message, $metadata } = error;
  if (name === "NoSuchHostedZone")
    return calls.error(`it has no such hosted zone: ${message}`, "none", { zoneMissing: true });
  if (codesOfAccess.has(name) || $metadata.httpStatusCode === 401 || $metadata.httpStatusCode === 403) {
    return calls.error(
      `it refuses the access key of this provider configuration; check the key and what it may do. It says: ${message}`,
      "none",
    );
  }
  return calls.error(`it refuses the call (${name}): ${message}`, "none");
}
