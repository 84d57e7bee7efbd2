import { useNavigate } from "@tanstack/react-router";
import type { Domain, RouterOutputs } from "@zonewright/client";
import { ArrowDown, ArrowUp } from "lucide-react";
import { useId, useRef, useState, type CSSProperties, type KeyboardEvent, type MouseEvent } from "react";
import { useUser } from "../session/current-user.ts";
import { formatNumber } from "../ui/format.ts";
import { usePrinting } from "../ui/printing.ts";
import type { Rows } from "../ui/use-rows.ts";
import { domainsWords } from "../words/domains.ts";
import { words } from "../words/words.ts";
import { columnTable } from "./columns.ts";
import { DomainCells } from "./domain-cells.tsx";
import { mayChange, movedTo, noSelection, qualified, rowsBetween, withDomains, type Selection } from "./selection.ts";
import styles from "./domains.module.css";

const text = domainsWords;

/** How far PgUp and PgDn move. */
const pageRows = 15;

interface DomainTableProps {
  rows: Rows;
  total: number;
  at: (index: number) => Domain | undefined;
  /** Every row read so far, and one of them. */
  loaded: () => readonly Domain[];
  loadedAt: (index: number) => Domain | undefined;
  configs: RouterOutputs["providerConfigs"]["list"]["configs"];
  columns: readonly string[];
  sort: string | undefined;
  onSort: (sort: string) => void;
  selection: Selection;
  onSelection: (selection: Selection) => void;
}

/** The rows in view. One tab stop: arrows move, Enter opens, Space selects, Shift extends, Escape clears the selection. */
export function DomainTable(props: DomainTableProps) {
  const { rows, total, at, loaded, loadedAt, configs, columns, sort, onSort, selection, onSelection } = props;
  const { container, virtualizer } = rows;
  const id = useId();
  const user = useUser();
  const navigate = useNavigate();
  const names = new Map(configs.map((config) => [config.id, config.name]));
  const [active, setActive] = useState(0);
  const anchor = useRef(0);

  const toggle = (index: number) => {
    const domain = loadedAt(index);
    anchor.current = index;
    if (domain && mayChange(domain, user)) onSelection(withDomains(selection, [domain], !selection.has(domain.id)));
  };
  const extend = (index: number) => {
    const between = rowsBetween(anchor.current, index).flatMap((row) => loadedAt(row) ?? []);
    onSelection(
      withDomains(
        selection,
        between.filter((domain) => mayChange(domain, user)),
        true,
      ),
    );
  };
  const press = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget || event.metaKey || event.altKey) return;
    // With and without Ctrl, these go to the first and the last row, as in the grid of records.
    if (event.ctrlKey && event.key !== "Home" && event.key !== "End") return;
    const moved = movedTo(event.key, active, total, pageRows);
    const domain = loadedAt(active);
    if (moved !== null) {
      setActive(moved);
      virtualizer.scrollToIndex(moved);
      if (event.shiftKey) extend(moved);
      else anchor.current = moved;
    } else if (event.key === " ") {
      if (event.shiftKey) extend(active);
      else toggle(active);
    } else if (event.key === "Enter" && domain) {
      void navigate({ to: "/d/$name/records", params: { name: qualified(domain) } });
    } else if (event.key === "Escape" && selection.size > 0) {
      onSelection(noSelection);
    } else {
      return;
    }
    event.preventDefault();
  };
  const check = (index: number, event: MouseEvent) => {
    setActive(index);
    if (event.shiftKey) extend(index);
    else toggle(index);
    // The keys go on from the row that was checked.
    event.currentTarget.closest<HTMLElement>("[role=grid]")?.focus({ preventScroll: true });
  };
  const items = virtualizer.getVirtualItems();
  const isPrinting = usePrinting();
  const printed = items.filter(({ index }) => at(index)).length;
  const selectable = loaded().filter((domain) => mayChange(domain, user));
  const everything = selectable.length > 0 && selectable.every((domain) => selection.has(domain.id));
  const headings = { sort, onSort };
  return (
    // oxlint-disable-next-line jsx-a11y/interactive-supports-focus -- it has the one tab stop.
    <div
      className={styles["table"]}
      style={{ "--columns": columns.map((column) => columnTable[column]?.[0]).join(" ") } as CSSProperties}
      role="grid"
      tabIndex={0}
      aria-label={text.title}
      aria-rowcount={total + 1}
      aria-multiselectable
      aria-activedescendant={items.some(({ index }) => index === active) ? `${id}-${active}` : undefined}
      onKeyDown={press}
    >
      <div className={`${styles["row"]} ${styles["head"]}`} role="row" aria-rowindex={1}>
        <span className={styles["check"]} role="columnheader">
          {selectable.length > 0 ? (
            <input
              type="checkbox"
              aria-label={text.selectLoaded(formatNumber(selectable.length))}
              title={text.selectLoaded(formatNumber(selectable.length))}
              checked={everything}
              onChange={() => onSelection(withDomains(selection, selectable, !everything))}
            />
          ) : (
            <span className="sr">{text.selection}</span>
          )}
        </span>
        <Heading {...headings} label={text.name} by="name" />
        {columns.map((column) => (
          <Heading {...headings} key={column} label={columnLabel(column)} by={columnTable[column]?.[1]} />
        ))}
      </div>
      <div ref={container} className={styles["body"]} role="rowgroup" style={{ height: virtualizer.getTotalSize() }}>
        {items.map((item) => {
          const domain = at(item.index);
          const selected = domain !== undefined && selection.has(domain.id);
          return (
            <div
              key={item.key}
              ref={virtualizer.measureElement}
              id={`${id}-${item.index}`}
              data-index={item.index}
              data-active={item.index === active || undefined}
              className={styles["row"]}
              role="row"
              aria-rowindex={item.index + 2}
              aria-selected={selected}
              style={{ transform: `translateY(${item.start - virtualizer.options.scrollMargin}px)` }}
            >
              {domain ? (
                <DomainCells
                  domain={domain}
                  provider={names.get(domain.providerConfigId) ?? ""}
                  columns={columns}
                  selected={selected}
                  onCheck={mayChange(domain, user) ? (event) => check(item.index, event) : null}
                />
              ) : (
                <span role="gridcell" aria-busy aria-label={words.ui.loading} className={styles["nameCell"]} />
              )}
            </div>
          );
        })}
      </div>
      {isPrinting && printed < total ? <p>{text.printedPart(formatNumber(printed), formatNumber(total))}</p> : null}
    </div>
  );
}

/** What a column is called. */
export const columnLabel = (column: string) => (text as Readonly<Record<string, unknown>>)[column] as string;

interface HeadingProps {
  label: string;
  /** What the list can be sorted by. */
  by: string | undefined;
  sort: string | undefined;
  onSort: (sort: string) => void;
}

function Heading({ label, by, sort, onSort }: HeadingProps) {
  if (by === undefined) return <span role="columnheader">{label}</span>;
  const sorted = sort === by ? "ascending" : sort === `-${by}` ? "descending" : undefined;
  const numeric = by === "recordCount" ? styles["number"] : "";
  return (
    <span role="columnheader" aria-sort={sorted} className={numeric}>
      <button type="button" className={styles["sort"]} onClick={() => onSort(sort === by ? `-${by}` : by)}>
        {label}
        {sorted === "ascending" ? <ArrowUp aria-hidden /> : sorted === "descending" ? <ArrowDown aria-hidden /> : null}
      </button>
    </span>
  );
}
