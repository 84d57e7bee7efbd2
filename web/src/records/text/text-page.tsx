import { Link } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useEffectEvent, useMemo, useRef, useState } from "react";
import { useUser } from "../../session/current-user.ts";
import { AskFirst } from "../../ui/ask-first.tsx";
import { Button, buttonClass } from "../../ui/button.tsx";
import { formatNumber } from "../../ui/format.ts";
import { Failure, Notice } from "../../ui/notice.tsx";
import { Empty, useTitle } from "../../ui/page.tsx";
import { patiently } from "../../ui/patiently.ts";
import { isMac } from "../../ui/platform.ts";
import { saveFile } from "../../ui/save-file.ts";
import { toast } from "../../ui/toast.tsx";
import { textOfFile } from "../../ui/text-file.ts";
import { recordsWords } from "../../words/records.ts";
import { zoneTextWords } from "../../words/zone-text.ts";
import { partsText, useOwnRights } from "../../zone/own-rights.ts";
import { useZone, useZoneName, type Zone } from "../../zone/use-zone.ts";
import { DraftBar } from "../draft/draft-bar.tsx";
import { emptyDraft, mostChanges, type Draft } from "../../zone/draft/draft.ts";
import { draftKey } from "../../zone/draft/store.ts";
import { useGone } from "../draft/use-clashes.ts";
import { useCheck, useDraft, type Check } from "../draft/use-draft.ts";
import { needsReview } from "../needs-review.ts";
import { useProviderName } from "../use-provider-name.ts";
import { useReview } from "../use-review.ts";
import { useSent } from "../use-sent.ts";
import type { LineMessage } from "./compare.ts";
import { Editor, type EditorHandle, type LineMark } from "./editor.tsx";
import { TextPlan } from "./text-plan.tsx";
import { useText } from "./use-text.ts";
import styles from "./zone-text.module.css";

const text = zoneTextWords;
/** Browsers lay out every line of a field. */
const mostRecords = 20_000;
const mostCharacters = 2_000_000;
const megabytes = (characters: number) => `${formatNumber(Math.round(characters / 100_000) / 10)} MB`;
const reviewKeys = isMac ? "⌘↵" : recordsWords.reviewKeys;
const Review = lazy(patiently(async () => ({ default: (await import("../draft/review.tsx")).Review })));
const noFaults: ReadonlyMap<string, string[]> = new Map();
const noErrors: readonly LineMessage[] = [];
const noLines: ReadonlyMap<string, number> = new Map();
const noSuspects: ReadonlySet<string> = new Set();
const noRecords = new Map();
const refusedFor = (reason: string): Check => ({
  state: "refused",
  faults: noFaults,
  others: [reason],
  suspects: noSuspects,
});

/** A zone as one text. Another zone starts anew. */
export function TextPage() {
  const zone = useZone();
  useTitle(text.title(zone.nameUnicode));
  return zone.recordCount > mostRecords ? <TooLarge zone={zone} /> : <ZoneAsText key={zone.id} zone={zone} />;
}

function TooLarge({ zone }: { zone: Zone }) {
  const name = useZoneName();
  return (
    <Empty
      title={text.large(formatNumber(zone.recordCount))}
      action={
        <Link to="/d/$name/records" params={{ name }} className={buttonClass()}>
          {text.toRecords}
        </Link>
      }
    >
      {text.largeHint(formatNumber(mostRecords))}
    </Empty>
  );
}

