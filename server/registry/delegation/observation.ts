import type { Ds, ZoneKey } from "../../dns/dnssec/keys.ts";

/** What the zone above says. `hidden`: its servers serve this zone too, and show only its own NS records. */
export type ParentSeen =
  | {
      kind: "delegated";
      zone: string;
      nameServers: string[];
      glue: { name: string; address: string }[];
      /** Null: not known. */
      ds: Ds[] | null;
    }
  | { kind: "hidden"; zone: string; ds: Ds[] | null }
  | { kind: "not_delegated"; zone: string }
  | { kind: "unknown"; message: string };

/** What the zone says at its apex. Null: no server answered. */
export interface ApexSeen {
  nameServers: string[] | null;
  keys: ZoneKey[] | null;
}

export type ServerState = "authoritative" | "lame" | "unreachable" | "no_address" | "not_checked";

/** One address of a name server; null if it has none, or none is known. */
export interface ServerSeen {
  name: string;
  address: string | null;
  state: ServerState;
  serial: number | null;
  /** What went wrong; null if nothing did. */
  detail: string | null;
  /** Whether the rules, or a missing route, keep this machine from asking it. Default: false. */
  barred?: boolean;
}

/** `missing`: the name does not exist; `no_address`: it exists, without an address. */
export type TargetState = "exists" | "missing" | "no_address" | "unknown";

/** A record that points to a name. */
export interface Pointer {
  /** Relative to the zone. */
  name: string;
  recordType: string;
  target: string;
}

/** All that a check saw. */
export interface Observation {
  zone: string;
  parent: ParentSeen;
  apex: ApexSeen;
  servers: ServerSeen[];
  /** The addresses of name servers within the zone, as the zone says; null: not known. */
  ownAddresses: Record<string, string[] | null>;
  pointers: Pointer[];
  targets: ReadonlyMap<string, TargetState>;
  /** Names pointed to beyond the limit. */
  skipped: number;
}
