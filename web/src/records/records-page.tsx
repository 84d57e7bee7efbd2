import { useNavigate, useSearch } from "@tanstack/react-router";
import type { DnsRecord } from "@zonewright/client";
import { lazy, Suspense, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { isWritableType, writableTypes } from "../../../server/dns/zone-file/type-names.ts";
import { messageOf } from "../api.ts";
import { useUser } from "../session/current-user.ts";
import { formatNumber } from "../ui/format.ts";
import { patiently } from "../ui/patiently.ts";
import { isMac } from "../ui/platform.ts";
import { Failure } from "../ui/notice.tsx";
import { useTitle } from "../ui/page.tsx";
import { toast } from "../ui/toast.tsx";
import { recordsWords } from "../words/records.ts";
import styles from "./records.module.css";
import { partsText, useOwnRights } from "../zone/own-rights.ts";
import { exportEntries } from "../zone/export-entries.ts";
import { useZone, useZoneName, type Zone } from "../zone/use-zone.ts";
import {
  addRecord,
  changeRecord,
  emptyDraft,
  finished,
  isDisabled,
  leaveForm,
  mostChanges,
  setFields,
  toggleDeletes,
  isNewKey,
  withoutEdit,
  type Fields,
} from "../zone/draft/draft.ts";
import { draftKey, holdDraft } from "../zone/draft/store.ts";
import { DraftBar } from "./draft/draft-bar.tsx";
import { useGone } from "./draft/use-clashes.ts";
import { useDraft } from "./draft/use-draft.ts";
import { useRules } from "./fields/rules.ts";
import { copyLines } from "./grid/copy-lines.ts";
import { start, type Column } from "./grid/cursor.ts";
import { Grid, type Selection } from "./grid/grid.tsx";
import { isReadOnly, warningsAt, withDraft, type Row } from "./grid/rows.ts";
import { NoRecords } from "./no-records.tsx";
import { withPasted } from "./paste/merge.ts";
import type { Given } from "./paste/paste-dialog.tsx";
import { rowsFor, usePaste } from "./paste/use-paste.ts";
import { RecordTools } from "./record-tools.tsx";
import { useLiveMarks } from "./use-live-marks.ts";
import { useReview } from "./use-review.ts";
import { useSent } from "./use-sent.ts";
import { useProviderName } from "./use-provider-name.ts";
import { useZoneRows } from "./use-zone-rows.ts";

const text = recordsWords;
/** Types with fields have forms; any other has one field for its data as in a zone file. */
const editable = { has: isWritableType };
/** Pixels of a record's form on a narrow page. */
const tallestForm = 280;
const none: readonly string[] = [];
/** Loaded once the records are shown. */
const loadReview = patiently(async () => ({ default: (await import("./draft/review.tsx")).Review }));
const Review = lazy(loadReview);
const BulkDialog = lazy(patiently(async () => ({ default: (await import("./bulk-dialog.tsx")).BulkDialog })));
const ServedDialog = lazy(patiently(async () => ({ default: (await import("./served-dialog.tsx")).ServedDialog })));
const RecordDetails = lazy(patiently(async () => ({ default: (await import("./record-details.tsx")).RecordDetails })));
const PasteDialog = lazy(patiently(async () => ({ default: (await import("./from-text.ts")).PasteDialog })));
const reviewKeys = isMac ? "⌘↵" : text.reviewKeys;

/** The records of a zone. Those of another zone start anew. */
export function RecordsPage() {
  const zone = useZone();
  return <ZoneRecords key={zone.id} zone={zone} />;
}

/** Filter, grid, draft and review. */
function ZoneRecords({ zone }: { zone: Zone }) {
  const address = useZoneName();
  const user = useUser();
  const { search = "", type = "" } = useSearch({ from: "/inside/d/$name/records" });
  const navigate = useNavigate({ from: "/d/$name/records" });
  useTitle(zone.nameUnicode);
  const filter = (changes: { search?: string | undefined; type?: string | undefined }) =>
    void navigate({ search: (before) => ({ ...before, ...changes }), replace: true });

  const [isApplying, setIsApplying] = useState(false);
  const sent = useSent({ userId: user.id, zone, isSending: isApplying });
  // What the draft may have made of the zone is not compared with it.
  const isSending = isApplying || sent.isUnknown;
  const drafting = useDraft({ userId: user.id, domainId: zone.id, revision: zone.revision, isSending });
  const { draft, change, check } = drafting;
  const gone = useGone(zone.id, drafting);
  const { rows, view, total, types, disabled, records, loading, error, readAll } = useZoneRows({
    domainId: zone.id,
    zone: zone.name,
    revision: zone.revision,
    search,
    type,
    draft,
    gone,
  });
  const whole = total !== null && records.length >= total ? records : null;
  const byId = useMemo(() => new Map(records.map((record) => [record.id, record])), [records]);
  const [cursor, setCursor] = useState(start);
  const [selection, setSelection] = useState<Selection>(new Map());
  const [opened, setOpened] = useState<{ key: string; column: Column } | null>(null);
  // A new record goes when the draft is discarded, and its editor with it.
  const isThere = (key: string) => !isNewKey(key) || draft.edits.some((edit) => edit.key === key);
  const editing = opened !== null && isThere(opened.key) ? opened : null;
  const isEditing = editing !== null;
  /** The row whose form was the last: a form that is cancelled leaves the cursor there. */
  const [edited, setEdited] = useState<{ key: string } | null>(null);
  const openForm = (form: { key: string; column: Column }) => {
    setOpened(form);
    setEdited({ key: form.key });
  };
  // A new record whose form is left without a word goes again.
  const openKey = editing?.key;
  useEffect(() => void change((before) => finished(before, openKey)), [change, openKey]);
  useEffect(() => (isEditing ? holdDraft(draftKey(user.id, zone.id)) : undefined), [isEditing, user.id, zone.id]);
  const [bulk, setBulk] = useState<{ field: "ttl" | "value"; rows: readonly Row[] } | null>(null);
  const [detailing, setDetailing] = useState<DnsRecord | null>(null);
  const [asking, setAsking] = useState<DnsRecord | null>(null);
  const [own, setOwn] = useState<ReadonlySet<number>>(new Set());
  const rights = useOwnRights(zone);
  const readOnly = (row: Row) =>
    rights.locked ||
    isReadOnly(row, editable) ||
    // What is new can still become something that may be written.
    (row.record !== null && (!rights.edits(row.record) || (row.record.locked && !rights.unlocks)));
  const offered = writableTypes.filter(rights.offers);
  const mayAdd = !rights.locked && offered.length > 0;
  const rules = useRules(total !== null);
  useEffect(() => {
    // A failure shows when the review is opened.
    if (total !== null) loadReview().catch(() => undefined);
  }, [total]);
  const [pasting, setPasting] = useState<{ given: Given } | null>(null);
  const { isDropping } = usePaste(mayAdd && pasting === null, (given) => setPasting({ given }));
  const filterBox = useRef<HTMLInputElement>(null);
  const live = useLiveMarks(records, own, zone.revision);
  const provider = useProviderName(zone.providerConfigId);
  const review = useReview({
    zone,
    zoneName: address,
    drafting,
    records: byId,
    gone,
    role: user.role,
    rights,
    isSending,
    sent,
    onSending: setIsApplying,
    onApplied: (revision) => setOwn((before) => new Set([...before, revision])),
    onDone: () => setSelection(new Map()),
  });

  const { clashes } = review;
  /** A row may have been chosen before others changed its record. */
  const editableRows = (chosen: readonly Row[]) => withDraft(chosen, draft, byId).filter((row) => !readOnly(row));
  const add = (fields: Fields) => {
    if (!mayAdd) return;
    const added = addRecord(draft, fields);
    change(() => added.draft);
    openForm({ key: added.key, column: "name" });
  };
  const newRecord = () =>
    add({
      recordType: offered.find((each) => each === type) ?? offered[0] ?? "A",
      name: "",
      value: "",
      strings: null,
      ttl: null,
      comment: null,
    });
  // A new row may be anywhere, and an edited one moves to where its name belongs: the cursor follows both.
  const followed = editing?.key ?? edited;
  const followedIndex = () => {
    const key = editing?.key ?? edited?.key;
    if (key === undefined) return null;
    for (let index = 0; index < rows.count; index += 1) if (rows.at(index)?.key === key) return index;
    return null;
  };
  // Before the row is seen: the next key acts on it.
  useLayoutEffect(() => {
    const index = followedIndex();
    if (index !== null && index !== cursor.row)
      setCursor({ row: index, column: editing?.column ?? cursor.column, anchor: null });
    // Only when the editing begins or ends.
    // oxlint-disable-next-line react-hooks/exhaustive-deps, react/exhaustive-effect-dependencies
  }, [followed]);
  useEffect(() => {
    const index = followedIndex();
    if (index === null) return;
    const { scrollRect, options } = view.virtualizer;
    const room = (scrollRect?.height ?? 0) - options.scrollPaddingStart - options.scrollPaddingEnd;
    // Where a form does not fit, its first field is what must be seen.
    const align = editing !== null && room < tallestForm ? "start" : "auto";
    view.virtualizer.scrollToIndex(index, { align });
    // Only when the editing begins or ends.
    // oxlint-disable-next-line react-hooks/exhaustive-deps, react/exhaustive-effect-dependencies
  }, [followed]);

  const remove = (chosen: readonly Row[]) => change((before) => toggleDeletes(before, editableRows(chosen)));
  // What a clash says, the service's refusal only repeats.
  const faultsOf = (row: Row) =>
    check.state === "refused" && !clashes.byKey.has(row.key) ? (check.faults.get(row.key) ?? none) : none;
  const planWarnings = check.state === "planned" ? check.plan.warnings : [];
  const ownWarnings = (fields: Fields) => rules.checkFields(fields, zone.name).warnings;
  const warningsOf = (row: Row) => (planWarnings.length === 0 ? none : warningsAt(row, planWarnings, ownWarnings));
  const selectAll = async () => {
    if (rows.count > mostChanges) {
      toast({ title: text.tooMany(formatNumber(rows.count), formatNumber(mostChanges)) });
      return;
    }
    try {
      const all = readAll();
      // At once if they are there: the next key may be meant for them.
      const shown = all instanceof Promise ? await all : all;
      setSelection(new Map(editableRows(shown).map((row) => [row.key, row])));
    } catch (thrown) {
      toast({ title: messageOf(thrown) });
    }
  };
  /** The selected rows with what the draft has made of them since. */
  const selected = () => withDraft([...selection.values()], draft, byId);

  const nothing = total !== null && rows.count === 0;
  return (
    <>
      <RecordTools
        ref={filterBox}
        search={search}
        onSearch={(next) => filter({ search: next || undefined })}
        types={types}
        disabled={disabled}
        type={type}
        onType={(next) => filter({ type: next || undefined })}
        onLeave={() => {
          setCursor(start);
          document.querySelector<HTMLElement>("[role=grid]")?.focus();
        }}
        selected={rights.locked ? 0 : selection.size}
        onTtl={() => setBulk({ field: "ttl", rows: selected() })}
        onValue={() => setBulk({ field: "value", rows: selected() })}
        onCopy={() => copyLines(selected())}
        onDelete={() => remove(selected())}
        onClear={() => setSelection(new Map())}
        onAdd={mayAdd ? newRecord : null}
        menu={[
          ...(mayAdd ? [[{ id: "paste", label: text.paste, run: () => setPasting({ given: null }) }]] : []),
          exportEntries({ id: zone.id, address }),
        ]}
      />
      <Failure error={error} />
      {nothing ? (
        <NoRecords
          filtered={search !== "" || type !== ""}
          onClear={() => filter({ search: undefined, type: undefined })}
          onAdd={mayAdd ? newRecord : null}
          onPaste={() => setPasting({ given: null })}
        />
      ) : null}
      {isDropping ? <p className={styles["dropping"]}>{text.drop}</p> : null}
      <div hidden={nothing || loading}>
        <Grid
          zone={zone.name}
          rows={rows}
          view={view}
          cursor={cursor}
          onCursor={setCursor}
          selection={selection}
          onSelection={setSelection}
          editing={editing}
          onEdit={(next) => (next ? openForm(next) : setOpened(null))}
          onTyped={({ key, record }, fields) => change((before) => leaveForm(before, key, record, fields))}
          onFields={({ key, record }, fields) => {
            change((before) => changeRecord(before, key, record, fields));
            setEdited({ key });
          }}
          isReadOnly={readOnly}
          types={offered}
          refusalAt={(place) => (rights.edits(place) ? null : partsText(rights))}
          editable={editable}
          hasDetails={({ record }) => record !== null && !record.serverManaged && rights.writes(record)}
          faultsOf={faultsOf}
          warningsOf={warningsOf}
          clashes={clashes.byKey}
          live={live}
          commands={{
            add: newRecord,
            remove,
            keepMine: (clash) => clashes.keepMine([clash]),
            takeTheirs: (clash) => clashes.takeTheirs([clash]),
            takeBack: (key) => change((before) => withoutEdit(before, key)),
            duplicate: (row) => add({ ...row.fields }),
            switch: (row) => change((before) => setFields(before, [row], { disabled: !isDisabled(row.fields) })),
            details: ({ record }) => setDetailing(record),
            served: ({ record }) => setAsking(record),
            history: ({ record }) =>
              void navigate({
                to: "/d/$name/timeline",
                params: (now) => ({ name: now.name ?? "" }),
                search: { name: record?.name },
              }),
            copy: copyLines,
            setTtl: (chosen) => setBulk({ field: "ttl", rows: editableRows(chosen) }),
            setValue: (chosen) => setBulk({ field: "value", rows: editableRows(chosen) }),
            stepBack: drafting.stepBack,
            stepForward: drafting.stepForward,
            review: review.open,
            focusFilter: () => filterBox.current?.focus(),
            selectAll: () => void selectAll(),
          }}
        />
      </div>
      <DraftBar
        draft={draft}
        check={check}
        clashes={clashes.all.length}
        keys={reviewKeys}
        onReview={review.open}
        onDiscard={() => change(() => emptyDraft)}
        mustRequest={review.mustRequest}
      />
      <Suspense fallback={null}>
        {review.isOpen ? (
          <Review {...review.dialog} zone={zone.nameUnicode} provider={provider} keys={reviewKeys} />
        ) : null}
        {asking ? <ServedDialog zone={zone} record={asking} onClose={() => setAsking(null)} /> : null}
        {detailing ? (
          <RecordDetails zone={zone} record={detailing} mayLock={rights.unlocks} onClose={() => setDetailing(null)} />
        ) : null}
        {pasting ? (
          <PasteDialog
            zone={zone}
            given={pasting.given}
            readRows={async (names, signal) => await rowsFor({ domainId: zone.id, whole, draft }, names, signal)}
            edits={rights.edits}
            unlocks={rights.unlocks}
            refusal={partsText(rights) ?? ""}
            onClose={() => setPasting(null)}
            onAdd={(changes) => {
              change((before) => withPasted(before, changes));
              setPasting(null);
            }}
          />
        ) : null}
        {bulk ? (
          <BulkDialog
            field={bulk.field}
            rows={bulk.rows}
            zone={zone}
            onClose={() => setBulk(null)}
            onSet={(changed) => {
              change((before) => setFields(before, bulk.rows, changed));
              setBulk(null);
            }}
          />
        ) : null}
      </Suspense>
    </>
  );
}
