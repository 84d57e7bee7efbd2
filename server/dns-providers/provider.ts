import type { z } from "zod";
import type { Egress } from "../platform/net/egress.ts";
import type { Pause } from "../platform/pause.ts";
import type { ReadRecord, RecordData } from "../dns/record.ts";
import type { ServerRules, ApexCname } from "../dns/zone-rules.ts";
import type { Soa } from "../dns/zone-file/contents.ts";
import type { AccountGate, Purpose, Quota, VendorAccounts } from "./vendor-api/accounts.ts";
import { qualifiedName } from "../dns/names/names.ts";
import { AppError } from "../platform/errors.ts";

/** A change to one record of a zone. An update keeps the record's id here; how the provider makes it is up to the adapter. */
export type RecordChange =
  | { action: "create"; before: null; after: RecordData }
  | { action: "update"; before: RecordData; after: RecordData }
  | { action: "delete"; before: RecordData; after: null };

/**
 * The outcome of one change, with the provider's own message if it refused. `gone`: an update broke off halfway, so neither the old
 * nor the new record is served. `unknown`: closed by force, outcome unknown; providers never return it.
 */
export type ChangeOutcome = { ok: true } | { ok: false; message: string; gone?: true; unknown?: true };

export interface ApplyOptions {
  /**
   * Makes all changes or none: one refusal refuses all. If earlier calls already made some, they are reported as made and the
   * caller undoes them. If false, each change stands on its own.
   */
  atomic?: boolean;
  /**
   * The fingerprint of the content that the changes were planned on; null or left out: unknown. If the zone still has that content,
   * the plan has already weighed zone rules, and violations that existed before may stay. Otherwise an adapter refuses changes that
   * break a zone rule together with records the caller has not seen, unless its back end does so itself.
   */
  plannedOn?: string | null;
  /** Whether the provider signed the zone when last read. Its serial then counts more than record changes. */
  signed?: boolean;
  /** Whether the changes undo ones made a moment ago, which a signed zone may not show yet. */
  undoes?: boolean;
  beforeCall?: BeforeCall;
}

/**
 * Awaited before each call that changes something, with the record changes that this one call makes; with none for a call that
 * undoes earlier ones. @throws ProviderError with effect `none` if the call must not be made.
 */
export type BeforeCall = (does: readonly RecordChange[]) => Promise<void>;

/** The result of `applyChanges`. `before` and `after` are fingerprints as `fingerprint` returns them; null where there is none. */
export interface ApplyResult {
  /** One per change, in the same order. */
  outcomes: ChangeOutcome[];
  /** Fingerprint of the content before the call. */
  before: string | null;
  /**
   * Fingerprint of the content that the call itself produced, regardless of later edits by others; `before` if it changed nothing.
   */
  after: string | null;
  /** Other records at the changed names that the provider dropped by itself, such as the DS of a deleted delegation. */
  dropped?: RecordData[];
  /** What `isSettled` takes, one for each call that changed something. Left out: the provider does not say when its servers have a change. */
  changeRefs?: readonly string[];
}

/** The fields of a record that provider limits depend on. */
export type LimitedRecord = Pick<RecordData, "recordType" | "name" | "value" | "strings" | "ttl" | "proxied">;

/**
 * Why a provider cannot store a record: the field at fault, and a reason that completes a sentence starting with the provider's
 * name.
 */
export interface Unsupported {
  field: "name" | "value" | "strings" | "ttl" | "proxied";
  reason: string;
}

/** How a zone differs from others of its kind in what it takes. */
export interface ZoneRefusals {
  /** Why it takes no change at all, as a sentence; null if it takes some. */
  everything: string | null;
  /** Why it does not take a record; null if it does. The reason completes a sentence starting with the provider's name. */
  record: (record: LimitedRecord) => Unsupported | null;
}

