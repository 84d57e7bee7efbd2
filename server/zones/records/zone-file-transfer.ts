import { outsideRights, type Rights } from "../../access/zone-access.ts";
import type { Caller, ZoneScope } from "../../access/caller.ts";
import type { EntityManager } from "../../database/database.ts";
import { AppError } from "../../platform/errors.ts";
import { realPause } from "../../platform/pause.ts";
import { located, type FormatReading, type FormatRecord } from "../../dns/formats/format.ts";
import { openText, writingIn, type ReadableFormat, type WritableFormat } from "../../dns/formats/formats.ts";
import { initialSoa } from "../../dns/zone-file/contents.ts";
import type { Followers, FollowOutcome, FollowPlan } from "../changes/follows.ts";
import { aligningTtls, planningState, type Desired } from "../../dns/desired-state.ts";
import type { ProviderKind } from "../../dns-providers/provider.ts";
import { defaultTtlAt, ttlAt } from "./editing/drafts.ts";
import { domainIdOf } from "../domains/identity.ts";
import { qualifiedName } from "../../dns/names/names.ts";
import { judgeChanges } from "./judge-changes.ts";
import { liveZone, managedZone, zoneAt, type ZoneSize } from "../changes/state/live-queries.ts";
import { withoutManaged } from "../../dns/zone-file/type-names.ts";
import {
  loweredNames,
  mostWarnings,
  notEndless,
  privateAddressWarnings,
  signatureWarnings,
  unproxiedWarnings,
} from "./warnings.ts";
import { requireStored } from "../changes/state/past-zone.ts";
import type { ChangePipeline, Planned } from "../changes/pipeline.ts";
import { lockWarning, type Explained, type ReviewPolicy } from "../changes/locks-and-reviews.ts";
import type { ZoneContext } from "../changes/zone-context.ts";
import { leftRecords, withTtlsOfLeft } from "./left-records.ts";
import type { LeftOwner } from "./whole-zone-schemas.ts";
import {
  lossPercent,
  lossWarning,
  refuseLoss,
  countsView,
  commentedPlanView,
  comparisonHash,
  refuseOtherComparison,
  refuseOtherZone,
} from "./editing/reviewed-plan.ts";
import { kindOfZone, partingReadOnly, readOnlyAtProvider, readOnlyWarnings, asHeld } from "./provider-limits.ts";
import {
  isActive,
  recordKey,
  recordLabel,
  rrsetKey,
  type LiveRecord,
  type PlannedChange,
  type RecordData,
} from "../../dns/record.ts";
import { filtered, flatMapped, grouped, inSlices, mapped, type Steps } from "../../platform/slices.ts";
import { fileRefused, providerRefusals, refuseHalfDone } from "./editing/plan-edits.ts";

type ReadableZone = Extract<FormatReading, { ok: true }>;

/** How long an export waits for its provider's SOA, and for the ids of all records. */
const soaMilliseconds = 3_000;
const idsMilliseconds = 15_000;

/** Returns what a provider answers; undefined if it fails, or does not answer in time. */
async function inTime<T>(answer: Promise<T> | undefined, milliseconds: number): Promise<T | undefined> {
  if (answer === undefined) return undefined;
  return await Promise.race([answer.catch(() => undefined), realPause(milliseconds).then(() => undefined)]);
}

/** @param instead what a provider showed instead of its SOA: nothing, or no answer in time */
function noteOfSoa(instead: "no provider" | null | undefined): string {
  if (instead === "no provider") return "SOA written by Zonewright.";
  const why = instead === null ? "does not show its own" : "did not answer";
  return `SOA written by Zonewright: the provider ${why}.`;
}

/** A text that a zone is compared with. */
type GivenText = Explained & {
  zonefile: string;
  mode: "merge" | "replace";
  format: ReadableFormat;
  lenient: boolean;
  ignoreOutOfZone: boolean;
  ignore: readonly string[];
  leave: readonly LeftOwner[];
};

/** Begins a zone that does not exist yet. @param check runs before the provider is asked */
export type BeginZone = (
  check: (named: Pick<ZoneContext, "name" | "kind">) => Promise<void>,
) => Promise<{ zone: ZoneContext; live: readonly LiveRecord[] }>;

