import { useEffect, useEffectEvent, useLayoutEffect, useMemo, useRef, useState, type KeyboardEvent } from "react";
import { countLookups, includedIn, isSpf, letsAllSend, mostLookups, withInclude } from "../../../../server/dns/spf.ts";
import { Button } from "../../ui/button.tsx";
import field from "../../ui/field.module.css";
import { formatNumber } from "../../ui/format.ts";
import { Menu } from "../../ui/menu.tsx";
import { recordsWords } from "../../words/records.ts";
import { words } from "../../words/words.ts";
import { isDisabled, sameFields, type Fields } from "../../zone/draft/draft.ts";
import { useProviderKind } from "../../zone/automatic-ttl.tsx";
import { readTtl, ttlText } from "../../zone/ttl.ts";
import { useZone } from "../../zone/use-zone.ts";
import type { FieldFaults } from "../fields/check.ts";
import { noRules, useRules, withRules } from "../fields/rules.ts";
import { understandLine, understandName, understandValue } from "../fields/understand.ts";
import { joinValue, splitValue, valueParts } from "../fields/value-parts.ts";
import type { Column } from "./cursor.ts";
import type { Row } from "./rows.ts";
import styles from "./grid.module.css";

const text = recordsWords;

interface EditorProps {
  row: Row;
  /** Where the typing begins. */
  column: Column;
  zone: string;
  types: readonly string[];
  /** Why the reader may not change a record of that name and type; null if they may. */
  refusalAt: (place: { name: string; recordType: string }) => string | null;
  /** Takes the fields, with the row as it was when the editing began: others may have changed its record since. */
  onDone: (begun: Row, fields: Fields) => void;
  onCancel: () => void;
  /** Takes what was typed when the row goes without either: it is scrolled away, another one is edited, or the record was deleted. */
  onLeft: (begun: Row, fields: Fields) => void;
}

