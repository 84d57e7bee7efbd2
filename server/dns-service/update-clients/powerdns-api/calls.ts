import { permitted } from "../../../access/authenticator.ts";
import type { Caller } from "../../../access/caller.ts";
import type { Permission } from "../../../access/permissions.ts";
import type { Need } from "../../../access/zone-access.ts";
import type { Database, EntityManager } from "../../../database/database.ts";
import type { Domains } from "../../../zones/domains/service.ts";
import { parseZoneName } from "../../../dns/names/names.ts";
import { mostOrdinaryChanges } from "../../../api/limits/requests.ts";
import { AppError } from "../../../platform/errors.ts";
import { inSlices } from "../../../platform/slices.ts";
import { Unprocessable, withinContent } from "./refusals.ts";
import { wantedRrsets, type WantedRrset, fileLines, type ShownRrset } from "./rrsets.ts";
import { withoutSoa, type NewZones } from "./new-zones.ts";
import {
  settingsIn,
  storeSettings,
  readMetadata,
  settableKind,
  shownMetadata,
  valuesIn,
  writeMetadata,
} from "./zone-settings.ts";
import { foundObjects, wildcardSearch } from "./search.ts";
import type { FoundZone, PowerdnsZones } from "./zones.ts";
import { zoneId } from "../../../dns-providers/powerdns/client.ts";

/** What a call needs. */
export interface CallParts {
  database: Database;
  powerdnsZones: PowerdnsZones;
  newPowerdnsZones: NewZones;
  domains: Pick<Domains, "delete">;
}

interface Call {
  parts: CallParts;
  em: EntityManager;
  caller: Caller;
  /** The variable parts of the path, decoded. */
  path: Readonly<Record<string, string>>;
  query: URLSearchParams;
  /** Whether the client asks for JSON rather than text. */
  wantsJson: boolean;
  /** Counts the call as costly. @throws LimitReached */
  countCostly: () => Promise<void>;
  /** Reads the body. @throws AppError BAD_REQUEST, PAYLOAD_TOO_LARGE */
  body: () => Promise<Readonly<Record<string, unknown>>>;
}

/** An answer; `text` comes in pieces, so that a large zone is never one text. */
export interface CallAnswer {
  status: number;
  type?: "json" | "text";
  text?: Iterable<string> | AsyncIterable<string>;
}

export interface Endpoint {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Segments; those that begin with a colon are variable. */
  path: string;
  /** Its name in metrics and logs. */
  name: string;
  /** Null: any personal token. */
  permission: Permission | null;
  answer: (call: Call) => Promise<CallAnswer> | CallAnswer;
}

const nothing: CallAnswer = { status: 204 };

function json(value: unknown, status = 200): CallAnswer {
  return { status, type: "json", text: [JSON.stringify(value)] };
}

const zones = "/api/v1/servers/localhost/zones";
const zone = `${zones}/:zone`;
const kind = `${zone}/metadata/:kind`;
const search = "/api/v1/servers/localhost/search-data";

/** The calls of PowerDNS Authoritative that mean something here. */
export const endpoints: readonly Endpoint[] = [
  { method: "GET", path: "/api", name: "versions", permission: null, answer: () => json(versions) },
  { method: "GET", path: "/api/v1", name: "features", permission: null, answer: () => json(features) },
  { method: "GET", path: "/api/v1/servers", name: "listServers", permission: null, answer: () => json([server]) },
  {
    method: "GET",
    path: "/api/v1/servers/localhost",
    name: "getServer",
    permission: null,
    answer: () => json(server),
  },
  {
    method: "GET",
    path: "/api/v1/servers/localhost/config",
    name: "getConfig",
    permission: null,
    answer: () => json(serverConfig),
  },
  { method: "GET", path: zones, name: "listZones", permission: "records:read", answer: listZones },
  { method: "GET", path: zone, name: "getZone", permission: "records:read", answer: getZone },
  { method: "PATCH", path: zone, name: "patchZone", permission: "records:write", answer: patchZone },
  { method: "POST", path: zones, name: "createZone", permission: "domains:write", answer: createZone },
  { method: "PUT", path: zone, name: "putZone", permission: "domains:write", answer: putZone },
  { method: "DELETE", path: zone, name: "deleteZone", permission: "domains:write", answer: deleteZone },
  { method: "PUT", path: `${zone}/notify`, name: "notifyZone", permission: "records:write", answer: notifyZone },
  { method: "PUT", path: `${zone}/rectify`, name: "rectifyZone", permission: "records:write", answer: rectifyZone },
  { method: "GET", path: `${zone}/export`, name: "exportZone", permission: "records:read", answer: exportZone },
  { method: "GET", path: `${zone}/metadata`, name: "listMetadata", permission: "records:read", answer: listMetadata },
  { method: "POST", path: `${zone}/metadata`, name: "addMetadata", permission: "domains:write", answer: addMetadata },
  { method: "GET", path: kind, name: "getMetadata", permission: "records:read", answer: getMetadata },
  { method: "PUT", path: kind, name: "putMetadata", permission: "domains:write", answer: putMetadata },
  { method: "DELETE", path: kind, name: "deleteMetadata", permission: "domains:write", answer: dropMetadata },
  { method: "GET", path: `${zone}/cryptokeys`, name: "listKeys", permission: "records:read", answer: noList },
  { method: "GET", path: search, name: "search", permission: "records:read", answer: searchData },
];

