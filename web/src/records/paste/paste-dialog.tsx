import { useVirtualizer } from "@tanstack/react-virtual";
import { TriangleAlert } from "lucide-react";
import { useEffect, useEffectEvent, useMemo, useRef, useState } from "react";
import { toUnicodeName } from "../../../../server/dns/names/names.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { CheckField, SelectField, TextArea } from "../../ui/field.tsx";
import { formatNumber } from "../../ui/format.ts";
import { Failure, Notice } from "../../ui/notice.tsx";
import { textOfFile } from "../../ui/text-file.ts";
import { pasteWords } from "../../words/paste.ts";
import { words } from "../../words/words.ts";
import { isProxied, mostChanges } from "../../zone/draft/draft.ts";
import { useProviderKind } from "../../zone/automatic-ttl.tsx";
import { Sign, tintOf, Values } from "../../zone/patch-view.tsx";
import { ttlText, type ProviderKind } from "../../zone/ttl.ts";
import type { Row } from "../grid/rows.ts";
import { merged, type Merged, type PastedChange } from "./merge.ts";
import { atProvider, inSlices, lineAt, readableFormats, readText, type Read, type ReadableFormat } from "./read.ts";
import styles from "./paste.module.css";

const text = pasteWords;
/** Longer texts are not shown in a field: browsers lay out every line of one. */
const mostShown = 200_000;
/** More than anybody reads in one go. */
const mostNamed = 50;

/** What was pasted, dropped or chosen. */
export type Given = { text: string } | { file: File } | null;

interface Source {
  text: string;
  /** Where a long text came from. */
  name: string;
  isLatin1: boolean;
}

interface PasteDialogProps {
  zone: { name: string; nameUnicode: string; providerId: string };
  given: Given;
  /** Reads the zone's records with the draft's edits, at least those of the names. */
  readRows: (names: ReadonlySet<string>, signal: AbortSignal) => Promise<readonly Row[]>;
  edits: (place: { name: string; recordType: string }) => boolean;
  unlocks: boolean;
  /** Why the reader may not change a record. */
  refusal: string;
  onAdd: (changes: readonly PastedChange[]) => void;
  onClose: () => void;
}

const none: Source = { text: "", name: "", isLatin1: false };
const megabytes = (bytes: number) => `${formatNumber(Math.round(bytes / 104_857.6) / 10)} MB`;