/** Edits a record in its row. Enter takes the fields into the draft, Escape leaves them. Faults are explained at the field while it is left. */
export function RowEditor({ row, column, zone, types, refusalAt, onDone, onCancel, onLeft }: EditorProps) {
  const [begun] = useState(row);
  const { fields } = begun;
  const [recordType, setRecordType] = useState(fields.recordType);
  const [name, setName] = useState(fields.name);
  const [parts, setParts] = useState(() => splitValue(fields.recordType, fields.value));
  const kind = useProviderKind(useZone());
  /** Null until somebody types one: what the kind of provider is may become known meanwhile. */
  const [typedTtl, setTtl] = useState<string | null>(null);
  const ttl = typedTtl ?? (fields.ttl === null ? "" : ttlText({ ttl: fields.ttl }, kind));
  const [note, setNote] = useState(fields.comment ?? "");
  const [disabled, setDisabled] = useState(isDisabled(fields));
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [correction, setCorrection] = useState<string | null>(null);
  /** Whether the fields are to be taken as soon as the rules are there. */
  const [isWaiting, setIsWaiting] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const first = box.current?.querySelector<HTMLInputElement>(`[data-column="${column}"]`);
    first?.focus();
    if (first instanceof HTMLInputElement) first.select();
  }, [column]);
  const ttlBox = useRef<HTMLInputElement>(null);
  // The browser ends the selection when the kind of provider gives the TTL another text: what is typed next replaces it.
  useLayoutEffect(() => {
    if (typedTtl === null && document.activeElement === ttlBox.current) ttlBox.current?.select();
    // Only when the text changes.
    // oxlint-disable-next-line react-hooks/exhaustive-deps, react/exhaustive-effect-dependencies
  }, [ttl]);

  const joined = joinValue(parts);
  // What nobody changed is kept to the letter: nobody pasted it.
  const isValueKept =
    recordType === fields.recordType && joined === joinValue(splitValue(fields.recordType, fields.value));
  const isNameKept = name === fields.name && name !== "";
  const value = isValueKept ? fields.value : joined;
  /** The faults, but for those of what the record has already: the service does not judge it again. */
  const withoutOld = (found: FieldFaults): FieldFaults => ({
    ...found,
    name: begun.record?.name === name ? null : found.name,
    value: begun.record?.value === value && begun.record.recordType === recordType ? null : found.value,
  });
  const seconds = ttl.trim() === "" ? null : readTtl(ttl, kind);
  const { checkFields, betterType, canonicalName } = useRules();
  const found = useMemo(
    () => checkFields({ recordType, name, value, ttl: seconds }, zone),
    [checkFields, recordType, name, value, seconds, zone],
  );
  const faults = withoutOld(found);
  const ttlFault = ttl.trim() !== "" && seconds === null ? text.ttlWrong : faults.ttl;
  const others = { ...(disabled && { disabled }), ...(fields.proxied !== undefined && { proxied: fields.proxied }) };
  const isOver = useRef(false);
  const keepTyped = useEffectEvent(() => {
    const typed: Fields = {
      recordType,
      name,
      value,
      strings: value === fields.value && recordType === fields.recordType ? fields.strings : null,
      ttl: seconds,
      comment: note.trim() === "" ? null : note.trim(),
      ...others,
    };
    if (!isOver.current && !sameFields(typed, fields)) onLeft(begun, typed);
  });
  useEffect(() => {
    // A reload, or a tab that is closed: the page goes without taking the row away.
    addEventListener("pagehide", keepTyped);
    return () => {
      removeEventListener("pagehide", keepTyped);
      keepTyped();
    };
  }, []);
  const cancel = () => {
    isOver.current = true;
    onCancel();
  };
  const leave = (key: string) => setLeft((before) => new Set([...before, key]));
  const shown = (key: "name" | "value" | "ttl", fault: string | null) => (left.has(key) ? fault : null);

  const understand = () => {
    if (isValueKept) return leave("value");
    const meant = understandValue(recordType, value, zone);
    // Also without a word: blanks and invisible characters around it.
    if (meant.value !== value) setParts(splitValue(recordType, meant.value));
    if (meant.correction !== null) setCorrection(text.corrections[meant.correction]);
    return leave("value");
  };
  const understandOwner = () => {
    if (isNameKept) return leave("name");
    const meant = understandName(name, zone);
    if (meant.correction !== null) setCorrection(text.corrections[meant.correction]);
    setName(meant.name);
    return leave("name");
  };
  // By the rules that may have arrived since: for what is typed now, unless the editing ended meanwhile.
  const finishBy = useEffectEvent(({ checkFields, canonicalName, canonicalValue }: typeof noRules) => {
    setIsWaiting(false);
    if (isOver.current) return;
    const meant = isValueKept ? { value } : understandValue(recordType, value, zone);
    const meantName = isNameKept ? name : understandName(name, zone).name;
    const owner = isNameKept ? name : canonicalName(meantName, zone);
    const checked = withoutOld(checkFields({ recordType, name: meantName, value: meant.value, ttl: seconds }, zone));
    checked.name ??= refusalAt({ name: owner, recordType });
    if (checked.name !== null || checked.value !== null || ttlFault !== null) {
      setParts(splitValue(recordType, meant.value));
      setLeft(new Set(["name", "value", "ttl"]));
      const wrong = checked.name !== null ? "name" : checked.value !== null ? "value" : "ttl";
      box.current?.querySelector<HTMLElement>(`[data-column="${wrong}"]`)?.focus();
      return;
    }
    const canonical = isValueKept ? value : canonicalValue(recordType, meant.value);
    isOver.current = true;
    const kept = canonical === fields.value && recordType === fields.recordType;
    onDone(begun, {
      recordType,
      name: owner,
      value: canonical,
      strings: kept ? fields.strings : null,
      ttl: seconds,
      comment: note.trim() === "" ? null : note.trim(),
      ...others,
    });
  });
  useEffect(() => {
    if (!isWaiting) return undefined;
    let isGone = false;
    const finishUnlessGone = (rules: typeof noRules) => {
      if (!isGone) finishBy(rules);
    };
    withRules(finishUnlessGone, () => finishUnlessGone(noRules));
    return () => {
      isGone = true;
    };
  }, [isWaiting]);
  const finish = () => setIsWaiting(true);
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    // The Enter that ends the choice of a character (input methods) is not for the form.
    if (event.nativeEvent.isComposing) return;
    const newLine = event.target instanceof HTMLTextAreaElement && event.shiftKey;
    if (event.key === "Enter" && !newLine && !(event.target instanceof HTMLButtonElement)) {
      event.preventDefault();
      finish();
    } else if (event.key === "Escape") {
      event.preventDefault();
      cancel();
    }
  };
  const changeType = (next: string) => {
    setRecordType(next);
    setParts(splitValue(next, value));
  };

  const owner = isNameKept ? name : canonicalName(name, zone);
  const nameFault = shown("name", faults.name ?? refusalAt({ name: owner, recordType }));
  const valueFault = shown("value", faults.value);
  const shownTtlFault = shown("ttl", ttlFault);
  const meantType = valueFault === null ? null : betterType(recordType, value);
  const typeHint = meantType === null ? null : text.betterType(meantType);
  const faultList = [nameFault, valueFault, typeHint, shownTtlFault].filter((fault) => fault !== null);
  return (
    // The keys of the form's fields, as one.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <div className={styles["editor"]} ref={box} onKeyDown={onKeyDown} role="group" aria-label={text.editor}>
      <label className={styles["field"]}>
        <span>{text.name}</span>
        <input
          className={`${field["input"]} ${field["mono"]}`}
          data-column="name"
          aria-invalid={nameFault !== null || undefined}
          value={name}
          spellCheck={false}
          autoCapitalize="none"
          autoComplete="off"
          onChange={(event) => setName(event.target.value)}
          onPaste={(event) => {
            const line = understandLine(event.clipboardData.getData("text"), types, zone);
            if (line === null) return;
            event.preventDefault();
            setName(line.name);
            setRecordType(line.recordType);
            setParts(splitValue(line.recordType, line.value));
            if (line.ttl !== null) setTtl(ttlText({ ttl: line.ttl }, kind));
            setCorrection(text.corrections.record);
          }}
          onBlur={understandOwner}
        />
      </label>
      <label className={styles["field"]}>
        <span>{text.type}</span>
        <select
          className={`${field["input"]} ${field["mono"]}`}
          data-column="type"
          value={recordType}
          onChange={(event) => changeType(event.target.value)}
        >
          {/* That of the record is there in any case. */}
          {[...new Set([...types, recordType])].map((type) => (
            <option key={type}>{type}</option>
          ))}
        </select>
      </label>
      <ValueFields
        recordType={recordType}
        parts={parts}
        onParts={(next) => {
          setParts(next);
          setCorrection(null);
        }}
        onLeave={understand}
        invalid={valueFault !== null}
      />
      <label className={styles["field"]}>
        <span>{text.ttl}</span>
        <input
          className={field["input"]}
          data-column="ttl"
          ref={ttlBox}
          aria-invalid={shownTtlFault !== null || undefined}
          placeholder={begun.record ? ttlText({ ttl: begun.record.ttl }, kind) : text.ttlAuto}
          value={ttl}
          autoComplete="off"
          onChange={(event) => setTtl(event.target.value)}
          onBlur={() => leave("ttl")}
        />
      </label>
      <label className={styles["field"]}>
        <span>{text.note}</span>
        <input
          className={field["input"]}
          data-column="note"
          maxLength={1000}
          value={note}
          autoComplete="off"
          onChange={(event) => setNote(event.target.value)}
        />
      </label>
      <div className={styles["editorFoot"]}>
        <div role="status" aria-live="polite">
          {faultList.length > 0 ? (
            <span className={styles["fault"]}>{faultList.join(" ")}</span>
          ) : (
            [correction, ...faults.warnings, recordType === "TXT" ? aboutText(value) : null].filter(Boolean).join(" ")
          )}
        </div>
        {recordType === "TXT" && isSpf(value) ? (
          <AddSender
            value={value}
            onValue={(next) => {
              setParts([next]);
              setCorrection(null);
            }}
            returnTo={() => box.current?.querySelector<HTMLElement>('[data-column="value"]') ?? null}
          />
        ) : null}
        <label className={styles["switch"]} title={text.disabledHint}>
          <input type="checkbox" checked={disabled} onChange={(event) => setDisabled(event.target.checked)} />
          {text.disabled}
        </label>
        <Button kind="quiet" onClick={cancel}>
          {words.ui.cancel}
        </Button>
        <Button kind="primary" pending={isWaiting} onClick={finish}>
          {text.done}
        </Button>
      </div>
    </div>
  );
}

