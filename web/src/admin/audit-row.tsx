import type { RouterOutputs } from "@zonewright/client";
import { formatMoment } from "../ui/format.ts";
import { adminWords } from "../words/admin.ts";
import styles from "./admin.module.css";

const text = adminWords.audit;

type Entry = RouterOutputs["audit"]["list"]["entries"][number];

interface AuditRowProps {
  entry: Entry;
  /** Usernames by their ids; null for a deleted user. */
  names: ReadonlyMap<string, string | null>;
  onFilter: (filter: { actor: string } | { target: string }) => void;
}

/** An entry of the audit trail: its user and its target lead to their other entries. */
export function AuditRow({ entry, names, onFilter }: AuditRowProps) {
  const { action, actorId, at, targetType, targetId, tokenId, tsigKey, ip } = entry;
  const who = actorOf(entry, names);
  return (
    <tr>
      <td className={styles["main"]}>
        {action}
        <Changes entry={entry} />
      </td>
      <td>
        {actorId === null ? (
          who
        ) : (
          <button
            type="button"
            className={styles["link"]}
            title={text.onlyOf(who)}
            onClick={() => onFilter({ actor: actorId })}
          >
            {who}
          </button>
        )}
        {tokenId === null ? null : <small className={styles["small"]}>{text.byToken}</small>}
        {tsigKey === null || actorId === null ? null : <small className={styles["small"]}>{text.key(tsigKey)}</small>}
      </td>
      <td data-label={text.target}>
        {targetId === null ? (
          targetType
        ) : (
          <button
            type="button"
            className={styles["link"]}
            title={text.onlyAbout(`${targetType} ${targetId}`)}
            onClick={() => onFilter({ target: targetId })}
          >
            {targetType}
          </button>
        )}
      </td>
      <td className={styles["nowrap"]}>{formatMoment(at)}</td>
      <td className={styles["nowrap"]}>{ip ?? ""}</td>
    </tr>
  );
}

function actorOf({ actorId, tsigKey, ip }: Entry, names: AuditRowProps["names"]): string {
  if (actorId === null) return tsigKey === null ? (ip === null ? text.service : text.visitor) : text.key(tsigKey);
  const name = names.get(actorId);
  return name === undefined ? "…" : (name ?? text.deletedUser);
}

/** What the action changed, field by field. */
function Changes({ entry: { action, before, after } }: { entry: Entry }) {
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  if (fields.length === 0) return null;
  return (
    <details className={styles["fields"]}>
      <summary aria-label={text.detailsOf(action)}>{text.details}</summary>
      <dl>
        {fields.map((name) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              {before === null ? null : (
                <>
                  <span className="sr">{text.before} </span>
                  <del>{shown(before[name])}</del>
                </>
              )}
              {before === null || after === null ? null : " → "}
              {after === null ? null : (
                <>
                  <span className="sr">{text.after} </span>
                  <ins>{shown(after[name])}</ins>
                </>
              )}
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

const shown = (value: unknown): string =>
  value === undefined || value === null ? text.absent : typeof value === "string" ? value : JSON.stringify(value);
