import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import type { DnsRecord, RouterOutputs } from "@zonewright/client";
import { useEffect, useState } from "react";
import { toUnicodeName } from "../../../server/dns/names/names.ts";
import { client } from "../api.ts";
import { useUser } from "../session/current-user.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { formatNumber } from "../ui/format.ts";
import { Failure } from "../ui/notice.tsx";
import { Card, useTitle } from "../ui/page.tsx";
import { toast } from "../ui/toast.tsx";
import { formatTtl } from "../ui/ttl.ts";
import { useAction } from "../ui/use-action.ts";
import { healthWords } from "../words/health.ts";
import { reverseWords } from "../words/reverse.ts";
import { words } from "../words/words.ts";
import { useOwnRights } from "../zone/own-rights.ts";
import { useManages } from "../zone/rights.ts";
import { Delegation } from "../zone/settings/delegation.tsx";
import { useZone, useZoneName, zoneName, type Zone } from "../zone/use-zone.ts";
import zoneStyles from "../zone/zone.module.css";
import { changeRecords, emptyDraft, fieldsOf, markDeleted, type Draft, type Edit } from "../zone/draft/draft.ts";
import { draftKey, readDraft, writeDraft } from "../zone/draft/store.ts";
import styles from "./health.module.css";
import { recordsAt } from "../zone/draft/present-records.ts";

const text = healthWords;
/** Records that a fault names; the first says enough of a long list. */
const namedRecords = 5;

type Fault = RouterOutputs["records"]["health"]["faults"][number];

/** Templates that mend what no change of a record does. */
const templates: Readonly<Partial<Record<Fault["code"], string>>> = {
  spf_missing: "mail",
  dmarc_missing: "dmarc",
};

/** What is wrong with a zone: in its records, as seen from outside, and in the PTR records of its addresses. */
export function HealthPage() {
  const zone = useZone();
  const manages = useManages(zone);
  useTitle(`${text.title} · ${zoneName({ ...zone, name: zone.nameUnicode })}`);
  return (
    <div key={zone.id} className={zoneStyles["page"]}>
      <InRecords zone={zone} />
      <Delegation zone={zone} manages={manages} />
      <Pointers zone={zone} />
    </div>
  );
}

function InRecords({ zone }: { zone: Zone }) {
  const { data, error, isFetching, refetch } = useQuery({
    // Of a zone that has changed since, nothing here is true.
    queryKey: ["health", zone.id, zone.revision],
    queryFn: async ({ signal }) => await client.records.health.query({ id: zone.id }, { signal }),
    staleTime: Infinity,
    refetchOnWindowFocus: false,
  });
  const mend = useMending(zone, async () => void (await refetch()));
  const checked = data ? text.records(data.checked, formatNumber(data.checked)) : "";
  const omitted = data ? data.total - data.faults.length : 0;
  return (
    <Card
      title={text.inRecords}
      hint={text.inRecordsHint}
      flush
      action={
        <Button pending={isFetching} onClick={() => void refetch()}>
          {isFetching ? words.ui.loading : text.again}
        </Button>
      }
    >
      <Failure error={error ?? mend.error} />
      {data ? (
        <p className={zoneStyles["inset"]} role="status">
          {data.total === 0
            ? text.fine(checked)
            : text.checked(text.faults(data.total, formatNumber(data.total)), checked)}{" "}
          {data.isPart ? text.isPart : null}
        </p>
      ) : null}
      {data && data.faults.length > 0 ? (
        <ul className={zoneStyles["list"]} aria-label={text.inRecords}>
          {data.faults.map((fault, index) => (
            <FaultItem
              // A name may break several rules.
              // oxlint-disable-next-line react/no-array-index-key
              key={`${fault.code} ${fault.name} ${index}`}
              fault={fault}
              pending={mend.pending}
              onMend={() => void mend.run(fault, data.revision)}
            />
          ))}
        </ul>
      ) : null}
      {omitted > 0 ? <p className={styles["omitted"]}>{text.omitted(formatNumber(omitted))}</p> : null}
    </Card>
  );
}