/** The capabilities of a provider. Plans are checked against them before anything is sent. */
interface ProviderCapabilities {
  /** Record types it can store, or `any`. */
  recordTypes: readonly string[] | "any";
  /** Whether `any` includes ALIAS, ANAME and LUA, which are types of single vendors. */
  vendorTypes?: boolean;
  /** Whether records of these types that a zone had may come back, although none can be added. */
  restoresVendorTypes?: true;
  supportsProxied: boolean;
  /** Smallest and largest TTL, in seconds. */
  minTtl: number;
  maxTtl: number;
  /**
   * The TTL that every zone accepts, if the smallest TTL differs between zones. For lower TTLs, `DnsProvider.minTtl` returns the
   * zone's.
   */
  anyZoneMinTtl?: number;
  /**
   * The smallest TTL of the vendor's own reference, if it was seen to accept lower ones. What clients send is raised to it; people may
   * set lower ones.
   */
  documentedMinTtl?: number;
  /** The only TTLs that it stores, in ascending order. Left out: all between the smallest and the largest. */
  ttls?: readonly number[];
  /** A special TTL that lets the provider choose: Cloudflare's 1. */
  automaticTtl?: number;
  /** The TTL that it then chooses, in seconds: used when such records move to a provider without an automatic TTL. */
  automaticSeconds?: number;
  /** The TTL that proxied records always have. */
  proxiedTtl?: number;
  /** Whether it stores a TXT as one text and splits it into character-strings itself. */
  cutsTexts?: true;
  /** Returns why it cannot store a record, beyond type, TTL and proxying; null if it can. */
  unsupportedReason?: (record: LimitedRecord) => Unsupported | null;
  /**
   * Returns why it cannot store an RRset although it can store each record of it; null if it can. The reason completes a sentence
   * starting with the provider's name.
   */
  unsupportedRrset?: (rrset: readonly LimitedRecord[]) => string | null;
  /**
   * Returns why a record is read-only, such as the vendor's own name servers at the apex or an alias with vendor-specific settings;
   * null for editable records. The reason completes a sentence starting with the provider's name.
   */
  readOnlyReason?: (record: LimitedRecord) => string | null;
  /**
   * What the name servers behind it reject a whole zone for, if the provider does not check that itself. Null or left out: nothing
   * known.
   */
  serverRules?: ServerRules | null;
  /** Its CNAME at the apex of a zone. Left out: there must be none. */
  apexCname?: ApexCname;
  /** What it stores in lower case: the owners of records, or all names, those in values, too. Left out: it stores names as written. */
  lowersCase?: "owners" | "names";
  /** Whether it can sign the zones that it serves. */
  signsZones?: true;
  /** Whether its API turns signing on and off (`DnsProvider.signing`). */
  turnsSigning?: true;
  /** Whether its connections report changes made elsewhere (`DnsProvider.watch`). */
  watchesZones?: true;
  /** Returns why it cannot hold a zone of this name, as a sentence; null if it can. Left out: it can hold any. */
  zoneFault?: (zone: string) => string | null;
  /** False if its API creates no zones: `DnsProvider.createZone` then only looks whether the zone exists. Left out: it creates them. */
  createsZones?: false;
  /** Whether one configuration can serve several views of a name. Its zones are then named with their view: `example.com!internal`. */
  separatesViews?: true;
  /**
   * The most calls that each instance makes to one account at the vendor's own address, somewhat fewer than the vendor allows. Left
   * out: no fixed limit is known, so only the vendor's refusals slow calls down.
   */
  callLimits?: readonly Quota[];
  /** The smallest unit that it changes at once. */
  granularity: "record" | "rrset" | "zone";
}

export interface ConfigField {
  name: string;
  label: string;
  /** Whether the value is stored encrypted and shown masked. */
  secret: boolean;
  required: boolean;
}