/** The editor, and beside it what its text changes. It ends in the draft of the zone, and in its review. */
function ZoneAsText({ zone }: { zone: Zone }) {
  const zoneName = useZoneName();
  const user = useUser();
  const rights = useOwnRights(zone);
  const [isApplying, setIsApplying] = useState(false);
  const sent = useSent({ userId: user.id, zone, isSending: isApplying });
  // What the draft may have made of the zone is not compared with it.
  const isSending = isApplying || sent.isUnknown;
  const drafting = useDraft({ userId: user.id, domainId: zone.id, revision: zone.revision, isSending });
  const { draft, change, reverse } = drafting;
  const editing = useText({
    zone,
    draftKey: draftKey(user.id, zone.id),
    draft,
    ready: drafting.ready,
    rights,
  });
  const { source, isEdited, comparison, isCurrent } = editing;
  const revision = source?.revision ?? zone.revision;
  const gone = useGone(zone.id, drafting);
  const review = useReview({
    zone,
    zoneName,
    drafting,
    records: noRecords,
    gone,
    role: user.role,
    rights,
    isSending,
    sent,
    onSending: setIsApplying,
    onApplied: () => undefined,
    onDone: () => undefined,
  });
  const provider = useProviderName(zone.providerConfigId);

  const read = comparison?.ok === true ? comparison : null;
  const errors = isEdited && comparison?.ok === false ? comparison.errors : noErrors;
  /** The draft with what the text adds to it. */
  const wanted = isEdited && read ? read.draft : draft;
  const isTooMany = wanted.edits.length > mostChanges;
  const isOff = isSending || !drafting.ready || isTooMany || (isEdited && !(isCurrent && read !== null));
  const asked = useCheck({ domainId: zone.id, revision: zone.revision, draft: wanted, reverse, isOff });
  const check: Check =
    errors.length > 0
      ? refusedFor(text.errors(formatNumber(errors.length)))
      : isTooMany
        ? refusedFor(text.tooManyShort)
        : isEdited && !isCurrent
          ? { state: "checking" }
          : asked;

  /** Takes what the text says into the draft. */
  const keep = (): Draft => {
    const next = change(() => wanted);
    editing.settle(next);
    return next;
  };
  /** Whether the review was asked for while the text was being checked. */
  const isAsked = useRef(false);
  const open = () => {
    isAsked.current = check.state === "checking";
    if (check.state !== "planned") return;
    if (isEdited) keep();
    review.openOnceChecked();
  };
  const openIfAsked = useEffectEvent((state: Check["state"]) => {
    if (isAsked.current && state !== "checking") open();
  });
  useEffect(() => openIfAsked(check.state), [check.state]);

  const editor = useRef<EditorHandle>(null);
  const chooser = useRef<HTMLInputElement>(null);
  const [refusal, setRefusal] = useState<string | null>(null);
  const [isLatin1, setIsLatin1] = useState(false);
  const [isLeaving, setIsLeaving] = useState(false);
  const takes = (characters: number) => {
    const isTaken = characters <= mostCharacters;
    setRefusal(isTaken ? null : text.tooLong(megabytes(characters), megabytes(mostCharacters)));
    return isTaken;
  };
  const offerUndo = (title: string, before: string) =>
    toast({ title, action: { label: text.undo, run: () => editing.type(before) } });
  const openFile = async (file: File) => {
    if (!takes(file.size)) return;
    const opened = await textOfFile(file);
    if (!opened.ok) return setRefusal(text.notText);
    setIsLatin1(opened.isLatin1);
    const before = source?.text ?? "";
    editing.type(opened.text.replaceAll(/\r\n?/g, "\n"));
    offerUndo(text.opened(file.name), before);
  };

  const lines = read?.lines ?? noLines;
  const marks = useMemo(() => {
    const found = new Map<number, LineMark>();
    for (const { key, kind } of wanted.edits) {
      const line = lines.get(key);
      if (line !== undefined && kind !== "delete") found.set(line, kind);
    }
    for (const { line } of errors) found.set(line, "error");
    return found;
  }, [wanted, lines, errors]);
  const isReadOnly = rights.locked || source === null;

  return (
    <div className={styles["page"]}>
      <div className={styles["tools"]}>
        <p>{rights.locked ? text.readOnly : text.hint}</p>
        <span>
          {isEdited ? <Button onClick={() => setIsLeaving(true)}>{text.again}</Button> : null}
          <input
            ref={chooser}
            type="file"
            hidden
            onChange={(event) => {
              const [file] = event.target.files ?? [];
              if (file) void openFile(file);
              event.target.value = "";
            }}
          />
          {rights.locked ? null : <Button onClick={() => chooser.current?.click()}>{text.open}</Button>}
          <Button disabled={source === null} onClick={() => source && saveFile(`${zoneName}.zone`, source.text)}>
            {text.save}
          </Button>
        </span>
      </div>
      <Failure error={editing.error} />
      {refusal === null ? null : (
        <Notice kind="error" focusFor={refusal}>
          {refusal}
        </Notice>
      )}
      {isLatin1 && isEdited ? <Notice kind="warning">{text.latin1}</Notice> : null}
      {editing.isElsewhere ? <Notice kind="warning">{text.elsewhere}</Notice> : null}
      {editing.isGone ? <Notice kind="warning">{text.gone}</Notice> : null}
      {isEdited && revision !== zone.revision ? (
        <Notice
          kind="info"
          action={
            <Button disabled={!isCurrent || read === null || isTooMany} onClick={() => keep()}>
              {text.takeTheirs}
            </Button>
          }
        >
          {text.moved(formatNumber(revision), formatNumber(zone.revision))}
        </Notice>
      ) : null}
      {editing.isDraftMoved ? (
        <Notice
          kind="info"
          action={
            <Button disabled={!isCurrent || read === null || isTooMany} onClick={() => keep()}>
              {text.showDraft}
            </Button>
          }
        >
          {text.draftMoved}
        </Notice>
      ) : null}
      {isTooMany ? (
        <Notice kind="warning">{text.tooMany(formatNumber(wanted.edits.length), formatNumber(mostChanges))}</Notice>
      ) : null}
      <div className={styles["columns"]}>
        <Editor
          ref={editor}
          value={source?.text ?? ""}
          onValue={editing.type}
          readOnly={isReadOnly}
          isLoading={source === null}
          marks={marks}
          takes={takes}
          onEnter={open}
          onFile={(file) => void openFile(file)}
          onLongPaste={(before) => offerUndo(text.pasted, before)}
        />
        {rights.locked ? null : (
          <TextPlan
            zone={zone}
            draft={wanted}
            comparison={isEdited ? comparison : null}
            lines={lines}
            isBusy={isEdited ? !isCurrent : source === null}
            check={asked}
            revision={revision}
            refusal={partsText(rights) ?? ""}
            isPart={!rights.seesAll}
            onLine={(line) => editor.current?.goTo(line)}
          />
        )}
      </div>
      <DraftBar
        draft={wanted}
        check={check}
        clashes={isEdited ? 0 : review.clashes.all.length}
        keys={reviewKeys}
        onReview={open}
        onDiscard={() => {
          change(() => emptyDraft);
          // What cannot be read was not among the changes that were discarded.
          if (!isEdited || read !== null) editing.settle(null);
        }}
        mustRequest={needsReview(zone, { role: user.role, rights }, asked.state === "planned" ? asked.plan : null)}
      />
      {isLeaving ? (
        <AskFirst
          title={text.againTitle}
          action={text.again}
          onConfirm={() => {
            setIsLeaving(false);
            editing.settle(null);
          }}
          onClose={() => setIsLeaving(false)}
        >
          <p>{text.againHint}</p>
        </AskFirst>
      ) : null}
      <Suspense fallback={null}>
        {review.isOpen ? (
          <Review {...review.dialog} zone={zone.nameUnicode} provider={provider} keys={reviewKeys} />
        ) : null}
      </Suspense>
    </div>
  );
}