/** Reads records from a pasted text or a file, shows what they would change, and takes what is ticked into the draft. */
export function PasteDialog(props: PasteDialogProps) {
  const { zone, given, readRows, edits, unlocks, onAdd, onClose } = props;
  const [source, setSource] = useState<Source>(() =>
    given && "text" in given ? { ...none, text: given.text, name: text.clipboard } : none,
  );
  const [refused, setRefused] = useState<string | null>(null);
  const [format, setFormat] = useState<ReadableFormat>("auto");
  const [lenient, setLenient] = useState(false);
  const [replace, setReplace] = useState(false);
  const open = async (file: File) => {
    setRefused(null);
    const opened = await textOfFile(file);
    if (!opened.ok) {
      const reasons = {
        notText: text.notText,
        tooLarge: text.tooLarge(megabytes(file.size)),
        unreadable: text.unreadable(file.name),
      };
      return setRefused(reasons[opened.why]);
    }
    return setSource({ text: opened.text, name: file.name, isLatin1: opened.isLatin1 });
  };
  useEffect(() => {
    if (given && "file" in given) void open(given.file);
    // A file is opened once: the dialog is made anew for another one.
    // oxlint-disable-next-line react-hooks/exhaustive-deps, react/exhaustive-effect-dependencies
  }, []);

  const kind = useProviderKind(zone);
  const reading = useReading(source.text, { zone: zone.name, format, lenient }, kind);
  const read = reading?.ok === true ? reading : null;
  const comparison = useMerged(read, { readRows, replace, edits, unlocks });
  const changes = comparison.merged?.changes ?? noChanges;
  /** The changes whose tick is not as at first. */
  const [turned, setTurned] = useState<ReadonlySet<PastedChange>>(new Set());
  const isTicked = (change: PastedChange) => change.refusal === null && change.isTicked !== turned.has(change);
  const ticked = changes.filter(isTicked);
  const turn = (change: PastedChange) => {
    const next = new Set(turned);
    if (!next.delete(change)) next.add(change);
    setTurned(next);
  };
  const tickAll = (wanted: boolean) =>
    setTurned(new Set(changes.filter((change) => change.refusal === null && change.isTicked !== wanted)));

  const chooser = useRef<HTMLInputElement>(null);
  const isLong = source.text.length > mostShown;
  const isBusy =
    source.text !== "" &&
    (reading === null || (read !== null && comparison.merged === null && comparison.error === null));
  const isTooMany = ticked.length > mostChanges;
  const add = () => {
    if (ticked.length > 0 && !isTooMany) onAdd(ticked);
  };
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title={text.title(zone.nameUnicode)}
      description={text.hint}
      onKeyDown={(event) => {
        if (event.key !== "Enter" || !(event.metaKey || event.ctrlKey)) return;
        event.preventDefault();
        add();
      }}
      alert={isTooMany ? <Notice kind="warning">{text.tooMany(formatNumber(mostChanges))}</Notice> : null}
      footer={
        <>
          <span role="status">
            {isBusy
              ? reading === null
                ? text.reading
                : text.comparing
              : changes.length > 0
                ? text.ticked(formatNumber(ticked.length), formatNumber(changes.length))
                : ""}
          </span>
          <Button kind="quiet" onClick={onClose}>
            {words.ui.cancel}
          </Button>
          <Button kind="primary" disabled={ticked.length === 0 || isTooMany || isBusy} onClick={add}>
            {text.add(formatNumber(ticked.length))}
          </Button>
        </>
      }
    >
      <div className={styles["stack"]}>
        {isLong ? (
          <div className={styles["long"]}>
            <span>{text.large(megabytes(source.text.length), source.name)}</span>
            <Button onClick={() => setSource(none)}>{text.another}</Button>
          </div>
        ) : (
          <TextArea
            label={text.text}
            mono
            rows={changes.length > 0 || source.text === "" ? 5 : 9}
            placeholder={text.placeholder}
            value={source.text}
            wrap="off"
            onValue={(value) => setSource({ ...source, text: value })}
          />
        )}
        {refused === null ? null : (
          <Notice kind="error" focusFor={refused}>
            {refused}
          </Notice>
        )}
        {source.isLatin1 ? <Notice kind="warning">{text.latin1}</Notice> : null}
        {reading?.ok === false ? <Errors errors={reading.errors} source={source.text} /> : null}
        <div className={styles["options"]}>
          <input
            ref={chooser}
            type="file"
            hidden
            onChange={(event) => {
              const [file] = event.target.files ?? [];
              if (file) void open(file);
              event.target.value = "";
            }}
          />
          <Button onClick={() => chooser.current?.click()}>{text.choose}</Button>
          <SelectField
            label={text.format}
            value={format}
            hint={format === "auto" && reading?.format ? text.readAs(text.formats[reading.format]) : undefined}
            options={readableFormats.map((value) => ({ value, label: text.formats[value] }))}
            onValue={setFormat}
          />
          <div className={styles["checks"]}>
            <CheckField label={text.replace} checked={replace} onValue={setReplace} />
            <CheckField label={text.lenient} checked={lenient} onValue={setLenient} />
          </div>
        </div>
        <Failure error={comparison.error} />
        {read ? <Findings read={read} zone={zone.nameUnicode} same={comparison.merged?.same ?? 0} /> : null}
        {changes.length > 0 ? (
          <Changes
            changes={changes}
            isTicked={isTicked}
            onTurn={turn}
            onAll={tickAll}
            refusal={props.refusal}
            provider={kind ?? null}
          />
        ) : null}
      </div>
    </Dialog>
  );
}

const noChanges: readonly PastedChange[] = [];

type Settings = Parameters<typeof readText>[1];

/** What was read of a text; null while it is being read, or if there is none. */
function useReading(
  source: string,
  { zone, format, lenient }: Settings,
  kind: ProviderKind | null | undefined,
): Read | null {
  const wanted = useMemo(() => ({ source, zone, format, lenient, kind }), [source, zone, format, lenient, kind]);
  const [done, setDone] = useState<{ of: typeof wanted; read: Read } | null>(null);
  useEffect(() => {
    const { kind: provider } = wanted;
    if (wanted.source.trim() === "" || provider === undefined) return undefined;
    const ended = new AbortController();
    const run = async () => {
      try {
        const read = await readText(wanted.source, { ...wanted, provider: atProvider(provider) }, ended.signal);
        if (!ended.signal.aborted) setDone({ of: wanted, read });
      } catch (error) {
        if (!ended.signal.aborted) throw error;
      }
    };
    // While somebody types, each letter would start anew.
    const wait = setTimeout(() => void run(), 150);
    return () => {
      clearTimeout(wait);
      ended.abort();
    };
  }, [wanted]);
  return done?.of === wanted ? done.read : null;
}

type MergeOptions = Pick<PasteDialogProps, "readRows" | "edits" | "unlocks"> & { replace: boolean };
type Readable = Extract<Read, { ok: true }>;

interface Comparison {
  merged: Merged | null;
  error: unknown;
}

const notCompared: Comparison = { merged: null, error: null };

/** What the records would change. The zone is read once per text: what others change meanwhile, the plan of the draft shows. */
function useMerged(read: Readable | null, { replace, ...options }: MergeOptions): Comparison {
  const [done, setDone] = useState<(Comparison & { read: Readable; replace: boolean }) | null>(null);
  const compare = useEffectEvent(async (of: Readable, signal: AbortSignal) => {
    const names = new Set([...of.records, ...of.disabled].map(({ record }) => record.name));
    const rows = await options.readRows(names, signal);
    return await inSlices(merged(of.records, of.disabled, rows, { replace, ...options }), signal);
  });
  useEffect(() => {
    if (read === null) return undefined;
    const ended = new AbortController();
    const run = async () => {
      const found = await compare(read, ended.signal).then(
        (changes): Comparison => ({ merged: changes, error: null }),
        (error: unknown): Comparison => ({ merged: null, error }),
      );
      if (!ended.signal.aborted) setDone({ read, replace, ...found });
    };
    void run();
    return () => ended.abort();
  }, [read, replace]);
  return done !== null && done.read === read && done.replace === replace ? done : notCompared;
}