/** A kind of DNS back end: everything known about it without credentials. */
export interface ProviderKind<Config = unknown> extends ProviderCapabilities {
  /** Never changes: `Domain.providerId`. */
  id: string;
  kind: string;
  name: string;
  configFields: readonly ConfigField[];
  /** Fields that hold the address where the secrets are used. If one changes to another origin, the secrets must be sent again. */
  addresses: readonly string[];
  /** Validates a configuration's `config` object. */
  configSchema: z.ZodType<Config>;
  /** Accepts configurations that earlier versions stored, if those accepted more. */
  storedConfigSchema?: z.ZodType<Config>;
  /** Returns capabilities in which a configuration differs from its kind. */
  adjust?: (config: Config) => Partial<ProviderCapabilities>;
  /** Fields that do not determine where the zones are, and may change while domains use the configuration. */
  settings?: readonly string[];
  /** Whether Zonewright makes the serials of its zones, which go on from those of a zone that moves here. */
  makesSerials?: true;
  /** Of one zone: strict mirrors, which refuse what they cannot store. */
  strictMirrors?: readonly { name: string; kind: ProviderKind }[];
  /**
   * Returns the records that a new zone begins with, and whose types at the apex replace those of a zone that moves here. For kinds
   * without a back end.
   */
  initialRecords?: (config: Config) => RecordData[];
  /** Opens a connection. Null for `manual` and `primary`, whose records exist only in Zonewright. */
  connect: ((config: Config, environment: ProviderEnvironment) => DnsProvider) | null;
}

/** What the process provides to its connections. */
export interface ProviderEnvironment {
  /** Absolute folder of the embedded zone files (DATA_DIR/zones). */
  zonesFolder: string;
  /** Returns why that folder must not be used by this instance, or null. Left out: it may be used. */
  zonesFolderFault?: () => string | null;
  now: () => Date;
  /** Sends all calls to name servers and vendors. */
  egress: Egress;
  /** Defaults to real time. */
  pause?: Pause;
  /** State shared by all calls to an account, across connections. Left out: nothing is shared. */
  accounts?: VendorAccounts;
  /** The purpose of the calls; defaults to a waiting person. */
  purpose?: Purpose;
  /** Receives what counts the calls to the account, once for each client that the connection makes. */
  onGate?: (gate: AccountGate) => void;
}

/** All zones at a provider, sorted by name. */
export interface ListedZones {
  /** Lower-case A-labels without a trailing dot. */
  names: string[];
  /** Zones that cannot be managed, as the provider names them, with the reason as a sentence. */
  unusable: { name: string; reason: string }[];
}

/** Signs zones on request. */
export interface ZoneSigner {
  /** Turns signing on or off. Off deletes the keys, so turning it on again makes others. @throws ProviderError */
  set(zone: string, enabled: boolean): Promise<void>;
  /**
   * Returns the data of the DNSKEY records that the zone has or is about to have, or DS records as in a zone file where the provider
   * shows only these; none if it is not signed. @throws ProviderError
   */
  keys(zone: string): Promise<(Buffer | string)[]>;
  /**
   * Returns whether the zone is signed or about to be, for providers that may show no keys. Left out: it is if it has keys. @throws
   * ProviderError
   */
  isOn?(zone: string): Promise<boolean>;
  /** Returns how many keys it has beside these, such as inactive ones. `set` deletes them, too. Left out: it has none. @throws ProviderError */
  idleKeys?(zone: string): Promise<number>;
}

