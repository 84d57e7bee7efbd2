import { sql } from "kysely";
import type { Caller } from "../../access/caller.ts";
import { jsonRows, queries, type EntityManager } from "../../database/database.ts";
import { newId } from "../../platform/ids.ts";
import { inChunks } from "../../platform/slices.ts";
import type { ReverseMode } from "../../database/tables/domains.ts";
import type { PlannedChange, StatedData } from "../../dns/record.ts";
import { versionsNamed } from "./state/past-zone.ts";

/** An address whose PTR records must follow a change. */
export interface FollowItem {
  address: string;
  /** Where its PTR records are, relative to the reverse zone. */
  owner: string;
  /** Full names that received the address. */
  gained: string[];
  /** Full names that lost it. */
  lost: string[];
  /** Names that received it as written, where they have capitals. */
  written?: Record<string, string> | undefined;
  /** Names that kept it and are written in another case now. */
  respelled?: string[] | undefined;
  /** For a revert: the PTR records that the address had before. A new one is made like that of its name. */
  former?: FormerPointer[] | undefined;
  /** For a revert in a job: no other name gets a new PTR record. The name that had it may be in a domain whose turn is still to come. */
  onlyFormer?: boolean | undefined;
}

/** A PTR record as it was before a change set that is reverted. */
export interface FormerPointer {
  value: string;
  writtenValue?: string | undefined;
  ttl: number;
  comment: string | null;
}

/** What one reverse zone must do after a change set of another zone. It says what to look at; the records are read when it is done. */
export interface Follow {
  /** The reverse zone. */
  domainId: string;
  items: FollowItem[];
}

/** A PTR change that belongs to a plan, as answers show it. Fields that the caller may not see are null. */
export interface FollowedChange {
  address: string;
  domainId: string | null;
  domainName: string | null;
  action: PlannedChange["action"] | null;
  recordId: string | null;
  record: StatedData | null;
  before: StatedData | null;
  included: boolean;
  /** Why it is not included; null if it is, or can be. */
  reason: string | null;
}

export interface FollowWarning {
  /** For the caller of the plan. */
  text: string;
  /** For others who read the plan: without names of the reverse zone. */
  shared: string;
}

export interface FollowPlan {
  listed: FollowedChange[];
  warnings: FollowWarning[];
  /** What is included, for the change pipeline. */
  follows: Follow[];
  /** The included changes, for the plan's hash. */
  hashed: string[];
}

/** The outcome of one reverse zone. `revision` is null if it has not been changed yet. */
export interface FollowOutcome {
  domainId: string;
  domainName: string;
  revision: number | null;
  error: string | null;
}

/** Which of the offered changes to include: all, none, or those of some addresses. */
export type Chosen = boolean | readonly string[];

/** The change set that a plan reverts. */
export interface Reverted {
  changeSetId: string;
  /** Whether PTR records followed it. They then follow its revert, whatever the zone's setting says by now. */
  isFollowed: boolean;
  /** Whether a job reverts it along with those of other zones. */
  inJob: boolean;
}

/** A zone that is changed. */
export interface FollowedZone {
  id: string;
  name: string;
  view: string;
  reverse: ReverseMode;
}

/** Plans the changes of other zones that follow a change set. The change pipeline carries them out as its last step. */
export interface Followers {
  plan(
    em: EntityManager,
    caller: Caller,
    zone: FollowedZone,
    changes: readonly PlannedChange[],
    chosen?: Chosen | Reverted,
  ): Promise<FollowPlan>;
}

const pointersAtOnce = 1_000;

/** Time for the process that made a change to carry out what follows, before a job does. */
const ownSeconds = 30;

/** Stores what must follow a change set, in the transaction that stores the change set. */
export async function storeFollows(
  tx: EntityManager,
  { id, actorId, now }: { id: string; actorId: string; now: Date },
  follows: readonly Follow[],
): Promise<void> {
  if (follows.length === 0) return;
  const rows = follows.map(({ domainId, items }) => ({ id: newId(), domain: domainId, items }));
  await sql`
    insert into reverse_follows (id, change_set_id, domain_id, actor_id, items, next_at, created_at)
    select f.id, ${id}::uuid, f.domain, ${actorId}::uuid, f.items, ${now}::timestamptz + make_interval(secs => ${ownSeconds}),
      ${now}::timestamptz
    from ${jsonRows(rows)} as f (id uuid, domain uuid, items jsonb)
    where exists (select from domains where domains.id = f.domain)
  `.execute(queries(tx));
}

/** Returns what a revert of a change set includes of the PTR changes: all if PTR records followed it, or else what the zone's setting says. */
export async function chosenToRevert(
  em: EntityManager,
  changeSetId: string,
  { inJob = false }: { inJob?: boolean } = {},
): Promise<Reverted> {
  return { changeSetId, isFollowed: (await linkedChangeSets(em, changeSetId)).length > 0, inJob };
}

/** Returns the PTR records that names of a reverse zone had when a change set was made, the newest of each name first. */
export async function formerPointers(
  em: EntityManager,
  domainId: string,
  owners: readonly string[],
  { changeSetId }: Reverted,
): Promise<Map<string, FormerPointer[]>> {
  const rows = await inChunks(owners, pointersAtOnce, async (some) => {
    const { rows } = await sql<FormerPointer & { owner: string }>`
      select r.name as owner, r.value, r.written_value as "writtenValue", r.ttl, r.comment
      from ${versionsNamed(domainId, some)} as r
      left join change_sets began on began.domain_id = r.domain_id and began.revision = r.since
      left join change_sets ended on ended.domain_id = r.domain_id and ended.revision = r.until
      where r.record_type = 'PTR' and r.status = 'active'
        and (began.id is null or began.id < ${changeSetId}) and (r.until is null or ended.id > ${changeSetId})
      order by r.since desc
    `.execute(queries(em));
    return rows;
  });
  const former = new Map<string, FormerPointer[]>();
  for (const { owner, writtenValue, ...row } of rows) {
    const known = former.get(owner) ?? [];
    known.push({ ...row, writtenValue: writtenValue ?? undefined });
    former.set(owner, known);
  }
  return former;
}

/** A change set that follows another one. */
export interface LinkedChangeSet {
  id: string;
  domainId: string;
  revision: number | null;
}

/** Returns the change sets of other zones that followed a change set, oldest first. An undo of the one takes back the others too. */
export async function linkedChangeSets(em: EntityManager, changeSetId: string): Promise<LinkedChangeSet[]> {
  const rows = await queries(em)
    .selectFrom("change_sets")
    .select(["id", "domain_id", "revision"])
    .where("caused_by", "=", changeSetId)
    .orderBy("id")
    .execute();
  return rows.map(({ id, domain_id: domainId, revision }) => ({ id, domainId, revision }));
}