/** How a zone differs from a text, and what follows if it becomes equal to it. */
interface ComparedZone extends Planned {
  zone: ZoneContext;
  size: ZoneSize;
  unchanged: number;
  left: number;
  warnings: string[];
  followed: FollowPlan;
}

/** Returns what an import answers of its plan. @param shows whether the answer has the plan itself */
async function comparisonView({ changes, size, unchanged, left, warnings, followed }: ComparedZone, shows: boolean) {
  return {
    ...countsView(changes),
    unchanged,
    left,
    lossPercent: lossPercent(changes, size),
    warnings,
    plan: shows ? { ...(await commentedPlanView(changes)), warnings, reverse: followed.listed } : null,
  };
}

const followedByNone: FollowPlan = { listed: [], warnings: [], follows: [], hashed: [] };

/** Exports and imports zones as master files. */
export class ZoneFileTransfer {
  readonly #pipeline: ChangePipeline;
  readonly #followers: Followers;
  readonly #review: ReviewPolicy;
  readonly #now: () => Date;

  constructor(pipeline: ChangePipeline, followers: Followers, review: ReviewPolicy, now: () => Date) {
    this.#pipeline = pipeline;
    this.#followers = followers;
    this.#review = review;
    this.#now = now;
  }

  /**
   * Returns the zone in a format, in pieces that follow one another. A zone file can be loaded by a name server: it has the SOA of the zone's
   * provider, or a generated one if the provider does not say it soon. Callers who may see only some hosts get only the records of those.
   * @throws AppError HISTORY_GONE for a revision whose state is no longer stored
   */
  async export(
    em: EntityManager,
    caller: Caller,
    {
      id,
      revision,
      serverManaged,
      format = "zonefile",
    }: {
      id: string;
      revision?: number | undefined;
      serverManaged: "true" | "false";
      format?: WritableFormat;
    },
  ) {
    const zone = await this.#pipeline.zone(em, caller, id, "read", { isStoredEnough: true });
    const { sees } = zone.rights;
    const stored = revision === undefined ? await liveZone(em, id, sees) : await pastZone(em, id, revision, sees);
    // As last read: server-managed records of earlier revisions are not stored.
    const maintained = serverManaged === "true" && revision === undefined ? await managedZone(em, id, sees) : [];
    const records = [...withoutManaged(stored, zone.signed), ...maintained];
    const { provider, providerZone } = zone;
    const [served, ids] = await Promise.all([
      inTime(provider?.readSoa(providerZone), soaMilliseconds),
      format === "terraform" ? inTime(provider?.recordIds?.(providerZone), idsMilliseconds) : undefined,
    ]);
    const soa = served ?? { ...initialSoa(zone.name, this.#now()), serial: Math.max(1, zone.revision) };
    const soaNote = served ? undefined : noteOfSoa(provider === null ? "no provider" : served);
    const content = { zone: zone.name, soa, soaNote, records, isPart: !sees.isAll, provider: zone.kind.kind, ids };
    return await inSlices(await writingIn(format, content));
  }

  /**
   * Merges a master file into the zone, or replaces the zone by it, after a snapshot. Only the owner and administrators may replace a zone.
   * @throws AppError BAD_REQUEST with an issue for each bad line, FORBIDDEN, CONFLICT when the result would break a zone rule,
   * CONFIRMATION_REQUIRED above the safety threshold; nothing is changed then
   */
  async import(
    em: EntityManager,
    caller: Caller,
    input: GivenText & { id: string; dryRun: boolean; force: boolean; planHash?: string | undefined },
  ) {
    const need = input.mode === "replace" ? "manage" : "write";
    const plan = async (reader: EntityManager, zone: ZoneContext) => {
      refuseOtherZone(input, zone);
      const readLive = async () => withoutManaged(await liveZone(reader, zone.id, zone.rights.sees), zone.signed);
      return await this.#planned(reader, caller, { zone, readLive }, input);
    };
    const { planned, reverse, revision } = input.dryRun
      ? {
          planned: await this.#pipeline.dryRun(em, { domainId: input.id, caller, need, plan }),
          reverse: [],
          revision: null,
        }
      : await this.#import(em, caller, {
          domainId: input.id,
          need,
          message: input.message,
          override: input.override,
          unlock: input.unlock,
          plan,
        });
    const planHash = input.dryRun ? await comparisonHash(planned.zone, planned.changes) : null;
    return { ...(await comparisonView(planned, input.dryRun)), revision, reverse, planHash };
  }

