import { useVirtualizer } from "@tanstack/react-virtual";
import { TriangleAlert } from "lucide-react";
import { useMemo, useRef, type ReactNode } from "react";
import { toUnicodeName } from "../../../../server/dns/names/names.ts";
import { formatNumber } from "../../ui/format.ts";
import { Notice } from "../../ui/notice.tsx";
import { zoneTextWords } from "../../words/zone-text.ts";
import { Sign, tintOf, Values } from "../../zone/patch-view.tsx";
import { useZone, type Zone } from "../../zone/use-zone.ts";
import { fieldsOf, isProxied, type Draft, type Edit, type Fields } from "../../zone/draft/draft.ts";
import { useProviderKind } from "../../zone/automatic-ttl.tsx";
import { ttlText } from "../../zone/ttl.ts";
import type { Check } from "../draft/use-draft.ts";
import { namesRecord } from "../grid/rows.ts";
import type { PastedChange } from "../paste/merge.ts";
import type { Comparison, LineMessage } from "./compare.ts";
import styles from "./zone-text.module.css";

const text = zoneTextWords;
/** More than anybody reads in one go. */
const mostNamed = 50;

interface TextPlanProps {
  zone: Zone;
  /** The draft with what the text adds to it. */
  draft: Draft;
  /** What was found in the text; null for a text that nobody edited. */
  comparison: Comparison | null;
  lines: ReadonlyMap<string, number>;
  isBusy: boolean;
  /** What the service says about the draft. */
  check: Check;
  /** The revision that the text began with. */
  revision: number;
  /** Why the reader may not change a record. */
  refusal: string;
  /** Whether the reader sees only a part of the zone. */
  isPart: boolean;
  onLine: (line: number) => void;
}

/** What a text creates, changes and deletes, and what is wrong with it. */
export function TextPlan(props: TextPlanProps) {
  const { zone, draft, comparison, lines, isBusy, check, revision, refusal, isPart, onLine } = props;
  const read = comparison?.ok === true ? comparison : null;
  const problems = useMemo(() => problemsOf(check, lines), [check, lines]);
  const planned = check.state === "planned" ? check.plan.warnings : noTexts;
  const warnings = useMemo(() => {
    const found = read?.warnings ?? [];
    // The lines of those that are not shown are not searched for.
    const lineAt = (message: string, index: number) =>
      found.length + index < mostNamed ? lineOf(message, draft, lines) : null;
    return [...found, ...planned.map((message, index) => ({ line: lineAt(message, index), message }))];
  }, [read, planned, draft, lines]);
  const facts = [
    isPart ? text.filtered : null,
    zone.signedBy === null ? null : text.managed,
    read?.hasSoa ? text.soa : null,
    read && read.outside > 0 ? text.outside(formatNumber(read.outside)) : null,
  ].filter((fact) => fact !== null);
  return (
    <section className={styles["plan"]} aria-label={text.plan}>
      <header>
        <h2>{text.plan}</h2>
        <span role="status">
          {isBusy ? text.comparing : comparison?.ok === false ? "" : text.compared(formatNumber(revision))}
        </span>
      </header>
      {comparison?.ok === false ? (
        <Notice kind="error">
          <strong>{text.errors(formatNumber(comparison.errors.length))}</strong> {text.errorsHint}
          <Messages messages={comparison.errors} onLine={onLine} />
        </Notice>
      ) : null}
      {problems.length > 0 ? (
        <Notice kind="error">
          <strong>{text.problems(formatNumber(problems.length))}</strong>
          <Messages messages={problems} onLine={onLine} />
        </Notice>
      ) : null}
      {read && read.refused.length > 0 ? (
        <Folded title={text.leftOut(formatNumber(read.refused.length))}>
          <p>{text.leftOutHint}</p>
          <Messages messages={read.refused.map((change) => refusedText(change, refusal))} onLine={onLine} />
        </Folded>
      ) : null}
      {warnings.length > 0 ? (
        <Folded title={text.warnings(formatNumber(warnings.length))}>
          <Messages messages={warnings} onLine={onLine} />
        </Folded>
      ) : null}
      {facts.length > 0 ? <p className={styles["facts"]}>{facts.join(" ")}</p> : null}
      {draft.edits.length > 0 ? (
        <Edits draft={draft} lines={lines} onLine={onLine} />
      ) : comparison?.ok === false ? null : (
        <p className={styles["facts"]}>{text.none}</p>
      )}
    </section>
  );
}

const noTexts: readonly string[] = [];

interface PlacedMessage {
  /** Null for what belongs to no line. */
  line: number | null;
  message: string;
}

/** What the service refuses, at the lines of the edits. */
function problemsOf(check: Check, lines: ReadonlyMap<string, number>): PlacedMessage[] {
  if (check.state !== "refused") return [];
  const placed = [...check.faults].flatMap(([key, messages]) =>
    messages.map((message) => ({ line: lines.get(key) ?? null, message })),
  );
  return [...placed, ...check.others.map((message) => ({ line: null, message }))];
}