/** Puts the changes that mend a fault into the draft, and leads to it. @param checkAgain if the zone has changed since the check */
function useMending(zone: Zone, checkAgain: () => Promise<void>) {
  const user = useUser();
  const name = useZoneName();
  const navigate = useNavigate();
  return useAction(async ({ mend: changes }: Fault, revision: number) => {
    // A fault shows only its first records. The plan names all that would change.
    const plan = await client.records.plan.mutate({ id: zone.id, changes });
    const names = [...plan.updates.map(({ before }) => before.name), ...plan.deletes.map((record) => record.name)];
    const present = await recordsAt(zone.id, names);
    const seen = [...plan.updates.map(({ id, before }) => ({ ...before, id })), ...plan.deletes];
    const isAsSeen = seen.every(
      ({ id, value, ttl }) => present.get(id)?.value === value && present.get(id)?.ttl === ttl,
    );
    if (plan.revision !== revision || !isAsSeen) {
      await checkAgain();
      throw new Error(text.changed);
    }
    const key = draftKey(user.id, zone.id);
    const draft = (await readDraft(key)) ?? emptyDraft;
    const mended = withChanges(draft, changes, present);
    if (mended === null) throw new Error(text.inOtherDraft);
    await writeDraft(key, draft, mended);
    toast({ title: text.drafted(changes.length, formatNumber(changes.length)) });
    await navigate({ to: "/d/$name/records", params: { name } });
  });
}

/**
 * Returns a draft with the changes of a fault. An edit of the same record stays where the change does not touch it, and a record stays deleted.
 * Returns null if the draft has other plans for the records, without which the changes do not mend the fault.
 */
function withChanges(draft: Draft, changes: Fault["mend"], present: ReadonlyMap<string, DnsRecord>): Draft | null {
  const edited = new Map(draft.edits.map((edit) => [edit.key, edit]));
  const ofTtls = changes.every((change) => change.action === "update" && change.record.value === undefined);
  if (!ofTtls && changes.some((change) => isContrary(change, edited.get(change.recordId)))) return null;
  const updates = changes.flatMap((change) => {
    const record = present.get(change.recordId);
    if (change.action !== "update" || !record) return [];
    const { value, ttl } = change.record;
    const edit = edited.get(record.id);
    // The draft deletes it, or gives it a TTL of its own.
    if (edit?.kind === "delete" || (edit?.kind === "update" && edit.fields.ttl !== edit.before.ttl && ofTtls))
      return [];
    const fields = edit?.kind === "update" ? edit.fields : fieldsOf(record);
    const split = value === undefined ? {} : { value, strings: null };
    return [{ key: record.id, record, fields: { ...fields, ...split, ...(ttl === undefined ? {} : { ttl }) } }];
  });
  const deletes = changes.flatMap((change) => {
    const record = present.get(change.recordId);
    return change.action === "delete" && record ? [{ key: record.id, record }] : [];
  });
  return markDeleted(changeRecords(draft, updates), deletes);
}

/** Whether an edit deletes what a mend changes, or changes what it replaces or deletes. */
function isContrary(change: Fault["mend"][number], edit: Edit | undefined): boolean {
  if (edit?.kind === "delete") return change.action === "update";
  if (edit?.kind !== "update") return false;
  const { fields, before } = edit;
  if (fields.recordType !== before.recordType || fields.name !== before.name) return true;
  return fields.value !== before.value && fields.value !== (change.action === "update" ? change.record.value : null);
}

const dots = { error: "error", warning: "drift", info: "note" } as const;
/** Faults whose records show their TTL. */
const ofTtl: ReadonlySet<string> = new Set(["ttl_short", "ttl_long"] satisfies Fault["code"][]);

interface FaultItemProps {
  fault: Fault;
  pending: boolean;
  onMend: () => void;
}

