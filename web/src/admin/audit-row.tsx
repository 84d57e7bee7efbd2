import type { RouterOutputs } from "@zonewright/client";
import { useState, type ReactNode } from "react";
import { formatMoment } from "../ui/format.ts";
import { adminWords } from "../words/admin.ts";
import { madeLines, type PatchLine } from "../zone/patch.ts";
import { Patch } from "../zone/patch-view.tsx";
import type { AuditSearch } from "./audit-filters.tsx";
import styles from "./admin.module.css";

const text = adminWords.audit;

type Entry = RouterOutputs["audit"]["list"]["entries"][number];
type State = Entry["before"];

interface AuditRowProps {
  entry: Entry;
  /** Usernames of those whom entries are about besides their targets, by id; null for a deleted user. */
  names: ReadonlyMap<string, string | null>;
  onFilter: (filter: AuditSearch) => void;
}

/** The user whom an entry is about besides its target. */
export function otherUser({ before, after }: Entry): string | null {
  const id = (after ?? before)?.["userId"];
  return typeof id === "string" ? id : null;
}

/** An entry of the trail as a sentence. Each name in it leads to the other entries about it. */
export function AuditRow({ entry, names, onFilter }: AuditRowProps) {
  const { action, actorId, at, tokenId, tsigKey, ip } = entry;
  // An entry of an earlier version may have an action that this one does not know.
  const known = Object.hasOwn(text.actions, action) ? text.actions[action] : undefined;
  const sentence = known ? known.sentence(entry) : text.unknown(action);
  const parts = sentence.split(/(\{\w+\})/).filter((part) => part !== "");
  return (
    <tr className={styles["entry"]}>
      <td className={styles["main"]}>
        <span className={styles["sentence"]}>
          {parts.map((part) => (
            <Name key={part} part={part} entry={entry} names={names} onFilter={onFilter} />
          ))}
        </span>
        {tokenId === null ? null : <small>{text.byToken}</small>}
        {tsigKey === null || actorId === null ? null : <small>{text.byKey(tsigKey)}</small>}
        <Details entry={entry} sentence={spoken(parts, entry, names)} />
      </td>
      <td className={styles["nowrap"]}>{formatMoment(at)}</td>
      <td className={styles["nowrap"]}>{ip ?? ""}</td>
    </tr>
  );
}

interface NameProps extends AuditRowProps {
  /** A part of the sentence: text, or what stands for a name. */
  part: string;
}

function Name({ part, entry, names, onFilter }: NameProps): ReactNode {
  const name = nameOf(part, entry, names);
  if (name === null) return part;
  const { actorId, targetId, domainId } = entry;
  const other = otherUser(entry);
  const [title, filter] =
    part === "{who}"
      ? [text.onlyOf(name), actorId === null ? null : { actor: actorId }]
      : part === "{domain}"
        ? [text.onlyDomain(name), domainId === null ? null : { domain: domainId, zone: undefined }]
        : part === "{user}"
          ? [text.onlyOf(name), other === null ? null : { actor: other }]
          : [text.onlyAbout(name), targetId === null ? null : { target: targetId }];
  if (filter === null) return <strong>{name}</strong>;
  return (
    <button type="button" className={styles["link"]} title={title} onClick={() => onFilter(filter)}>
      {name}
    </button>
  );
}

/** The name that a part of the sentence stands for; null if it is text. */
function nameOf(part: string, entry: Entry, names: AuditRowProps["names"]): string | null {
  const { actorId, actorName, tsigKey, ip, targetId, targetName, domainId, domainName } = entry;
  if (part === "{who}") {
    if (actorId !== null) return actorName ?? text.deletedUser;
    return tsigKey === null ? (ip === null ? text.service : text.visitor) : text.key(tsigKey);
  }
  const orId = (name: string | null, id: string | null) => name ?? (id === null ? text.nothing : text.noName(id));
  if (part === "{domain}") return orId(domainName, domainId);
  if (part === "{target}") return orId(targetName, targetId);
  if (part !== "{user}") return null;
  const id = otherUser(entry);
  const name = id === null ? text.deletedUser : names.get(id);
  return name === undefined ? "…" : (name ?? text.deletedUser);
}

function spoken(parts: readonly string[], entry: Entry, names: AuditRowProps["names"]): string {
  return parts.map((part) => nameOf(part, entry, names) ?? part).join("");
}

/** The sentence has them. */
const counts: ReadonlySet<string> = new Set(["creates", "updates", "deletes"]);

/** What the action changed, and where it comes from. */
function Details({ entry, sentence }: { entry: Entry; sentence: string }) {
  const { action, before, after, requestId, domainId } = entry;
  const [isOpen, setIsOpen] = useState(false);
  // A page has many entries: only those that somebody reads ask for their domains.
  const place = { domainId: isOpen ? domainId : null };
  const records = recordLines(before, after);
  const fields = fieldLines(before, after);
  // What is only said of an action is no difference that it made.
  const isDifference = records.length === 0 && (before !== null || /\.(?:create|import)$/.test(action));
  const facts = isDifference
    ? []
    : fields.filter(({ name, value }) => !counts.has(name) && value !== "0" && value !== "false");
  return (
    <details className={styles["fields"]} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary aria-label={`${text.details}: ${sentence}`}>{text.details}</summary>
      {records.length > 0 ? <Patch lines={records} place={place} /> : null}
      {isDifference && fields.length > 0 ? <Patch lines={fields} place={place} /> : null}
      <dl>
        {facts.map(({ name, value }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
        <div>
          <dt>{text.actionName}</dt>
          <dd>{action}</dd>
        </div>
        {requestId === null ? null : (
          <div>
            <dt>{text.request}</dt>
            <dd>{requestId}</dd>
          </div>
        )}
      </dl>
    </details>
  );
}

type Change = Parameters<typeof madeLines>[0][number];
type Audited = NonNullable<Change["after"]> & { id: string };

/** The records of a change set, as its entry has them. */
function recordsOf(state: State): Audited[] {
  const records = state?.["records"];
  return Array.isArray(records) ? records.filter((record) => typeof record === "object" && record !== null) : [];
}

/** The lines of the records of a change set. The counts beside them are in the sentence. */
function recordLines(before: State, after: State): PatchLine[] {
  const now = new Map(recordsOf(after).map((record) => [record.id, record]));
  const earlier = new Map(recordsOf(before).map((record) => [record.id, record]));
  return madeLines(
    [...new Set([...earlier.keys(), ...now.keys()])].map((id) => ({
      before: earlier.get(id) ?? null,
      after: now.get(id) ?? null,
    })) as Change[],
  );
}

/** The lines of everything else that an entry has. */
function fieldLines(before: State, after: State): PatchLine[] {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return names.flatMap((name): PatchLine[] => {
    const [old, value] = [shown(before?.[name]), shown(after?.[name])];
    // What does not change has only one side.
    if (isRecords(before?.[name]) || isRecords(after?.[name]) || (old === null && value === null)) return [];
    const line = { name, recordType: "", note: "", automaticNote: null };
    if (old === null) return [{ ...line, kind: "create", value: value ?? "", before: null }];
    if (value === null) return [{ ...line, kind: "delete", value: old, before: null }];
    return [{ ...line, kind: "update", value, before: old }];
  });
}

const isRecords = (value: unknown) =>
  Array.isArray(value) && value.every((one) => typeof one === "object" && one !== null && "recordType" in one);

function shown(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  return typeof value === "string" ? value : JSON.stringify(value);
}