  /** Plans an import, and changes nothing. @throws AppError as `import` does */
  async plan(em: EntityManager, caller: Caller, input: GivenText & { id: string }) {
    return await this.import(em, caller, { ...input, dryRun: true, force: false });
  }

  /**
   * Plans what a change request would change to make the records that the caller may propose changes of equal to a text. Others are not
   * compared, in the zone or in the text. Changes nothing.
   * @param input `id` may also be the domain's name
   * @throws AppError as `import` does
   */
  async planRequest(em: EntityManager, caller: Caller, input: GivenText & { id: string }) {
    const domainId = await domainIdOf(em, caller, input.id);
    const planned = await this.#pipeline.dryRun(em, {
      domainId,
      caller,
      need: "propose",
      plan: async (reader, zone) => {
        const readLive = async () => withoutManaged(await liveZone(reader, zone.id, zone.rights.sees), zone.signed);
        const given = { ...input, dryRun: true, force: false };
        return await this.#planned(reader, caller, { zone, readLive, isPartial: true }, given);
      },
    });
    const planHash = await comparisonHash(planned.zone, planned.changes);
    const domainName = qualifiedName(planned.zone);
    return { ...(await comparisonView(planned, true)), revision: null, reverse: [], planHash, domainId, domainName };
  }

  /** Plans what makes a domain that does not exist yet equal to a text. @throws AppError as `import` does */
  async planNew(em: EntityManager, caller: Caller, begin: BeginZone, input: Omit<GivenText, "mode">) {
    // A text that cannot be read is not worth a call to the provider.
    let reading: ReadText | null = null;
    const { zone, live } = await begin(async (named) => void (reading = await readText(named, input)));
    const planned = await this.#planned(
      em,
      caller,
      { zone, readLive: () => Promise.resolve(live), isNew: true, reading },
      { ...input, mode: "replace", dryRun: true, force: false },
    );
    const needsReview = this.#review.requires(zone, { role: caller.role, changes: planned.changes });
    const view = await comparisonView(planned, true);
    return { ...view, revision: null, reverse: [], planHash: null, needsReview, providerZone: zone.providerZone };
  }

  async #planned(
    reader: EntityManager,
    caller: Caller,
    {
      zone,
      readLive,
      isNew = false,
      isPartial = false,
      reading = null,
    }: {
      zone: ZoneContext;
      readLive: () => Promise<readonly LiveRecord[]>;
      isNew?: boolean;
      /** Compares only records that the caller may change, instead of refusing a text with others. */
      isPartial?: boolean;
      reading?: ReadText | null;
    },
    input: GivenText & { dryRun: boolean; force: boolean; planHash?: string | undefined },
  ) {
    const { lenient } = input;
    const { text, parsed } = reading ?? (await readText(zone, input));
    // Only for a text that can be read.
    const live = await readLive();
    const isWithin = (record: RecordData) => outsideRights(record, zone.rights) === null;
    const isWhole = !isPartial || zone.rights.owns;
    const within = isWhole ? live : await inSlices(filtered(live, isWithin));
    const read = isWhole ? parsed.records : await inSlices(filtered(parsed.records, ({ record }) => isWithin(record)));
    const disabled = isWhole ? parsed.disabled : parsed.disabled.filter(({ record }) => isWithin(record));
    const left = await leftRecords(reader, zone.id, within, input);
    const isAllOwn = input.ignore.length === 0 && input.leave.length === 0;
    const own = isAllOwn ? read : await inSlices(filtered(read, ({ record }) => !left.isLeft(record)));
    const desired = await inSlices(mapped(own, asDesired));
    const records = withoutManaged(desired, zone.signed);
    const held = await inSlices(asHeld(records, zone.kind));
    const proxied = await inSlices(stillProxied(live, held.records, parsed.records, zone.kind));
    const { records: given, warnings: keptTtls } = await inSlices(withTtlsOfLeft(proxied, left));
    const off = await inSlices(newDisabled(live, disabled));
    const isMissing = (record: LiveRecord) => isActive(record) && !text.holds(record.recordType);
    const others = input.mode === "merge" ? [] : await inSlices(filtered(within, isMissing));
    const isOwn = (record: LiveRecord) => !left.ids.has(record.id) && (input.mode === "merge" || !isMissing(record));
    const inFiles = others.length === 0 && left.ids.size === 0 ? within : await inSlices(filtered(within, isOwn));
    const staying = input.mode === "merge" ? "all" : "disabled";
    const state = await inSlices(planningState(inFiles, [...given, ...off.map(asDisabled)], staying));
    const aligned = left.ids.size === 0 ? live : await inSlices(filtered(live, ({ id }) => !left.ids.has(id)));
    const wanted = await inSlices(aligningTtls(aligned, state.changes));
    await refuseBeyondRights(given, wanted, zone.rights);
    const { changes, readOnly } = await inSlices(
      partingReadOnly(wanted, zone.kind, await readOnlyAtProvider(zone, wanted)),
    );
    const kind = await kindOfZone(zone, await inSlices(mapped(changes, ({ after }) => after?.ttl)));
    const judged = { ...zone, kind };
    const broken = distinct((await judgeChanges(reader, judged, live, changes)).values());
    const refused = lenient
      ? distinct((await judgeChanges(reader, judged, live, changes, "servers")).values())
      : broken;
    if (refused.length > 0) throw fileRefused("CONFLICT", refused);
    const size = {
      records: zone.rights.sees.isAll ? zone.recordCount : live.length,
      active: (await inSlices(filtered(live, isActive))).length,
    };
    const followed = isNew ? followedByNone : await this.#followers.plan(reader, caller, zone, changes);
    // Not those of other zones: imports that are planned together may each list the PTR change that the first of them makes.
    await refuseOtherComparison(input, zone, changes);
    if (!input.dryRun) refuseLoss(changes, size, { force: input.force });
    const loss = lossWarning(changes, size);
    const warnings = [
      ...parsed.warnings.map(located),
      ...outOfZoneWarnings(parsed.outOfZone, zone.name),
      ...uncoveredWarnings(parsed.records.length - read.length + parsed.disabled.length - disabled.length),
      ...disabledWarnings(off),
      ...notEndless(keptTtls),
      ...left.warnings,
      ...notEndless(others.filter(({ id }) => !left.ids.has(id)).map(otherTypeWarning)),
      ...broken.map((reason) => `Kept although it breaks a rule: ${reason}`),
      ...managedWarnings(desired.length - records.length),
      ...notEndless(await inSlices(unproxiedWarnings(zone.kind, changes))),
      ...(await inSlices(privateAddressWarnings(zone, changes))),
      ...(await inSlices(loweredNames(zone.kind, changes))),
      ...(isNew ? [] : await signatureWarnings(reader, zone, changes)),
      ...notEndless(held.warnings),
      ...notEndless(readOnlyWarnings(readOnly)),
      ...notEndless(await inSlices(ttlWarnings(given, changes))),
      ...notEndless(followed.warnings.map(({ text }) => text)),
    ];
    const locked = input.unlock ? null : lockWarning(changes);
    if (input.dryRun) warnings.push(...[locked, loss].filter((warning) => warning !== null));
    const isAll = off.length === 0 && (await inSlices(haveSameIds(changes, state.changes)));
    const unchanged = isAll ? state.unchanged : await inSlices(countUnchanged(live, given, changes));
    return { zone, changes, size, unchanged, left: left.ids.size, warnings, followed, follows: followed.follows };
  }

  async #import<P extends Planned>(
    em: EntityManager,
    caller: Caller,
    request: Explained & {
      domainId: string;
      need: "write" | "manage";
      plan: (reader: EntityManager, zone: ZoneContext) => Promise<P>;
    },
  ): Promise<{ planned: P; reverse: FollowOutcome[]; revision: number | null }> {
    const { planned, outcomes, reverse, newRevision } = await this.#pipeline.run(em, {
      ...request,
      caller,
      kind: "import",
      atomic: true,
      bookmarkBefore: true,
    });
    const refused = [...providerRefusals(planned.changes, outcomes).values()];
    const [first] = refused;
    if (first === undefined) return { planned, reverse, revision: newRevision };
    refuseHalfDone(outcomes, first);
    throw fileRefused("CONFLICT", refused);
  }
}