function FaultItem({ fault, pending, onMend }: FaultItemProps) {
  const { severity, message, why, records, recordCount, code } = fault;
  const name = useZoneName();
  const zone = useZone();
  const rights = useOwnRights(zone);
  const template = rights.edits({ name: fault.name, recordType: "TXT" }) ? templates[code] : undefined;
  const shown = records.slice(0, namedRecords);
  return (
    <li className={`${zoneStyles["item"]} ${styles["item"]}`}>
      <div className={styles["fault"]}>
        <i className={zoneStyles["dot"]} data-state={dots[severity]} aria-hidden />
        <span className="sr">{text.severities[severity]}: </span>
        {message}
        <small>{why}</small>
        <ul className={styles["records"]}>
          {shown.map(({ id, name: owner, recordType, value, ttl }) => (
            <li key={id}>
              <Link
                to="/d/$name/records"
                params={{ name }}
                search={{ search: owner === "@" ? undefined : owner, type: recordType }}
                preload={false}
              >
                {toUnicodeName(owner)} {recordType}
              </Link>{" "}
              <span>{ofTtl.has(code) ? `${value} · ${formatTtl(ttl)}` : value}</span>
            </li>
          ))}
          {recordCount > shown.length ? <li>{text.more(formatNumber(recordCount - shown.length))}</li> : null}
        </ul>
      </div>
      {fault.mend.length > 0 ? (
        <Button pending={pending} aria-label={text.inDraftOf(message)} onClick={onMend}>
          {text.inDraft}
        </Button>
      ) : null}
      {template === undefined ? null : (
        <Link to="/templates" search={{ search: template }} className={buttonClass()} preload={false}>
          {text.template}
        </Link>
      )}
    </li>
  );
}

/** PTR findings that are listed. */
const listedPointers = 200;

/** Pages of the report that are looked at without being asked to; each is of up to 500 records. */
const pagesAtOnce = 10;

function Pointers({ zone: { id } }: { zone: Zone }) {
  const [wanted, setWanted] = useState(pagesAtOnce);
  const { data, error, hasNextPage, isFetching, fetchNextPage } = useInfiniteQuery({
    queryKey: ["reverse", id],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam, signal }) =>
      await client.reverse.report.query({ domainId: id, after: pageParam, limit: 100 }, { signal }),
    getNextPageParam: ({ next }) => next ?? undefined,
  });
  const goesOn = hasNextPage && error === null && (data?.pages.length ?? 0) < wanted;
  useEffect(() => {
    if (goesOn && !isFetching) void fetchNextPage();
  }, [goesOn, isFetching, fetchNextPage]);
  const findings = data?.pages.flatMap((page) => page.findings) ?? [];
  const count = reverseWords.count(findings.length, formatNumber(findings.length));
  const isLooking = goesOn || isFetching;
  const state = isLooking
    ? text.ptrLooking
    : hasNextPage
      ? text.ptrPartly(count)
      : findings.length === 0
        ? text.ptrFine
        : count;
  return (
    <Card
      title={text.ptr}
      hint={text.ptrHint}
      flush
      action={
        findings.length > 0 ? (
          <Link to="/reverse" className={buttonClass()} preload={false}>
            {text.ptrMend}
          </Link>
        ) : null
      }
    >
      <Failure error={error} />
      <p className={zoneStyles["inset"]} role="status">
        {error ? null : state}
      </p>
      {findings.length > 0 ? (
        <ul className={zoneStyles["list"]} aria-label={text.ptr}>
          {findings.slice(0, listedPointers).map(({ problem, address, value, expected, name, domainName }) => (
            <li key={`${problem} ${name} ${domainName} ${value} ${expected}`} className={zoneStyles["item"]}>
              <span>
                <i className={zoneStyles["dot"]} data-state="drift" aria-hidden />
                {reverseWords.says[problem](address, (problem === "missing" ? expected : value) ?? "", expected ?? "")}
              </span>
            </li>
          ))}
        </ul>
      ) : null}
      {findings.length > listedPointers ? (
        <p className={styles["omitted"]}>{text.ptrOmitted(formatNumber(findings.length - listedPointers))}</p>
      ) : null}
      {hasNextPage && !isLooking ? (
        <p className={styles["omitted"]}>
          <Button onClick={() => setWanted(wanted + pagesAtOnce)}>{text.ptrFurther}</Button>
        </p>
      ) : null}
    </Card>
  );
}