/** Finds the zone that the path names. @throws AppError NOT_FOUND in PowerDNS's words, FORBIDDEN */
async function found({ parts, em, caller, path }: Call, need: Need): Promise<FoundZone> {
  const name = zoneOfId(path["zone"] ?? "");
  try {
    if (name !== null) return await parts.powerdnsZones.find(em, caller, name, need);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "NOT_FOUND") throw error;
  }
  throw new AppError("NOT_FOUND", `Could not find domain '${path["zone"] ?? ""}'. The token reaches no such zone.`);
}

function listZones({ parts, em, caller, query }: Call): CallAnswer {
  const given = query.get("zone");
  const name = given === null ? null : parseZoneName(given);
  if (name?.ok === false) return json([]);
  const shown = flagIn(query, "dnssec") ? zoneObject : briefZoneObject;
  return { status: 200, type: "json", text: zonesText(parts.powerdnsZones.pages(em, caller, name?.value), shown) };
}

/** Returns zones as JSON, page by page. */
async function* zonesText(
  pages: AsyncIterable<readonly FoundZone[]>,
  shown: (zone: FoundZone) => object,
): AsyncGenerator<string> {
  let separator = "[";
  for await (const page of pages) {
    if (page.length === 0) continue;
    yield separator + page.map((zone) => JSON.stringify(shown(zone))).join(",");
    separator = ",";
  }
  yield separator === "[" ? "[]" : "]";
}

/** Reads a parameter that is true or false. @param usual without it @throws Unprocessable */
function flagIn(query: URLSearchParams, name: string, usual = true): boolean {
  const given = query.get(name) ?? String(usual);
  if (given === "true" || given === "1") return true;
  if (given === "false" || given === "0") return false;
  throw new Unprocessable(
    "BAD_REQUEST",
    `'${name}' request parameter value '${given}' is not supported. Send true or false.`,
  );
}

async function getZone(call: Call): Promise<CallAnswer> {
  const { parts, em, query } = call;
  const withRrsets = flagIn(query, "rrsets");
  const isCounted = flagIn(query, "record_count", false);
  const activeOnly = !flagIn(query, "include_disabled");
  const zone = await found(call, "read");
  if (!withRrsets && !isCounted) return { status: 200, type: "json", text: zoneText(zone, null) };
  const [name, type] = ["rrset_name", "rrset_type"].map((field) => query.get(field) ?? undefined);
  const rrsets = await parts.powerdnsZones.rrsets(em, zone, { name, type, activeOnly });
  return { status: 200, type: "json", text: zoneText(zone, withRrsets ? rrsets : null, rrsets) };
}

async function patchZone(call: Call): Promise<CallAnswer> {
  const { parts, em, caller } = call;
  const zone = await found(call, "write");
  const { rrsets } = await call.body();
  const wanted = await inSlices(wantedRrsets(rrsets, zone.name, true));
  if (sizeOf(wanted) > mostOrdinaryChanges) await call.countCostly();
  await withinContent(parts.powerdnsZones.change(em, caller, zone, wanted));
  return nothing;
}

/** Returns how many records RRsets name; an RRset without any counts as one. */
function sizeOf(rrsets: readonly WantedRrset[]): number {
  return rrsets.reduce((sum, { records, added, removed }) => {
    return sum + Math.max(1, (records?.length ?? 0) + added.length + removed.length);
  }, 0);
}

