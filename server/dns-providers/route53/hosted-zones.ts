import { randomUUID } from "node:crypto";
import type { HostedZone } from "@aws-sdk/client-route-53";
import { listedZones, readZoneName } from "../listed-zones.ts";
import { ProviderError, type ListedZones } from "../provider.ts";
import type { Route53Api } from "./client.ts";
import { fromOctal, toOctal } from "./rrsets.ts";

/** A hosted zone: Route 53's term for a zone. */
export interface FoundZone {
  id: string;
  rrsets: number;
}

/**
 * Finds hosted zones by name. An account may have several of one name: the public one is used, or those listed in the
 * configuration. Private ones, visible only inside the account's networks, are used only if listed.
 */
export class HostedZones {
  readonly #api: Route53Api;
  readonly #listed: ReadonlySet<string>;

  constructor(api: Route53Api, listed: Iterable<string>) {
    this.#api = api;
    this.#listed = new Set(listed);
  }

  /** Returns all zones, each name once. @throws ProviderError */
  async list(): Promise<ListedZones> {
    const names: string[] = [];
    for await (const page of this.#api.hostedZones()) {
      for (const zone of page) if (this.#isMeant(zone)) names.push(fromOctal(zone.Name ?? ""));
    }
    return listedZones(names, readZoneName);
  }

  /** Returns a zone by name. @throws ProviderError if there is more than one, and with `zoneMissing` if there is none */
  async find(name: string): Promise<FoundZone> {
    const found = await this.#ofName(name);
    const [zone] = found;
    if (!zone) throw this.#missing(name);
    if (found.length > 1) throw ambiguous(this.#api, name, found);
    return { id: idOf(zone), rrsets: zone.ResourceRecordSetCount ?? Infinity };
  }

  /** Creates a zone, unless it exists. @throws ProviderError */
  async make(name: string): Promise<void> {
    const found = await this.#ofName(name);
    if (found.length > 1) throw ambiguous(this.#api, name, found);
    if (found.length > 0) return;
    if (this.#listed.size > 0) {
      throw new ProviderError(
        `This provider configuration is limited to the zones in hostedZoneIds, so ${name} is not created. Create it at ${this.#api.name} and add its id to the list.`,
        "none",
      );
    }
    await this.#api.createHostedZone(dnsName(name), randomUUID());
  }

  async #ofName(name: string): Promise<HostedZone[]> {
    const zones = await this.#api.hostedZonesOfName(dnsName(name));
    return zones.filter((zone) => this.#isMeant(zone));
  }

  #isMeant(zone: HostedZone): boolean {
    return this.#listed.size > 0 ? this.#listed.has(idOf(zone)) : zone.Config?.PrivateZone !== true;
  }

  #missing(name: string): ProviderError {
    const which =
      this.#listed.size > 0 ? "has no hosted zone in hostedZoneIds that is named" : "has no public hosted zone";
    return new ProviderError(`${this.#api.name} ${which} ${name}.`, "none", { zoneMissing: true });
  }
}

function ambiguous({ name: vendor }: Route53Api, name: string, zones: readonly HostedZone[]): ProviderError {
  const ids = zones.map(idOf).toSorted().join(", ");
  return new ProviderError(
    `${vendor} has ${zones.length} hosted zones named ${name} (${ids}). Select one in the field hostedZoneIds of this provider configuration.`,
    "none",
  );
}

function idOf({ Id = "" }: HostedZone): string {
  return Id.replace("/hostedzone/", "");
}

/**
 * Returns a canonical name as Route 53 prints it: absolute, with all octets except letters, digits, hyphens and underscores in
 * octal.
 */
export function dnsName(name: string): string {
  const octal = toOctal(name).replaceAll(
    /[^\\\w.-]/g,
    (part) => `\\${part.charCodeAt(0).toString(8).padStart(3, "0")}`,
  );
  return `${octal}.`;
}