/** How long a text is, and what receivers make of it if it is an SPF record. */
function aboutText(value: string): string {
  const octets = new TextEncoder().encode(value).length;
  const length = text.strings(formatNumber(Math.max(1, Math.ceil(octets / 255))), formatNumber(octets));
  if (!isSpf(value)) return length;
  const lookups = countLookups(value);
  return [
    ...(letsAllSend(value) ? [text.spf.everybody] : []),
    lookups > mostLookups ? text.spf.tooMany(lookups, mostLookups) : text.spf.lookups(lookups, mostLookups),
    length,
  ].join(" ");
}

/** What services that send mail for others ask their customers to include, by the name that people know. */
const senders = [
  ["Amazon SES", "amazonses.com"],
  ["Brevo", "spf.brevo.com"],
  ["Fastmail", "spf.messagingengine.com"],
  ["Google Workspace", "_spf.google.com"],
  ["Mailchimp Transactional", "spf.mandrillapp.com"],
  ["Mailgun", "mailgun.org"],
  ["Mailjet", "spf.mailjet.com"],
  ["Microsoft 365", "spf.protection.outlook.com"],
  ["Postmark", "spf.mtasv.net"],
  ["Proton Mail", "_spf.protonmail.ch"],
  ["SendGrid", "sendgrid.net"],
  ["Zendesk", "mail.zendesk.com"],
] as const;