/** Text, unless the client asks for JSON, as in PowerDNS. */
async function exportZone(call: Call): Promise<CallAnswer> {
  const { parts, em, wantsJson } = call;
  const rrsets = await parts.powerdnsZones.rrsets(em, await found(call, "read"));
  if (wantsJson) return json({ zone: rrsets.map(fileLines).join("") });
  return { status: 200, type: "text", text: exportText(rrsets) };
}

/** Returns RRsets as lines of a zone file, RRset by RRset. */
function* exportText(rrsets: readonly ShownRrset[]): Generator<string> {
  for (const rrset of rrsets) yield fileLines(rrset);
}

/** Creates a domain. The caller becomes its owner unless they are an administrator, as with `domains.create`. */
async function createZone(call: Call): Promise<CallAnswer> {
  const { parts, em, caller, query } = call;
  const withRrsets = flagIn(query, "rrsets");
  await call.countCostly();
  const zone = await parts.newPowerdnsZones.create(em, caller, await call.body());
  if (!withRrsets) return { status: 201, type: "json", text: zoneText(zone, null) };
  const rrsets = await parts.powerdnsZones.rrsets(em, zone);
  return { status: 201, type: "json", text: zoneText(zone, rrsets) };
}

/** Takes settings of a zone, which mean nothing here, and are kept as they were set. With `rrsets`, those replace all that the zone has. */
async function putZone(call: Call): Promise<CallAnswer> {
  const { parts, em, caller } = call;
  const zone = await found(call, "manage");
  const { rrsets = null, ...given } = await call.body();
  const settings = settingsIn(given, zone);
  if (rrsets === null) {
    await storeSettings(em, caller, zone.id, settings);
    return nothing;
  }
  permitted(caller, "records:write");
  const wanted = await inSlices(wantedRrsets(rrsets, zone.name, false));
  if (!wanted.some(({ recordType, records }) => recordType === "SOA" && records !== null))
    throw new Unprocessable(
      "BAD_REQUEST",
      "`rrsets` replaces all RRsets of the zone, so it must have the SOA, too. To change some, send them with PATCH.",
    );
  if (sizeOf(wanted) > mostOrdinaryChanges) await call.countCostly();
  const alongside = (tx: EntityManager) => storeSettings(tx, caller, zone.id, settings);
  const ours = wanted.flatMap(withoutSoa);
  await withinContent(parts.powerdnsZones.change(em, caller, zone, ours, { whole: true, alongside }));
  return nothing;
}

async function deleteZone(call: Call): Promise<CallAnswer> {
  const { parts, em, caller } = call;
  const { id } = await found(call, "manage");
  await withinContent(parts.domains.delete(em, caller, id), "delete the domain in Zonewright");
  return nothing;
}

/** Zonewright notifies secondaries of each change by itself. */
async function notifyZone(call: Call): Promise<CallAnswer> {
  await found(call, "write");
  return json({ result: "Notification queued" });
}

/** Zones here need no rectification. */
async function rectifyZone(call: Call): Promise<CallAnswer> {
  await found(call, "write");
  return json({ result: "Rectified" });
}

async function noList(call: Call): Promise<CallAnswer> {
  await found(call, "read");
  return json([]);
}

async function listMetadata(call: Call): Promise<CallAnswer> {
  const { id } = await found(call, "read");
  return json(await readMetadata(call.em, id));
}

async function getMetadata(call: Call): Promise<CallAnswer> {
  const { id } = await found(call, "read");
  const { kind = "" } = call.path;
  const [metadata = shownMetadata(kind, [])] = await readMetadata(call.em, id, kind);
  return json(metadata);
}

/** Adds values to a kind. */
async function addMetadata(call: Call): Promise<CallAnswer> {
  const { id } = await found(call, "manage");
  const { kind, metadata } = await call.body();
  const added = { kind: settableKind(kind), metadata: valuesIn(metadata) };
  return json(await writeMetadata(call.em, call.caller, id, added, true), 201);
}

/** Replaces the values of a kind. */
async function putMetadata(call: Call): Promise<CallAnswer> {
  const { id } = await found(call, "manage");
  const kind = settableKind(call.path["kind"]);
  const { metadata } = await call.body();
  return json(await writeMetadata(call.em, call.caller, id, { kind, metadata: valuesIn(metadata) }, false));
}

