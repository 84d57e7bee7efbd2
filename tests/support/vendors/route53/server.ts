import { timingSafeEqual } from "node:crypto";
import { startLoopbackVendor, type LoopbackVendor, type VendorCall, type VendorReply } from "../loopback-vendor.ts";
import {
  changeZone,
  compare,
  identifierOf,
  inOrder,
  newZone,
  orderOf,
  put,
  type Rrset,
  type Zone,
} from "./hosted-zone.ts";
import { printedName } from "./names.ts";
import {
  changeRequest,
  changesIn,
  checkShape,
  childOf,
  createRequest,
  Malformed,
  namespace,
  textOf,
} from "./requests.ts";
import { signatureOf } from "./signature.ts";
import { parseXml, printXml, type XmlContent, type XmlElement } from "./xml.ts";

export interface Route53Server extends LoopbackVendor {
  accessKeyId: string;
  secretAccessKey: string;
  /** Makes a hosted zone as its console does. @returns its id */
  addZone(name: string, isPrivate?: boolean): string;
  removeZone(id: string): void;
  /** Puts an RRset into a zone as its console does. */
  put(
    zoneId: string,
    set: { name: string; type: string; ttl?: number; values?: string[]; settings?: Rrset["settings"] },
  ): void;
  remove(zoneId: string, name: string, type: string): void;
  /** What a zone has: `name type ttl value`, one line a value. */
  lines(zoneId: string): string[];
  /** The requested change batches. */
  batches(): VendorCall[];
  /** Has each change from now on answer PENDING this many times before it is INSYNC. */
  settleAfter(times: number): void;
  /** How often the status of a change was asked for. */
  looks(): number;
}

/** Route 53's API as its reference describes it (API version 2013-04-01), for one access key. */
export async function startRoute53(): Promise<Route53Server> {
  const account = new Account();
  const vendor = await startLoopbackVendor((call) => account.answer(call));
  const zoneOf = (id: string): Zone => {
    const zone = account.zones.get(id);
    if (!zone) throw new Error(`There is no hosted zone ${id}.`);
    return zone;
  };
  return {
    ...vendor,
    accessKeyId: account.accessKeyId,
    secretAccessKey: account.secretAccessKey,
    addZone: (name, isPrivate = false) => account.addZone(`${name}.`, crypto.randomUUID(), isPrivate).id,
    removeZone: (id) => void account.zones.delete(id),
    put(zoneId, { name, type, ttl, values = [], settings = {} }) {
      put(zoneOf(zoneId), {
        Name: printedName(name) ?? name,
        Type: type,
        ...(ttl === undefined ? {} : { TTL: ttl }),
        values,
        settings,
      });
    },
    remove(zoneId, name, type) {
      const { rrsets } = zoneOf(zoneId);
      for (const [key, set] of rrsets) if (set.Name === printedName(name) && set.Type === type) rrsets.delete(key);
    },
    lines: (zoneId) =>
      inOrder(zoneOf(zoneId)).flatMap(({ Name, Type, TTL, values, settings }) =>
        values.length > 0
          ? values.map((value) => `${Name} ${Type} ${TTL} ${value}`)
          : [`${Name} ${Type} ${JSON.stringify(settings)}`],
      ),
    batches: () => vendor.calls.filter(({ method, url }) => method === "POST" && url.pathname.includes("/rrset")),
    settleAfter: (times) => void (account.pendingTimes = times),
    looks: () => vendor.calls.filter(({ url }) => url.pathname.startsWith(`${version}/change/`)).length,
  };
}

const version = "/2013-04-01";
const base = `${version}/hostedzone`;

/** The reusable delegation set of the account. */
export const reusableSet = { id: "N1LOOPBACKSET", servers: ["ns-1.own.example.", "ns-2.own.example."] };

class Account {
  readonly accessKeyId = "AKIALOOPBACKEXAMPLE0";
  readonly secretAccessKey = "loopback/secret+key/EXAMPLEKEY0123456789";
  readonly zones = new Map<string, Zone>();
  pendingTimes = 1;
  /** How often a change is still to be PENDING, by its id. */
  readonly #changes = new Map<string, number>();

  addZone(name: string, reference: string, isPrivate: boolean, servers?: string[]): Zone {
    const id = `Z${crypto.randomUUID().replaceAll("-", "").slice(0, 20).toUpperCase()}`;
    const zone = newZone(id, name, reference, isPrivate, servers);
    this.zones.set(id, zone);
    return zone;
  }

  answer(call: VendorCall): VendorReply {
    const unsigned = this.#refuseSignature(call);
    if (unsigned) return unsigned;
    try {
      return this.#route(call);
    } catch (error) {
      if (error instanceof Malformed) return failure(400, "InvalidInput", error.message);
      return failure(400, "MalformedXML", "The XML you provided was not well-formed.");
    }
  }

