import { zoneId } from "../../../dns-providers/powerdns/client.ts";
import { parseZoneName } from "../../../dns/names/names.ts";
import type { ShownRrset } from "./shown-rrsets.ts";
import type { FoundZone } from "./zones.ts";

/** The version of PowerDNS whose API this is. Clients read it. */
const apiVersion = "4.7.0";
const serverUrl = "/api/v1/servers/localhost";

/** What `GET /api` says. Paths are relative to the API's base, to which clients add them. */
export const versions = [{ version: 1, url: "/api/v1" }];

/** What `GET /api/v1` says. */
export const features = [{ api_features: [], server_url: "/api/v1/servers{/server}" }];

/** The only server there is. */
export const server = {
  type: "Server",
  id: "localhost",
  daemon_type: "authoritative",
  version: apiVersion,
  url: serverUrl,
  config_url: `${serverUrl}/config{/config_setting}`,
  zones_url: `${serverUrl}/zones{/zone}`,
};

/** The settings of the server that clients ask for. Those of Zonewright are its own. */
export const serverConfig = [
  { name: "api", type: "ConfigSetting", value: "yes" },
  { name: "daemon", type: "ConfigSetting", value: "no" },
];

/** Returns a zone as PowerDNS shows it, without its RRsets. */
export function zoneObject({ name, serial, signed, isPrimary, settings }: FoundZone) {
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
export function briefZoneObject(zone: FoundZone) {
  const { dnssec: _, edited_serial: _serial, ...brief } = zoneObject(zone);
  return brief;
}

/**
 * Returns a zone with what lists leave out.
 * @param rrsets null: without them @param counted those to count as `record_count`; null: none
 */
export function* zoneText(
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
export function* listText(items: Iterable<unknown>): Generator<string> {
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