/** More edits are not searched for each warning. */
const mostSearched = 1_000;

/** The line of the record that a warning names; null if it names none. */
function lineOf(warning: string, { edits }: Draft, lines: ReadonlyMap<string, number>): number | null {
  if (edits.length > mostSearched) return null;
  const edit = edits.find(({ key, ...rest }) => {
    if (rest.kind === "delete" || !lines.has(key)) return false;
    return namesRecord(warning, rest.fields);
  });
  return edit ? (lines.get(edit.key) ?? null) : null;
}

function refusedText({ line, fields, refusal }: PastedChange, rights: string): PlacedMessage {
  const reason = { type: text.foreignType, locked: text.locked, rights }[refusal ?? "type"];
  return { line, message: `${toUnicodeName(fields.name)} ${fields.recordType}: ${reason}` };
}

function Folded({ title, children }: { title: string; children: ReactNode }) {
  return (
    <details className={styles["folded"]}>
      <summary>
        <TriangleAlert aria-hidden />
        {title}
      </summary>
      {children}
    </details>
  );
}

function Messages({
  messages,
  onLine,
}: {
  messages: readonly (PlacedMessage | LineMessage)[];
  onLine: (line: number) => void;
}) {
  const more = messages.length - mostNamed;
  return (
    <>
      <ul className={styles["messages"]}>
        {messages.slice(0, mostNamed).map(({ line, message }) => (
          <li key={`${line} ${message}`}>
            {line === null ? null : <LineButton line={line} what={message} onLine={onLine} />}
            {message}
          </li>
        ))}
      </ul>
      {more > 0 ? <p>{text.more(formatNumber(more))}</p> : null}
    </>
  );
}

function LineButton({ line, what, onLine }: { line: number; what: string; onLine: (line: number) => void }) {
  const label = text.line(formatNumber(line));
  return (
    <button
      type="button"
      className={styles["line"]}
      aria-label={text.toLine(formatNumber(line), what)}
      onClick={() => onLine(line)}
    >
      {label}
    </button>
  );
}

const shownFields = (edit: Edit): Fields => (edit.kind === "delete" ? fieldsOf(edit.before) : edit.fields);

/** The edits in the order of the text; deletions come last. Only those in view are drawn. */
function Edits({ draft, lines, onLine }: Pick<TextPlanProps, "draft" | "lines" | "onLine">) {
  const box = useRef<HTMLDivElement>(null);
  const edits = useMemo(() => {
    const placeOf = ({ kind, key }: Edit) => (kind === "delete" ? Infinity : (lines.get(key) ?? Infinity));
    return draft.edits
      .map((edit) => ({ edit, place: placeOf(edit) }))
      .toSorted((one, other) => (one.place === other.place ? 0 : one.place - other.place));
  }, [draft, lines]);
  const rows = useVirtualizer({
    count: edits.length,
    getScrollElement: () => box.current,
    estimateSize: () => 48,
    overscan: 8,
  });
  return (
    // A part that scrolls must be reachable by key.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div ref={box} className={styles["edits"]} role="group" tabIndex={0} aria-label={text.changes}>
      <ul style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, start, key }) => {
          const found = edits[index];
          return found ? (
            <li
              key={key}
              ref={rows.measureElement}
              data-index={index}
              data-kind={found.edit.kind}
              className={tintOf(found.edit.kind)}
              style={{ transform: `translateY(${start}px)` }}
            >
              <EditLine edit={found.edit} line={Number.isFinite(found.place) ? found.place : null} onLine={onLine} />
            </li>
          ) : null;
        })}
      </ul>
    </div>
  );
}

function EditLine({ edit, line, onLine }: { edit: Edit; line: number | null; onLine: (line: number) => void }) {
  const { name, recordType, value, ttl } = shownFields(edit);
  const before = edit.kind === "update" ? edit.before : null;
  const kind = useProviderKind(useZone());
  const owner = toUnicodeName(name);
  return (
    <>
      <Sign kind={edit.kind} />
      <span className={styles["owner"]}>
        {before && before.name !== name ? <del>{toUnicodeName(before.name)} </del> : null}
        {owner} <i>{recordType}</i>
      </span>
      <span className={styles["value"]}>
        <Values before={before && before.value !== value ? before.value : null} value={value} />
        {ttl === null ? null : (
          <small>
            {" "}
            {before && before.ttl !== ttl ? `${ttlText(before, kind)} → ` : ""}
            {ttlText({ ttl, proxied: isProxied(shownFields(edit), before) }, kind)}
          </small>
        )}
      </span>
      {line === null ? null : <LineButton line={line} what={`${owner} ${recordType}`} onLine={onLine} />}
    </>
  );
}
