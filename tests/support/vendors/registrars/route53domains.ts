import { startLoopbackVendor, type VendorCall, type VendorReply } from "../loopback-vendor.ts";
import { signatureOf } from "../route53/signature.ts";
import { bodyOf, dsOf, type Registered, type RegistrarAccount } from "./account.ts";

// As the service model of Amazon Route 53 Domains (2014-05-15, in botocore 1.43) shows it, read on 2026-11-29: one action per call, times in seconds, and an
// operation that goes on after each change. The message for a name of another account is that of boto3's issue 1585.

const accessKeyId = "AKIAIOSFODNN7LOOPBACK";
const secretAccessKey = "loopback/secret/access/key/0123456789";
const mostPerPage = 100;
const reads = new Set(["ListDomains", "GetDomainDetail", "GetOperationDetail"]);

/** An account at Amazon Route 53 Domains. */
interface Route53DomainsAccount extends RegistrarAccount {
  /** The addresses of name servers within their domain. Without them, such a name server is refused. */
  glue: Map<string, string[]>;
  /** Names whose DS records and transfer lock change only by `carryOut`: the API answers with an operation. */
  slow: Set<string>;
  /** Ends the operations. */
  carryOut(): void;
  /** Ends the operations without a change. @param message why */
  failOperations(message: string): void;
  /** Actions that the user has no permission for. */
  denied: Set<string>;
}

interface Operation {
  status: "IN_PROGRESS" | "SUCCESSFUL" | "FAILED";
  message?: string;
  work: () => void;
}

const json = (status: number, body: object): VendorReply => ({
  status,
  headers: { "content-type": "application/x-amz-json-1.1" },
  body: JSON.stringify(body),
});
const says = (type: string, message: string) => json(400, { __type: type, message });
const actionOf = ({ headers }: VendorCall) => String(headers["x-amz-target"]).replace("Route53Domains_v20140515.", "");

/** Amazon Route 53 Domains, for one account. */
export async function startRoute53Domains(): Promise<Route53DomainsAccount> {
  const domains = new Map<string, Registered>();
  const glue = new Map<string, string[]>();
  const slow = new Set<string>();
  const denied = new Set<string>();
  const operations: Operation[] = [];
  const open = () => operations.filter(({ status }) => status === "IN_PROGRESS");
  const carryOut = () => {
    for (const operation of open()) {
      operation.status = "SUCCESSFUL";
      operation.work();
    }
  };
  const vendor = await startLoopbackVendor((call) => {
    const action = actionOf(call);
    if (denied.has(action)) return says("AccessDeniedException", `User is not authorized to perform ${action}`);
    const answer = reply(call, domains, glue, operations);
    if (action !== "GetOperationDetail" && !slow.has(String(bodyOf(call)["DomainName"]))) carryOut();
    return answer;
  });
  return {
    ...vendor,
    domains,
    glue,
    slow,
    carryOut,
    failOperations(message) {
      for (const operation of open()) Object.assign(operation, { status: "FAILED", message });
    },
    denied,
    config: { accessKeyId, secretAccessKey, endpoint: vendor.url },
    changes: () => vendor.calls.map(actionOf).flatMap((action) => (reads.has(action) ? [] : [`POST /${action}`])),
  };
}

function isSigned({ method, target, headers, body }: VendorCall): boolean {
  const [, credential, names = "", signature] =
    /^AWS4-HMAC-SHA256 Credential=([^,]+), SignedHeaders=([^,]+), Signature=([\da-f]+)$/.exec(
      headers.authorization ?? "",
    ) ?? [];
  const date = String(headers["x-amz-date"]);
  const signedHeaders = names.split(";");
  const scope = { secretAccessKey, date, region: "us-east-1", service: "route53domains", signedHeaders };
  return (
    credential === `${accessKeyId}/${date.slice(0, 8)}/us-east-1/route53domains/aws4_request` &&
    ["host", "x-amz-target"].every((name) => signedHeaders.includes(name)) &&
    signature === signatureOf({ method, target, headers, body }, scope)
  );
}

