import { Link } from "@tanstack/react-router";
import type { RouterOutputs } from "@zonewright/client";
import type { KeyboardEvent, Ref } from "react";
import { toUnicodeName } from "../../../server/dns/names/names.ts";
import { formatTtl } from "../ui/ttl.ts";
import { searchWords } from "../words/search.ts";
import { withMarks } from "./filters.ts";
import styles from "./search.module.css";

const text = searchWords;

type Hit = RouterOutputs["records"]["search"]["records"][number];

interface HitTableProps {
  ref: Ref<HTMLTableElement>;
  hits: readonly Hit[];
  /** What to mark. */
  search: string | undefined;
  /** Whether they answer an earlier search. */
  stale: boolean;
}

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
export function HitTable({ ref, hits, search, stale }: HitTableProps) {
  return (
    // The links in it take the keys.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <table ref={ref} className={styles["hits"]} aria-label={text.results} aria-busy={stale} onKeyDown={move}>
      <thead>
        <tr>
          {[text.name, text.type, text.held, text.ttl].map((label) => (
            <th key={label} scope="col">
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {hits.map((hit) => (
          <Row key={hit.id} hit={hit} search={search} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ hit, search }: { hit: Hit; search: string | undefined }) {
  const { name, domainName, recordType, value, ttl, comment, status } = hit;
  const [zone = "", view] = domainName.split("!");
  const readable = toUnicodeName(zone);
  return (
    <tr data-disabled={status === "disabled" || undefined}>
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
      <td className={styles["ttl"]}>{formatTtl(ttl)}</td>
    </tr>
  );
}

function Marked({ text: shown, search }: { text: string; search: string | undefined }) {
  return withMarks(shown, search).map(({ at, text: part, found }) =>
    found ? <mark key={at}>{part}</mark> : <span key={at}>{part}</span>,
  );
}