  #route({ method, url, body, headers }: VendorCall): VendorReply {
    const query = url.searchParams;
    const [, id, rest] = /^\/2013-04-01\/hostedzone\/([A-Z0-9]+)(\/rrset\/?)?$/.exec(url.pathname) ?? [];
    const [, changeId] = /^\/2013-04-01\/change\/([A-Z0-9]+)$/.exec(url.pathname) ?? [];
    if (method === "GET" && changeId !== undefined) return this.#status(changeId);
    if (method === "GET" && url.pathname === base) return this.#list(query);
    if (method === "GET" && url.pathname === `${base}sbyname`) return this.#listByName(query);
    if (method === "POST" && headers["content-type"] !== "application/xml") {
      return failure(415, "UnsupportedMediaType", "The content type must be application/xml.");
    }
    if (method === "POST" && url.pathname === base) return this.#create(read(body, "CreateHostedZoneRequest"));
    if (id === undefined || rest === undefined)
      return failure(404, "UnknownOperationException", "There is no such operation.");
    const zone = this.zones.get(id);
    if (!zone) return failure(404, "NoSuchHostedZone", `No hosted zone found with ID: ${id}`);
    if (method === "GET") return listRrsets(zone, query);
    return this.#change(zone, read(body, "ChangeResourceRecordSetsRequest"));
  }

  #change(zone: Zone, request: XmlElement): VendorReply {
    checkShape(request, changeRequest);
    const messages = changeZone(zone, changesIn(request));
    if (messages.length > 0) return failure(400, "InvalidChangeBatch", `[${messages.join(", ")}]`);
    return document("ChangeResourceRecordSetsResponse", { ChangeInfo: this.#newChange() });
  }

  /** A change is PENDING when it is accepted, and INSYNC once all name servers have it. */
  #newChange(): XmlContent {
    const id = `C${crypto.randomUUID().replaceAll("-", "").slice(0, 20).toUpperCase()}`;
    this.#changes.set(id, this.pendingTimes);
    return changeInfo(id, "PENDING");
  }

  #status(id: string): VendorReply {
    const left = this.#changes.get(id);
    if (left === undefined) return failure(404, "NoSuchChange", `Could not find resource with ID: ${id}`);
    this.#changes.set(id, Math.max(0, left - 1));
    return document("GetChangeResponse", { ChangeInfo: changeInfo(id, left > 0 ? "PENDING" : "INSYNC") });
  }

  #list(query: URLSearchParams): VendorReply {
    const size = sizeOf(query, ["marker", "maxitems"], 100);
    const all = [...this.zones.values()].toSorted((one, other) => compare(one.id, other.id));
    const marker = query.get("marker");
    const start = marker === null ? 0 : all.findIndex(({ id }) => id === marker);
    if (start === -1) throw new Malformed("The marker is not a hosted zone.");
    const next = all[start + size];
    return document("ListHostedZonesResponse", {
      HostedZones: { HostedZone: all.slice(start, start + size).map(zoneXml) },
      Marker: marker ?? undefined,
      IsTruncated: next !== undefined,
      NextMarker: next?.id,
      MaxItems: size,
    });
  }

  #listByName(query: URLSearchParams): VendorReply {
    const size = sizeOf(query, ["dnsname", "hostedzoneid", "maxitems"], 100);
    const all = [...this.zones.values()].toSorted((one, other) =>
      compare(place(one.name, one.id), place(other.name, other.id)),
    );
    const from = place(printedName(query.get("dnsname") ?? "") ?? "", query.get("hostedzoneid") ?? "");
    const rest = all.filter(({ name, id }) => compare(place(name, id), from) >= 0);
    const next = rest[size];
    return document("ListHostedZonesByNameResponse", {
      HostedZones: { HostedZone: rest.slice(0, size).map(zoneXml) },
      DNSName: query.get("dnsname") ?? undefined,
      IsTruncated: next !== undefined,
      NextDNSName: next?.name,
      NextHostedZoneId: next?.id,
      MaxItems: size,
    });
  }

  #create(request: XmlElement): VendorReply {
    checkShape(request, createRequest);
    const name = printedName(childOf(request, "Name").text);
    const reference = childOf(request, "CallerReference").text;
    if (name === null || reference === "" || reference.length > 128) throw new Malformed("The name is not valid.");
    if ([...this.zones.values()].some((zone) => zone.reference === reference)) {
      return failure(
        409,
        "HostedZoneAlreadyExists",
        "A hosted zone has already been created with this caller reference.",
      );
    }
    const set = textOf(request, "DelegationSetId");
    if (set !== undefined && set !== reusableSet.id) {
      return failure(400, "NoSuchDelegationSet", `A reusable delegation set with the ID ${set} does not exist.`);
    }
    const zone = this.addZone(name, reference, false, set === undefined ? undefined : reusableSet.servers);
    const servers = zone.rrsets.values().next().value?.values ?? [];
    const content = {
      HostedZone: zoneXml(zone),
      ChangeInfo: this.#newChange(),
      DelegationSet: { NameServers: { NameServer: servers } },
    };
    return document("CreateHostedZoneResponse", content, 201);
  }

  /** AWS Signature Version 4, and the answers to those that are missing, stale or wrong. */
  #refuseSignature({ method, target, headers, body }: VendorCall): VendorReply | null {
    const [, keyId, day, region, service, signed, signature = ""] =
      /^AWS4-HMAC-SHA256 Credential=(\w+)\/(\d{8})\/([\w-]+)\/(\w+)\/aws4_request, ?SignedHeaders=([\w;-]+), ?Signature=([0-9a-f]{64})$/.exec(
        headers.authorization ?? "",
      ) ?? [];
    const date = String(headers["x-amz-date"] ?? "");
    if (keyId === undefined || signed === undefined || !/^\d{8}T\d{6}Z$/.test(date) || day !== date.slice(0, 8)) {
      return failure(403, "IncompleteSignature", "Request must contain a signature that conforms to AWS standards.");
    }
    if (keyId !== this.accessKeyId) {
      return failure(403, "InvalidClientTokenId", "The security token included in the request is invalid.");
    }
    const at = Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"));
    if (Math.abs(Date.now() - at) > 5 * 60_000) {
      return failure(403, "SignatureDoesNotMatch", `Signature expired: ${date} is now too far from the time here.`);
    }
    const signedHeaders = signed.split(";");
    const own = signatureOf(
      { method, target, headers, body },
      { secretAccessKey: this.secretAccessKey, date, region: "us-east-1", service: "route53", signedHeaders },
    );
    const covered = ["host", "x-amz-date"].every((name) => signedHeaders.includes(name));
    if (
      region === "us-east-1" &&
      service === "route53" &&
      covered &&
      timingSafeEqual(Buffer.from(own), Buffer.from(signature))
    ) {
      return null;
    }
    return failure(
      403,
      "SignatureDoesNotMatch",
      "The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method. Consult the service documentation for details.",
    );
  }
}