function reply(
  call: VendorCall,
  domains: Map<string, Registered>,
  glue: Map<string, string[]>,
  operations: Operation[],
): VendorReply {
  if (!isSigned(call))
    return says("InvalidSignatureException", "The request signature we calculated does not match the signature.");
  const body = bodyOf(call);
  const action = actionOf(call);
  if (action === "ListDomains") {
    const [start, size] = [Number(body["Marker"] ?? 0), Number(body["MaxItems"] ?? 20)];
    if (size > mostPerPage) return says("InvalidInput", "MaxItems must be at most 100.");
    const page = [...domains].slice(start, start + size).map(([name, entry]) => ({
      DomainName: name,
      AutoRenew: entry.autoRenew,
      TransferLock: entry.locked,
      Expiry: secondsOf(entry),
    }));
    const next = start + size < domains.size ? { NextPageMarker: String(start + size) } : {};
    return json(200, { Domains: page, ...next });
  }
  if (action === "GetOperationDetail") {
    const { status, message } = operations[Number(body["OperationId"])] ?? {};
    if (!status) return says("InvalidInput", "The operation was not found.");
    return json(200, { OperationId: body["OperationId"], Status: status, ...(message && { Message: message }) });
  }
  const name = String(body["DomainName"]);
  const entry = domains.get(name);
  if (!entry) return says("InvalidInput", `Domain ${name} not found in 123456789012 account.`);
  if (action === "GetDomainDetail") return json(200, detailOf(name, entry, glue));
  const begin = (work: () => void) => {
    operations.push({ status: "IN_PROGRESS", work });
    return json(200, { OperationId: String(operations.length - 1) });
  };
  switch (action) {
    case "UpdateDomainNameservers":
      return updated(name, entry, body, glue) ?? begin(() => undefined);
    case "EnableDomainTransferLock":
    case "DisableDomainTransferLock":
      return begin(() => {
        entry.locked = action.startsWith("Enable");
      });
    case "EnableDomainAutoRenew":
    case "DisableDomainAutoRenew":
      entry.autoRenew = action.startsWith("Enable");
      return json(200, {});
    case "AssociateDelegationSignerToDomain": {
      const { Algorithm, Flags, PublicKey } = body["SigningAttributes"] as Record<string, string | number>;
      if (Flags !== 257) return says("InvalidInput", "Flags must be 257.");
      return begin(() => entry.ds.push(dsOf(name, Number(Algorithm), String(PublicKey))));
    }
    case "DisassociateDelegationSignerFromDomain": {
      const removed = entry.ds[Number(body["Id"]) - 1];
      return begin(() => {
        entry.ds = entry.ds.filter((one) => one !== removed);
      });
    }
    default:
      return says("UnknownOperationException", action);
  }
}

const secondsOf = ({ expires }: Registered) => Date.parse(expires) / 1_000;

function updated(name: string, entry: Registered, body: object, glue: Map<string, string[]>): VendorReply | null {
  const { Nameservers: servers } = body as { Nameservers: { Name: string; GlueIps?: string[] }[] };
  const bare = servers.find(({ Name, GlueIps = [] }) => Name.endsWith(`.${name}`) && GlueIps.length === 0);
  if (bare && glue.has(bare.Name)) return says("InvalidInput", `Glue IPs are required for ${bare.Name}.`);
  entry.nameServers = servers.map(({ Name }) => Name);
  return null;
}

function detailOf(name: string, entry: Registered, glue: Map<string, string[]>) {
  return {
    DomainName: name,
    Nameservers: entry.nameServers.map((Name) => ({ Name, GlueIps: glue.get(Name) ?? [] })),
    AutoRenew: entry.autoRenew,
    RegistrarName: "Amazon Registrar, Inc.",
    ExpirationDate: secondsOf(entry),
    StatusList: entry.locked ? ["clientTransferProhibited"] : ["ok"],
    DnssecKeys: entry.ds.map((ds, index) => {
      const [tag, algorithm, type, digest] = ds.split(" ");
      return {
        Id: String(index + 1),
        Algorithm: Number(algorithm),
        Flags: 257,
        KeyTag: Number(tag),
        DigestType: Number(type),
        Digest: digest?.toUpperCase(),
      };
    }),
  };
}