async function dropMetadata(call: Call): Promise<CallAnswer> {
  const { id } = await found(call, "manage");
  await writeMetadata(call.em, call.caller, id, { kind: settableKind(call.path["kind"]), metadata: [] }, false);
  return nothing;
}

async function searchData({ parts, em, caller, query, countCostly }: Call): Promise<CallAnswer> {
  const wanted = wildcardSearch(query);
  await countCostly();
  const found = await foundObjects({ em, caller, zones: parts.powerdnsZones }, wanted);
  return { status: 200, type: "json", text: listText(found) };
}

/** The version of PowerDNS whose API this is. Clients read it. */
const apiVersion = "4.7.0";
const serverUrl = "/api/v1/servers/localhost";

/** What `GET /api` says. Paths are relative to the API's base, to which clients add them. */
const versions = [{ version: 1, url: "/api/v1" }];

/** What `GET /api/v1` says. */
const features = [{ api_features: [], server_url: "/api/v1/servers{/server}" }];

/** The only server there is. */
const server = {
  type: "Server",
  id: "localhost",
  daemon_type: "authoritative",
  version: apiVersion,
  url: serverUrl,
  config_url: `${serverUrl}/config{/config_setting}`,
  zones_url: `${serverUrl}/zones{/zone}`,
};

/** The settings of the server that clients ask for. Those of Zonewright are its own. */
const serverConfig = [
  { name: "api", type: "ConfigSetting", value: "yes" },
  { name: "daemon", type: "ConfigSetting", value: "no" },
];

/** Returns a zone as PowerDNS shows it, without its RRsets. */
function zoneObject({ name, serial, signed, isPrimary, settings }: FoundZone) {
  const id = zoneId(name);
  const { kind = isPrimary ? "Master" : "Native", account = "", catalog = "", masters = [] } = settings;
  return {
    id,
    name: `${name}.`,
    type: "Zone",
    url: `${serverUrl}/zones/${id}`,
    kind,
    serial,
    notified_serial: isPrimary ? serial : 0,
    edited_serial: serial,
    last_check: 0,
    masters,
    dnssec: signed,
    account,
    catalog,
  };
}

/** Returns a zone without what costs PowerDNS more, as it lists zones with `dnssec=false`. */
function briefZoneObject(zone: FoundZone) {
  const { dnssec: _, edited_serial: _serial, ...brief } = zoneObject(zone);
  return brief;
}

/**
 * Returns a zone with what lists leave out.
 * @param rrsets null: without them @param counted those to count as `record_count`; null: none
 */
function* zoneText(
  zone: FoundZone,
  rrsets: readonly ShownRrset[] | null,
  counted: readonly ShownRrset[] | null = rrsets,
): Generator<string> {
  const { settings } = zone;
  const whole = {
    ...zoneObject(zone),
    api_rectify: settings.api_rectify ?? false,
    nsec3narrow: settings.nsec3narrow ?? false,
    nsec3param: settings.nsec3param ?? "",
    presigned: false,
    // The serial rises by one with every change, whatever these say.
    soa_edit: settings.soa_edit ?? "",
    soa_edit_api: settings.soa_edit_api ?? "INCREASE",
    master_tsig_key_ids: [],
    slave_tsig_key_ids: [],
    ...(counted === null ? {} : { record_count: counted.reduce((sum, { records }) => sum + records.length, 0) }),
  };
  if (rrsets === null) {
    yield JSON.stringify(whole);
    return;
  }
  yield `${JSON.stringify(whole).slice(0, -1)},"rrsets":`;
  yield* listText(rrsets);
  yield "}";
}

/** Returns a list as JSON, item by item. */
function* listText(items: Iterable<unknown>): Generator<string> {
  let separator = "[";
  for (const item of items) {
    yield separator + JSON.stringify(item);
    separator = ",";
  }
  yield separator === "[" ? "[]" : "]";
}

/** Returns the canonical name of the zone that a `zoneId` stands for, with or without its trailing dot; null if it is none. */
export function zoneOfId(id: string): string | null {
  const decoded = id.replaceAll(/=([0-9a-f]{2})/gi, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
  const name = parseZoneName(decoded);
  return name.ok ? name.value : null;
}
