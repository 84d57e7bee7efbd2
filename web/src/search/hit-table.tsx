import { Link } from "@tanstack/react-router";
import type { KeyboardEvent, Ref } from "react";
import { toUnicodeName } from "../../../server/dns/names/names.ts";
import { searchWords } from "../words/search.ts";
import { Ttl } from "../zone/automatic-ttl.tsx";
import { withMarks } from "./filters.ts";
import type { Hit } from "./hit-changes.ts";
import styles from "./search.module.css";

const text = searchWords;

interface HitTableProps {
  ref: Ref<HTMLTableElement>;
  hits: readonly Hit[];
  /** What to mark. */
  search: string | undefined;
  /** Whether they answer an earlier search. */
  stale: boolean;
  /** The records selected so far, by their id, also of other pages. Null if the user changes none. */
  selection: ReadonlyMap<string, Hit> | null;
  onSelect: (hits: readonly Hit[], selected: boolean) => void;
}

/** A provider maintains some records itself: nobody changes them here. */
const isSelectable = ({ serverManaged }: Hit) => !serverManaged;

/** Goes from hit to hit. */
function move(event: KeyboardEvent<HTMLTableElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
  const links = [...event.currentTarget.querySelectorAll("a")];
  const next = links[links.findIndex((link) => link === document.activeElement) + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
}

/** Found records. Each leads to its row in its zone; arrows go from one to the next. */
export function HitTable({ ref, hits, search, stale, selection, onSelect }: HitTableProps) {
  const selectable = hits.filter(isSelectable);
  const areAll = selectable.length > 0 && selectable.every(({ id }) => selection?.has(id));
  return (
    // The links in it take the keys.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <table ref={ref} className={styles["hits"]} aria-label={text.results} aria-busy={stale} onKeyDown={move}>
      <thead>
        <tr>
          {selection ? (
            <th scope="col" className={styles["check"]}>
              <input
                type="checkbox"
                aria-label={text.selectPage}
                title={text.selectPage}
                disabled={selectable.length === 0}
                checked={areAll}
                onChange={() => onSelect(selectable, !areAll)}
              />
            </th>
          ) : null}
          {[text.name, text.type, text.held, text.ttl].map((label) => (
            <th key={label} scope="col">
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {hits.map((hit) => (
          <Row
            key={hit.id}
            hit={hit}
            search={search}
            selected={selection && selection.has(hit.id)}
            onSelect={(selected) => onSelect([hit], selected)}
          />
        ))}
      </tbody>
    </table>
  );
}

interface RowProps {
  hit: Hit;
  search: string | undefined;
  /** Null if the user changes no records. */
  selected: boolean | null;
  onSelect: (selected: boolean) => void;
}

function Row({ hit, search, selected, onSelect }: RowProps) {
  const { name, domainName, recordType, value, ttl, proxied, comment, status } = hit;
  const [zone = "", view] = domainName.split("!");
  const readable = toUnicodeName(zone);
  return (
    <tr data-disabled={status === "disabled" || undefined} data-selected={selected || undefined}>
      {selected === null ? null : (
        <td className={styles["check"]}>
          <input
            type="checkbox"
            aria-label={text.select(`${name === "@" ? readable : `${name}.${readable}`} ${recordType} ${value}`)}
            disabled={!isSelectable(hit)}
            checked={selected}
            onChange={(event) => onSelect(event.target.checked)}
          />
        </td>
      )}
      <td className={styles["name"]}>
        <Link
          to="/d/$name/records"
          params={{ name: domainName }}
          search={{ search: name === "@" ? undefined : name, type: recordType }}
          preload={false}
        >
          {name === "@" ? null : (
            <>
              <b>
                <Marked text={toUnicodeName(name)} search={search} />
              </b>
              .
            </>
          )}
          <span className={styles["zone"]}>
            <Marked text={readable} search={search} />
          </span>
        </Link>
        {view === undefined ? null : <span className={styles["chip"]}>{view}</span>}
        {status === "disabled" ? <span className={styles["chip"]}>{text.disabled}</span> : null}
        {comment === null ? null : <small>{comment}</small>}
      </td>
      <td className={styles["type"]}>{recordType}</td>
      <td className={styles["value"]} title={value}>
        <Marked text={value} search={search} />
      </td>
      <td className={styles["ttl"]}>
        <Ttl ttl={ttl} proxied={proxied} place={hit} />
      </td>
    </tr>
  );
}

function Marked({ text: shown, search }: { text: string; search: string | undefined }) {
  return withMarks(shown, search).map(({ at, text: part, found }) =>
    found ? <mark key={at}>{part}</mark> : <span key={at}>{part}</span>,
  );
}
