import { Link } from "@tanstack/react-router";
import type { Domain } from "@zonewright/client";
import type { MouseEvent } from "react";
import { formatAgo, formatDay, formatMoment, formatNumber } from "../ui/format.ts";
import { domainsWords } from "../words/domains.ts";
import { qualified } from "./selection.ts";
import styles from "./domains.module.css";

const text = domainsWords;

interface DomainCellsProps {
  domain: Domain;
  provider: string;
  selected: boolean;
  /** Null if the user may not change the domain. */
  onCheck: ((event: MouseEvent) => void) | null;
}

/** The cells of a domain's row. The grid has the tab stop, so nothing in here has one. */
export function DomainCells({ domain, provider, selected, onCheck }: DomainCellsProps) {
  const { status, expiresAt, driftedAt, driftError, updatedAt } = domain;
  const state = driftError === null ? (driftedAt === null ? "sync" : "drift") : "error";
  const stateText = { sync: text.inSync, drift: text.drift, error: text.unreadable }[state];
  const late = status === "expired" ? styles["bad"] : status === "expiring" ? styles["warn"] : "";
  const name = qualified(domain);
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
      <span className={`${styles["cell"]} ${styles["providerCell"]}`} role="gridcell" title={driftError ?? stateText}>
        <i className={styles["dot"]} data-state={state} aria-hidden />
        {provider}
        <span className="sr">, {stateText}</span>
      </span>
      <span className={`${styles["cell"]} ${styles["number"]} ${styles["recordsCell"]}`} role="gridcell">
        {formatNumber(domain.recordCount)}
      </span>
      <span className={`${styles["cell"]} ${styles["expiresCell"]} ${late}`} role="gridcell">
        {expiresAt === null ? null : formatDay(expiresAt)}
      </span>
      <span className={`${styles["cell"]} ${styles["tagsCell"]}`} role="gridcell" title={domain.tags.join(", ")}>
        {domain.tags.join(", ")}
      </span>
      <span className={`${styles["cell"]} ${styles["changedCell"]}`} role="gridcell" title={formatMoment(updatedAt)}>
        {formatAgo(updatedAt)}
      </span>
    </>
  );
}