function Errors({ errors, source }: { errors: readonly { line: number; message: string }[]; source: string }) {
  const more = errors.length - mostNamed;
  return (
    <Notice kind="error">
      <strong>{text.errors(formatNumber(errors.length))}</strong> {text.fix}
      <ul className={styles["lines"]}>
        {errors.slice(0, mostNamed).map(({ line, message }) => (
          <li key={`${line} ${message}`}>
            <b>{text.line(formatNumber(line))}</b> {message}
            <code>{lineAt(source, line)}</code>
          </li>
        ))}
      </ul>
      {more > 0 ? text.more(formatNumber(more)) : null}
    </Notice>
  );
}

interface FindingsProps {
  read: Readable;
  zone: string;
  /** How many records are there already. */
  same: number;
}

/** What was read otherwise than literally, or left out. */
function Findings({ read: { records, disabled, warnings, outOfZone, soa }, zone, same }: FindingsProps) {
  const facts = [
    records.length + disabled.length === 0 ? text.noneInside(zone) : null,
    outOfZone.length > 0 ? text.outside(formatNumber(outOfZone.length)) : null,
    soa === null ? null : text.soa,
    same > 0 ? text.already(formatNumber(same)) : null,
  ].filter((fact) => fact !== null);
  return (
    <>
      {facts.length > 0 ? <p className={styles["facts"]}>{facts.join(" ")}</p> : null}
      {warnings.length > 0 ? (
        <details className={styles["warnings"]}>
          <summary>
            <TriangleAlert aria-hidden />
            {text.warnings(formatNumber(warnings.length))}
          </summary>
          <ul className={styles["lines"]}>
            {warnings.slice(0, mostNamed).map(({ line, message }) => (
              <li key={`${line} ${message}`}>
                <b>{text.line(formatNumber(line))}</b> {message}
              </li>
            ))}
          </ul>
          {warnings.length > mostNamed ? text.more(formatNumber(warnings.length - mostNamed)) : null}
        </details>
      ) : null}
    </>
  );
}

interface ChangesProps {
  changes: readonly PastedChange[];
  isTicked: (change: PastedChange) => boolean;
  onTurn: (change: PastedChange) => void;
  onAll: (wanted: boolean) => void;
  refusal: string;
  provider: ProviderKind | null;
}

/** The changes with a tick each. Only those in view are drawn. */
function Changes({ changes, isTicked, onTurn, onAll, refusal, provider }: ChangesProps) {
  const box = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: changes.length,
    getScrollElement: () => box.current,
    estimateSize: () => 30,
    overscan: 8,
  });
  const reasons = { type: text.foreignType, locked: text.locked, rights: refusal };
  const mayTick = changes.filter((change) => change.refusal === null);
  const isAll = mayTick.length > 0 && mayTick.every(isTicked);
  const hasServers = mayTick.some((change) => !change.isTicked);
  return (
    <section className={styles["found"]} aria-label={text.records}>
      <label className={styles["all"]}>
        <input type="checkbox" checked={isAll} onChange={() => onAll(!isAll)} />
        {text.tickAll}
      </label>
      {hasServers ? <p className={styles["facts"]}>{text.ownServers}</p> : null}
      <div ref={box} className={styles["scroll"]} tabIndex={-1}>
        <ul style={{ height: rows.getTotalSize() }}>
          {rows.getVirtualItems().map(({ index, start, key }) => {
            const change = changes[index];
            if (!change) return null;
            const { kind, line, fields, row } = change;
            const name = toUnicodeName(fields.name);
            const before = kind === "update" && row && row.fields.value !== fields.value ? row.fields.value : null;
            return (
              <li
                key={key}
                ref={rows.measureElement}
                data-index={index}
                data-kind={kind}
                className={tintOf(kind)}
                style={{ transform: `translateY(${start}px)` }}
              >
                <label>
                  <input
                    type="checkbox"
                    checked={isTicked(change)}
                    disabled={change.refusal !== null}
                    onChange={() => onTurn(change)}
                  />
                  <Sign kind={kind} />
                  <span className={styles["name"]}>{name}</span>
                  <span className={styles["type"]}>{fields.recordType}</span>
                  <span className={styles["value"]}>
                    <Values before={before} value={fields.value} />
                  </span>
                  <span className={styles["note"]}>
                    {change.refusal === null
                      ? fields.ttl === null
                        ? ""
                        : ttlText({ ttl: fields.ttl, proxied: isProxied(fields, row?.record ?? null) }, provider)
                      : reasons[change.refusal]}
                    {line === null ? "" : ` · ${text.line(formatNumber(line))}`}
                  </span>
                </label>
              </li>
            );
          })}
        </ul>
      </div>
    </section>
  );
}