function listRrsets(zone: Zone, query: URLSearchParams): VendorReply {
  const size = sizeOf(query, ["name", "type", "identifier", "maxitems"], 300);
  const [name, type, identifier] = [query.get("name"), query.get("type"), query.get("identifier")];
  if (type !== null && name === null) throw new Malformed("The type must not be given without a name.");
  const first = printedName(name ?? "");
  const from =
    name === null || first === null
      ? ""
      : orderOf({ Name: first, Type: type ?? "", settings: identifier === null ? {} : { SetIdentifier: identifier } });
  const rest = inOrder(zone).filter((set) => compare(orderOf(set), from) >= 0);
  const next = rest[size];
  return document("ListResourceRecordSetsResponse", {
    ResourceRecordSets: { ResourceRecordSet: rest.slice(0, size).map(rrsetXml) },
    IsTruncated: next !== undefined,
    NextRecordName: next?.Name,
    NextRecordType: next?.Type,
    NextRecordIdentifier: (next && identifierOf(next.settings)) ?? undefined,
    MaxItems: size,
  });
}

function read(body: string, root: string): XmlElement {
  const element = parseXml(body);
  if (element.name !== root || element.namespace !== namespace) throw new Malformed(`The document must be a ${root}.`);
  return element;
}

function sizeOf(query: URLSearchParams, known: readonly string[], most: number): number {
  for (const key of query.keys()) if (!known.includes(key)) throw new Malformed(`Unknown parameter ${key}.`);
  const given = query.get("maxitems");
  if (given !== null && !/^[1-9]\d*$/.test(given)) throw new Malformed("maxitems must be a number.");
  return Math.min(most, Number(given ?? most));
}

/** Where a zone stands among all. */
function place(name: string, id: string): string {
  return `${name.split(".").toReversed().join(".")}\u0000${id}`;
}

function zoneXml({ id, name, reference, isPrivate, rrsets }: Zone): { [name: string]: XmlContent } {
  return {
    Id: `/hostedzone/${id}`,
    Name: name,
    CallerReference: reference,
    Config: { PrivateZone: isPrivate },
    ResourceRecordSetCount: rrsets.size,
  };
}

function rrsetXml({ Name, Type, TTL, values, settings }: Rrset): { [name: string]: XmlContent } {
  const records = values.length === 0 ? undefined : { ResourceRecord: values.map((Value) => ({ Value })) };
  return { Name, Type, ...(settings as { [name: string]: XmlContent }), TTL, ResourceRecords: records };
}

function changeInfo(id: string, Status: "PENDING" | "INSYNC"): XmlContent {
  return { Id: `/change/${id}`, Status, SubmittedAt: new Date().toISOString() };
}

function document(root: string, content: { [name: string]: XmlContent | XmlContent[] }, status = 200): VendorReply {
  const body = `<?xml version="1.0"?>\n<${root} xmlns="${namespace}">${printXml(content)}</${root}>`;
  return { status, headers: { "content-type": "text/xml" }, body };
}

/** An error as the API reports it. */
export function failure(status: number, code: string, message: string): VendorReply {
  const content = {
    Error: { Type: status < 500 ? "Sender" : "Receiver", Code: code, Message: message },
    RequestId: "r-1",
  };
  return document("ErrorResponse", content, status);
}
