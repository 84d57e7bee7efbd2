import type { z } from "zod";
import type { Egress } from "../net/egress.ts";
import type { Pause } from "../platform/pause.ts";
import type { ReadRecord, RecordData } from "../dns/record.ts";
import type { ServerRules } from "../dns/server-rules/rules.ts";
import type { Soa } from "../dns/zone-file/soa.ts";
import type { Purpose, VendorAccounts } from "./vendor-api/accounts.ts";

/** One change to a zone. Updates keep the record's identity; a provider may carry them out as it likes. */
export type RecordChange =
  | { action: "create"; before: null; after: RecordData }
  | { action: "update"; before: RecordData; after: RecordData }
  | { action: "delete"; before: RecordData; after: null };

/**
 * What became of one change, in the provider's own words where it refused. `gone`: an update broke in the middle, so that neither the record
 * as it was is served nor the one that was to come. `unknown`: it was given up to find out; no provider says so.
 */
export type ChangeOutcome = { ok: true } | { ok: false; message: string; gone?: true; unknown?: true };

export interface ApplyOptions {
  /** All of them or none: one refusal refuses all. What earlier steps made is told as made, and the caller takes it back. Else each on its own. */
  together?: boolean;
  /**
   * The `fingerprint` of the content that the changes were planned on; null or left out: not known. Where the zone still has just
   * that content, the records that the changes make are those that the caller judged, and rules that they break were broken before
   * and are kept. Where it has other content, an adapter whose back end does not do so itself refuses changes that break a rule of
   * the zone together with records that the caller has not seen.
   */
  plannedOn?: string | null;
  /** Whether the provider signs the zone, as last read: its serial then counts more than changes of records. */
  signed?: boolean;
  /** The changes undo what was made a moment ago, which a zone that is signed may not show yet. */
  undoes?: boolean;
  beforeCall?: BeforeCall;
}

/**
 * Awaited before each call that changes something, with what just this call does, record by record; with nothing where it takes back what
 * earlier ones did. @throws ProviderError with effect `none` where no more may be sent; the call is then not made.
 */
export type BeforeCall = (does: readonly RecordChange[]) => Promise<void>;

/** What a call of `applyChanges` did. The marks are of the same kind as `fingerprint`, null where there is none. */
export interface ApplyResult {
  /** One for each change, in the same order. */
  outcomes: ChangeOutcome[];
  /** Mark of the content that the call found. */
  before: string | null;
  /** Mark of the content that the call itself made, whatever else happened to the zone since; `before` when it changed nothing. */
  after: string | null;
  /** Records of the names that were changed which the provider dropped by itself, such as the DS of a delegation that went. */
  dropped?: RecordData[];
}

/** What limits are about. */
export type LimitedRecord = Pick<RecordData, "recordType" | "name" | "value" | "strings" | "ttl" | "proxied">;

/** Why a provider cannot hold a record: the field at fault, and a reason that follows the provider's name in a sentence. */
export interface Unsupported {
  field: "name" | "value" | "strings" | "ttl" | "proxied";
  reason: string;
}

/** What a provider can do at all; the plan checks it before anything is sent. */
interface ProviderCapabilities {
  /** Types it can store, or `any`. */
  recordTypes: readonly string[] | "any";
  /** Whether "any" takes in ALIAS, ANAME and LUA, which are types of single vendors and not of DNS. */
  vendorTypes?: boolean;
  supportsProxied: boolean;
  /** Smallest and largest TTL in seconds. */
  minTtl: number;
  maxTtl: number;
  /** Where zones differ in the smallest: the TTL from which on every zone takes it. Below, `DnsProvider.minTtl` tells. */
  anyZoneMinTtl?: number;
  /** A TTL outside of those that leaves the choice to the provider: Cloudflare's 1. */
  automaticTtl?: number;
  /** What that choice is, in seconds: the TTL of such records where they move to a provider without one. */
  automaticSeconds?: number;
  /** The TTL that proxied records always have, whatever they are given. */
  proxiedTtl?: number;
  /** Whether it stores a TXT as one text and cuts it into character-strings itself, so that nobody else can. */
  cutsTexts?: true;
  /** What about a record it cannot hold beyond type, TTL and proxying. */
  unsupportedReason?: (record: LimitedRecord) => Unsupported | null;
  /** Why it cannot hold all these records of one name and type together, each of which it can; follows its name in a sentence. */
  unsupportedTogether?: (rrset: readonly LimitedRecord[]) => string | null;
  /**
   * Why it shows a record that is not to be changed through it, such as its own name servers at the apex or an alias with settings
   * that no other provider has; follows its name in a sentence. Null for all others.
   */
  keeps?: (record: LimitedRecord) => string | null;
  /** What the name servers behind it refuse a whole zone for, and it does not check itself. Null or left out: nothing, as far as is known. */
  serverRules?: ServerRules | null;
  /** Whether it may sign the zones that it serves. */
  signsZones?: true;
  /** Whether its connections report changes that others make (`DnsProvider.watch`). */
  watchesZones?: true;
  /** The smallest thing that it can change at once. */
  granularity: "record" | "rrset" | "zone";
}

