import { Link } from "@tanstack/react-router";
import type { Domain } from "@zonewright/client";
import type { MouseEvent, ReactNode } from "react";
import { formatAgo, formatDate, formatMoment, formatNumber } from "../ui/format.ts";
import { domainsWords } from "../words/domains.ts";
import { qualified } from "./selection.ts";
import styles from "./domains.module.css";

const text = domainsWords;

interface DomainCellsProps {
  domain: Domain;
  provider: string;
  columns: readonly string[];
  selected: boolean;
  /** Null if the user may not change the domain. */
  onCheck: ((event: MouseEvent) => void) | null;
}

interface Cell {
  title?: string;
  content: ReactNode;
  look?: string | undefined;
}

/** Who changed the records last, and when, if something else of the domain changed since. */
function authorOf({ actor, actorId, tsigKey, at }: NonNullable<Domain["lastChange"]>, updatedAt: Date): string {
  const author = tsigKey === null ? (actor ?? (actorId ? text.deletedUser : "Zonewright")) : text.byKey(tsigKey);
  // The column beside it says the other time: twice the same would be read as a fault.
  const isOther = at && at < updatedAt && formatAgo(at) !== formatAgo(updatedAt);
  return isOther ? `${author}, ${formatAgo(at)}` : author;
}

const plain = (said: string | null): Cell => ({ title: said ?? "", content: said });

/** The cells of a domain's row. The grid has the tab stop, so nothing in here has one. */
export function DomainCells({ domain, provider, columns, selected, onCheck }: DomainCellsProps) {
  const { status, expiresAt, driftedAt, driftError, updatedAt, lastChange, tags } = domain;
  const state = driftError === null ? (driftedAt === null ? "sync" : "drift") : "error";
  const stateText = { sync: text.inSync, drift: text.drift, error: text.unreadable }[state];
  const late = status === "expired" ? styles["bad"] : status === "expiring" ? styles["warn"] : "";
  const name = qualified(domain);
  const cells: Readonly<Record<string, () => Cell>> = {
    provider: () => ({
      title: driftError ?? stateText,
      content: (
        <>
          <i className={styles["dot"]} data-state={state} aria-hidden />
          {provider}
          <span className="sr">, {stateText}</span>
        </>
      ),
    }),
    records: () => ({ content: formatNumber(domain.recordCount), look: styles["number"] }),
    expires: () => ({ content: expiresAt && formatDate(expiresAt), look: late }),
    tags: () => plain(tags.join(", ")),
    group: () => plain(domain.groupName),
    changed: () => ({ title: formatMoment(updatedAt), content: formatAgo(updatedAt) }),
    author: () => plain(lastChange ? authorOf(lastChange, updatedAt) : null),
  };
  return (
    <>
      <span className={`${styles["check"]} ${styles["checkCell"]}`} role="gridcell">
        {onCheck ? (
          <input
            type="checkbox"
            tabIndex={-1}
            aria-label={text.select(name)}
            checked={selected}
            readOnly
            onClick={onCheck}
          />
        ) : null}
      </span>
      <span className={`${styles["name"]} ${styles["nameCell"]}`} role="gridcell">
        <Link to="/d/$name/records" params={{ name }} tabIndex={-1} preload={false}>
          {domain.name}
        </Link>
        {domain.view === "" ? null : <span className={styles["chip"]}>{domain.view}</span>}
        {status === "disabled" ? <span className={styles["chip"]}>{text.statuses.disabled}</span> : null}
        {/* The next cell says it in full. */}
        {state === "sync" ? null : (
          <span className={styles["chip"]} data-state={state} aria-hidden>
            {state === "drift" ? text.differs : text.unread}
          </span>
        )}
      </span>
      {columns.map((column) => {
        const { title, content, look = "" } = cells[column]?.() ?? {};
        return (
          <span
            key={column}
            className={`${styles["cell"]} ${styles[`${column}Cell`]} ${look}`}
            data-label={(text as Readonly<Record<string, unknown>>)[column]}
            role="gridcell"
            title={title}
          >
            {content}
          </span>
        );
      })}
    </>
  );
}