/** Reads a text for a zone. @throws AppError BAD_REQUEST with an issue for each bad line */
async function readText(
  { name: zone, kind }: Pick<ZoneContext, "name" | "kind">,
  { zonefile, format, ignoreOutOfZone, lenient }: Omit<GivenText, "mode">,
) {
  const { automaticTtl, supportsProxied } = kind;
  const options = { zone, ignoreOutOfZone, lenient, defaultTtl: defaultTtlAt(kind), automaticTtl, supportsProxied };
  const text = await openText(zonefile, format);
  if (!text.ok) throw unreadable(text.errors);
  const parsed = await inSlices(text.read(options));
  if (!parsed.ok) throw unreadable(parsed.errors);
  refuseForeignFile(parsed, zone);
  return { text, parsed };
}

type ReadText = Awaited<ReturnType<typeof readText>>;

/** Returns a zone's records at a revision. @throws AppError HISTORY_GONE; BAD_REQUEST for a revision in the future */
async function pastZone(
  em: EntityManager,
  domainId: string,
  revision: number,
  hosts: ZoneScope,
): Promise<LiveRecord[]> {
  await requireStored(em, domainId, revision, "revision");
  return await zoneAt(em, domainId, revision, hosts);
}

function managedWarnings(count: number): string[] {
  if (count === 0) return [];
  const records = count === 1 ? "1 DNSSEC record" : `${count} DNSSEC records`;
  return [`Skipped ${records}: the name server signs this zone and maintains them itself.`];
}