interface AddSenderProps {
  value: string;
  onValue: (value: string) => void;
  returnTo: () => HTMLElement | null;
}

/** Adds a service to those that an SPF record lets send. */
function AddSender({ value, onValue, returnTo }: AddSenderProps) {
  const included = includedIn(value);
  return (
    // The keys of the menu are not those of the form.
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions
    <span onKeyDown={(event) => event.stopPropagation()}>
      <Menu
        trigger={<Button kind="quiet">{text.spf.add}</Button>}
        groups={[
          senders
            .filter(([, host]) => !included.includes(host))
            .map(([name, host]) => ({
              id: host,
              label: name,
              run: () => onValue(withInclude(value, host)),
            })),
        ]}
        returnTo={returnTo}
      />
    </span>
  );
}

interface ValueFieldsProps {
  recordType: string;
  parts: readonly string[];
  onParts: (parts: string[]) => void;
  onLeave: () => void;
  invalid: boolean;
}

/** The fields that a type's value consists of. */
function ValueFields({ recordType, parts, onParts, onLeave, invalid }: ValueFieldsProps) {
  const fields = valueParts(recordType);
  const common = {
    spellCheck: false,
    autoComplete: "off",
    autoCapitalize: "none",
    "aria-invalid": invalid || undefined,
  } as const;
  if (recordType === "TXT") {
    return (
      <label className={styles["field"]}>
        <span>{text.value}</span>
        <textarea
          {...common}
          className={`${field["input"]} ${field["mono"]}`}
          data-column="value"
          rows={Math.min(6, Math.max(1, Math.ceil((parts[0] ?? "").length / 44)))}
          value={parts[0] ?? ""}
          onChange={(event) => onParts([event.target.value])}
          onBlur={onLeave}
        />
      </label>
    );
  }
  return (
    <div className={styles["parts"]}>
      {fields.map(({ key, width, placeholder }, at) => (
        <label
          key={key}
          className={`${styles["field"]} ${width === undefined ? styles["grow"] : ""}`}
          style={width === undefined ? undefined : { width: `${width + 5}ch` }}
        >
          <span>{text.parts[key]}</span>
          <input
            {...common}
            className={`${field["input"]} ${field["mono"]}`}
            data-column={at === 0 ? "value" : undefined}
            placeholder={placeholder}
            value={parts[at] ?? ""}
            onChange={(event) =>
              onParts(fields.map((_, index) => (index === at ? event.target.value : (parts[index] ?? ""))))
            }
            onPaste={(event) => {
              // A whole value pasted into one field fills all of them.
              const pasted = event.clipboardData.getData("text").trim();
              if (fields.length < 2 || pasted.split(/\s+/).length < fields.length) return;
              event.preventDefault();
              onParts(splitValue(recordType, pasted));
            }}
            onBlur={onLeave}
          />
        </label>
      ))}
    </div>
  );
}