export interface ConfigField {
  name: string;
  label: string;
  /** Stored encrypted and shown masked. */
  secret: boolean;
  required: boolean;
}

/** A kind of DNS back end: everything that is true of it without credentials. */
export interface ProviderKind<Config = unknown> extends ProviderCapabilities {
  /** Fixed for ever: `Domain.providerId`. */
  id: string;
  kind: string;
  name: string;
  configFields: readonly ConfigField[];
  /** Fields with the address that the secrets are used at: where its origin changes, they must be sent again. */
  addresses: readonly string[];
  /** Validates a configuration's `config` object. */
  configSchema: z.ZodType<Config>;
  /** The same for what earlier versions let in and stored, where that is more. */
  storedConfigSchema?: z.ZodType<Config>;
  /** What one configuration can do other than the kind at large. */
  adjust?: (config: Config) => Partial<ProviderCapabilities>;
  /** Fields that do not say where the zones are: they may change while domains use the configuration. */
  settings?: readonly string[];
  /** Null for `manual`: its records live in Zonewright only. */
  connect: ((config: Config, environment: ProviderEnvironment) => DnsProvider) | null;
}

/** What the process lends to a provider. */
export interface ProviderEnvironment {
  /** Absolute folder of the embedded zone files (DATA_DIR/zones). */
  zonesFolder: string;
  /** Why that folder must not be used here; null or left out: it may. */
  zonesFolderFault?: () => string | null;
  now: () => Date;
  /** The door for calls to name servers and vendors. */
  egress: Egress;
  /** Real time when left out. */
  pause?: Pause;
  /** What calls to vendors' accounts share over all connections; nothing is shared when left out. */
  accounts?: VendorAccounts;
  /** For whom the connection is made; a person when left out. */
  purpose?: Purpose;
}

/** A connection to one set of credentials. Adapters do paging, retries and wire format, and nothing else. */
export interface DnsProvider {
  /**
   * For how many seconds after a call that ended without an answer it is not settled that what a reading does not show was not done: it
   * may still be carried out, and shown later than that. 0 when left out: what is read is what came of it.
   */
  readonly settlesAfterSeconds?: number;
  /** For how many seconds a reading may not show what was answered as done. 0 when left out. */
  readonly readLagSeconds?: number;
  /** The same for a zone that it signs: a signer may publish later than the provider answers, whether it answered or not. 0 when left out. */
  readonly signingLagSeconds?: number;
  /** Names of all zones there, lower-case A-labels without a trailing dot. @throws ProviderError */
  listZones(): Promise<string[]>;
  /** Makes sure that the zone exists, empty if it is new. @throws ProviderError */
  createZone(zone: string): Promise<void>;
  /**
   * Streams the zone's records in batches, canonical, keeping what it does not understand. SOA is left out. In a zone that the provider signs,
   * the records that it maintains are marked. @throws ProviderError
   */
  readZone(zone: string): AsyncIterable<ReadRecord[]>;
  /** Whether the provider signs the zone, where marked records need not tell. @throws ProviderError */
  signs?(zone: string): Promise<boolean>;
  /**
   * Carries out the changes in order.
   * @throws ProviderError when it cannot say which of them took place.
   */
  applyChanges(zone: string, changes: readonly RecordChange[], options?: ApplyOptions): Promise<ApplyResult>;
  /** The zone's SOA; null where the provider shows none. @throws ProviderError */
  readSoa(zone: string): Promise<Soa | null>;
  /**
   * Which of the zone's records it keeps as its own, by `recordKey`, and why (what `keeps` says), where the records themselves do not
   * tell. For plans about a whole zone. @throws ProviderError
   */
  keptRecords?(zone: string): Promise<ReadonlyMap<string, string>>;
  /** The smallest TTL that this zone takes, in seconds, where zones differ in it. @throws ProviderError */
  minTtl?(zone: string): Promise<number>;
  /** Calls `onChange` with a zone's name soon after its content was written, by whomever. @returns what ends it */
  watch?(onChange: (zone: string) => void): () => void;
  /** A cheap mark of the zone's present content, to notice changes made elsewhere; null where there is none. */
  fingerprint(zone: string): Promise<string | null>;
}

/** The provider refused, failed or could not be reached. `message` is for people and carries no secret. */
export class ProviderError extends Error {
  /** `none`: nothing was changed. `unknown`: some of it may have been; the zone must be read back. */
  readonly effect: "none" | "unknown";
  /** Whether the zone does not exist at the provider. */
  readonly zoneMissing: boolean;
  /** Whether every call was answered, so that nothing more comes of them: what there is can be read at once. */
  readonly answered: boolean;
  /** Why a set was not made, where the message goes on with what became of taking back what had been done of it; else null. */
  readonly refusal: string | null;
  /** For how long it takes no calls at all, where that is why. */
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

  /** The same failure after something was sent: whatever it says of itself, the zone must be read back. */
  afterSending(): ProviderError {
    return new ProviderError(this.message, "unknown", { cause: this });
  }
}