/**
 * Refuses a file that changes records beyond the caller's rights. It may repeat records that the caller sees; whether it repeats others is not
 * revealed.
 * @throws AppError FORBIDDEN with an issue for each record
 */
async function refuseBeyondRights(
  given: readonly RecordData[],
  changes: readonly PlannedChange[],
  rights: Rights,
): Promise<void> {
  if (rights.owns) return;
  const messages = new Set<string>();
  const note = (record: RecordData | null) => {
    const message = record && outsideRights(record, rights);
    if (message !== null) messages.add(message);
  };
  await inSlices(mapped(given, (record) => !rights.sees.includes(record) && note(record)));
  await inSlices(mapped(changes, ({ before, after }) => [note(before), note(after)]));
  if (messages.size > 0) throw fileRefused("FORBIDDEN", [...messages]);
}

/** Refuses a file without records of the zone: it belongs to another zone and would empty this one. @throws AppError BAD_REQUEST */
function refuseForeignFile({ records, soa, outOfZone }: ReadableZone, zone: string): void {
  const [first] = outOfZone;
  if (first === undefined || records.length > 0 || soa !== null) return;
  throw unreadable([
    { line: first.line, message: `The file has no records of ${zone}; its first record is for ${first.name}.` },
  ]);
}

/** Returns the warning about records of the text that are not compared, because the caller may not propose changes of them. */
function uncoveredWarnings(count: number): string[] {
  if (count === 0) return [];
  const records = count === 1 ? "1 record" : `${count} records`;
  return [`Skipped ${records} of the file: you may not request changes of ${count === 1 ? "it" : "them"}.`];
}

const mostLinesNamed = 10;

/** Returns the warning about the records skipped because of `ignoreOutOfZone`, which names the first of them. */
function outOfZoneWarnings(outOfZone: ReadableZone["outOfZone"], zone: string): string[] {
  if (outOfZone.length === 0) return [];
  const named = outOfZone.slice(0, mostLinesNamed).map(({ line, name }) => `line ${line} (${name})`);
  const more = outOfZone.length > named.length ? ` and ${outOfZone.length - named.length} more` : "";
  const records = outOfZone.length === 1 ? "1 record" : `${outOfZone.length} records`;
  return [`Skipped ${records} outside ${zone}: ${named.join(", ")}${more}.`];
}

/** Returns the disabled records of the file that the zone does not have, be they active or disabled there. */
function* newDisabled(live: readonly LiveRecord[], disabled: readonly FormatRecord[]): Steps<FormatRecord[]> {
  if (disabled.length === 0) return [];
  const keys = new Set(yield* mapped(live, recordKey));
  return yield* filtered(disabled, ({ record }) => !keys.has(recordKey(record)));
}

function asDisabled(one: FormatRecord): Desired {
  return { ...asDesired(one), status: "disabled" };
}

function disabledWarnings(disabled: readonly FormatRecord[]): string[] {
  const [first, ...others] = disabled.map(({ line }) => line);
  if (first === undefined) return [];
  const alsoLines = others.slice(0, mostLinesNamed - 1);
  const moreLines = others.length - alsoLines.length;
  return [located({ line: first, alsoLines, moreLines, message: "Imported as disabled, as it was exported." })];
}