/** A connection with one set of credentials. Adapters handle paging, retries and the wire format, and nothing else. */
export interface DnsProvider {
  /**
   * How long, in seconds, a call without an answer stays undecided: until then it may still be carried out, or show only later.
   * Defaults to 0: a reading settles it at once.
   */
  readonly settlesAfterSeconds?: number;
  /** How long, in seconds, a reading may not show changes that were confirmed. Defaults to 0. */
  readonly readLagSeconds?: number;
  /** How long, in seconds, a signed zone may lag behind its changes, confirmed or not. Defaults to 0. */
  readonly signingLagSeconds?: number;
  /** @throws ProviderError */
  listZones(): Promise<ListedZones>;
  /** Creates the zone, empty, unless it exists. @throws ProviderError */
  createZone(zone: string): Promise<void>;
  /**
   * Streams the zone's records in batches, in canonical form. Records it does not understand are included; the SOA is not. In a
   * zone that the provider signs, the records that it maintains are marked `serverManaged`. @throws ProviderError
   */
  readZone(zone: string): AsyncIterable<ReadRecord[]>;
  /** Returns whether the provider signs the zone, if its records may not show that. @throws ProviderError */
  signs?(zone: string): Promise<boolean>;
  /** Left out: its API does not turn signing on and off. */
  readonly signing?: ZoneSigner;
  /** Makes the changes in order. @throws ProviderError if it is unknown which of them were made. */
  applyChanges(zone: string, changes: readonly RecordChange[], options?: ApplyOptions): Promise<ApplyResult>;
  /** Returns the zone's SOA; null if the provider does not show it. @throws ProviderError */
  readSoa(zone: string): Promise<Soa | null>;
  /**
   * Has the provider serve what is stored, if it does so only on request. `applyChanges` does it itself; call this for changes whose
   * outcome had to be read. @throws ProviderError with effect `unknown`
   */
  publish?(zone: string): Promise<void>;
  /**
   * Returns the zone's read-only records by `recordKey`, with the reason as `readOnlyReason` gives it, for providers whose records
   * do not show that themselves. Used for plans of whole zones. @throws ProviderError
   */
  readOnlyRecords?(zone: string): Promise<ReadonlyMap<string, string>>;
  /** Returns the vendor's own ids of the records by `recordKey`, for vendors whose tools name a record by one. @throws ProviderError */
  recordIds?(zone: string): Promise<ReadonlyMap<string, string>>;
  /** Returns the smallest TTL of this zone, in seconds, if it differs between zones. @throws ProviderError */
  minTtl?(zone: string): Promise<number>;
  /**
   * Returns how this zone refuses records that zones of the kind take, or null if it does not; also says so for all changes, as of a copy of
   * another server's zone. Plans ask before anything is sent. @throws ProviderError
   */
  refusalsOf?(zone: string): Promise<ZoneRefusals | null>;
  /** Returns whether all name servers of the provider have the change of a `changeRef`. Left out: it does not say so. @throws ProviderError */
  isSettled?(changeRef: string): Promise<boolean>;
  /** Calls `onChange` with a zone's name soon after anyone wrote its content. @returns a function that stops watching */
  watch?(onChange: (zone: string) => void): () => void;
  /**
   * Returns a fingerprint of the zone's content, cheaply, to detect changes made elsewhere; null if there is none. @throws
   * ProviderError
   */
  fingerprint(zone: string): Promise<string | null>;
}

/** Thrown when a provider refused, failed or could not be reached. `message` is meant for people and contains no secrets. */
export class ProviderError extends Error {
  /** `none`: nothing was changed. `unknown`: something may have been, and the zone must be read back. */
  readonly effect: "none" | "unknown";
  /** Whether the zone is missing at the provider. */
  readonly zoneMissing: boolean;
  /** Whether every call was answered. The zone can then be read back at once, because nothing is in flight. */
  readonly answered: boolean;
  /** The refusal itself, if `message` also says that undoing the rest failed; otherwise null. */
  readonly refusal: string | null;
  /** How long the provider accepts no calls, if that is the reason. */
  readonly pauseMilliseconds: number | null;

  constructor(
    message: string,
    effect: "none" | "unknown",
    options: {
      zoneMissing?: boolean;
      answered?: boolean;
      refusal?: string;
      pauseMilliseconds?: number | null;
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = "ProviderError";
    this.effect = effect;
    this.zoneMissing = options.zoneMissing ?? false;
    this.answered = options.answered ?? effect === "none";
    this.refusal = options.refusal ?? null;
    this.pauseMilliseconds = options.pauseMilliseconds ?? null;
  }

  /** Returns the same failure with effect `unknown`, for use after something was sent. */
  afterSending(): ProviderError {
    return new ProviderError(this.message, "unknown", { cause: this });
  }
}

/** Returns the name of a domain's zone at a provider. Views of a name that would share a zone get the same one. */
export function providerZoneOf({ separatesViews }: ProviderKind, domain: { name: string; view: string }): string {
  return separatesViews ? qualifiedName(domain) : domain.name;
}

/** Awaits a call to a provider and converts its failure. @throws AppError PROVIDER_ERROR */
export async function throughProvider<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof ProviderError) throw new AppError("PROVIDER_ERROR", error.message, { cause: error });
    throw error;
  }
}