/** Warns of a record that the text's format can have only as a comment, so that its absence says nothing. */
function otherTypeWarning(record: LiveRecord): string {
  return `Kept: ${recordLabel(record)}. A file of this format cannot have a record of this type; delete it by itself if it is to go.`;
}

/** Returns a record as it is to be. A comment that the file does not have is not removed. */
function asDesired({ record, comment }: FormatRecord): Desired {
  return comment === null ? record : { ...record, comment };
}

/**
 * Keeps records proxied, with the TTL that goes with it, unless the file says that they are not: most files do not say.
 * @param read the records as the file has them
 */
function* stillProxied(
  live: readonly LiveRecord[],
  given: readonly Desired[],
  read: readonly FormatRecord[],
  kind: ProviderKind,
): Steps<readonly Desired[]> {
  const proxied = yield* filtered(live, (record) => record.proxied);
  if (proxied.length === 0 && !given.some((record) => record.proxied)) return given;
  const plain = yield* filtered(read, (one) => one.proxied === false);
  const unproxied = new Set(yield* mapped(plain, ({ record }) => recordKey(record)));
  const ttls = new Map(proxied.map((record) => [rrsetKey(record), record.ttl]));
  const bare = new Set(yield* flatMapped(live, (record) => (record.proxied ? [] : [recordKey(record)])));
  return yield* mapped(given, (record) => {
    if (record.proxied) return { ...record, ttl: ttlAt(kind, true, record.ttl) };
    const key = recordKey(record);
    const ttl = bare.has(key) || unproxied.has(key) ? undefined : ttls.get(rrsetKey(record));
    return ttl === undefined ? record : { ...record, ttl, proxied: true };
  });
}

/** Warns of records that take a TTL from the file without being in it, because an RRset has one TTL. */
function* ttlWarnings(given: readonly RecordData[], changes: readonly PlannedChange[]): Steps<string[]> {
  const timed = yield* flatMapped(changes, ({ action, before, after }) =>
    action === "update" && before.ttl !== after.ttl ? [after] : [],
  );
  if (timed.length === 0) return [];
  const keys = new Set(yield* mapped(given, recordKey));
  const followers = yield* filtered(timed, (after) => !keys.has(recordKey(after)));
  return [...(yield* grouped(followers, rrsetKey)).values()].map((records) => {
    const [{ name, recordType, ttl } = { name: "", recordType: "", ttl: 0 }] = records;
    const others = records.length === 1 ? "1 other record" : `${records.length} other records`;
    return `The TTL ${ttl} now also applies to ${others} of ${name} ${recordType}: an RRset has one TTL.`;
  });
}

/** Returns whether two lists of changes are for the same records. */
function* haveSameIds(some: readonly PlannedChange[], others: readonly PlannedChange[]): Steps<boolean> {
  if (some.length !== others.length) return false;
  const ids = new Set(yield* mapped(some, ({ id }) => id));
  return (yield* filtered(others, ({ id }) => !ids.has(id))).length === 0;
}

/** Counts the records of the file that the zone already has. */
function* countUnchanged(
  live: readonly LiveRecord[],
  given: readonly RecordData[],
  changes: readonly PlannedChange[],
): Steps<number> {
  if (live.length === 0) return 0;
  const keys = new Set(yield* mapped(given, recordKey));
  const changed = new Set(yield* mapped(changes, ({ id }) => id));
  return (yield* filtered(live, (record) => !changed.has(record.id) && keys.has(recordKey(record)))).length;
}

/** Returns the first reasons, each once. */
function distinct(reasons: Iterable<readonly string[]>): string[] {
  const found = new Set<string>();
  for (const some of reasons) {
    for (const reason of some) found.add(reason);
    if (found.size > mostWarnings) break;
  }
  return [...found];
}

function unreadable(errors: readonly { line: number; message: string }[]): AppError {
  const [first] = errors;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more, see issues)` : "";
  return new AppError(
    "BAD_REQUEST",
    `Line ${first?.line ?? 1}: ${first?.message ?? "the zone file cannot be read"}${more}`,
    {
      issues: errors.map(({ line, message }) => ({ path: ["zonefile", line], message: `Line ${line}: ${message}` })),
    },
  );
}
