import type { RouterOutputs } from "@zonewright/client";
import type { ReactNode } from "react";
import { formatAgo, formatDate, formatMoment } from "../ui/format.ts";
import { registrationWords } from "../words/registration.ts";
import styles from "./registration.module.css";

const text = registrationWords;

type Registration = RouterOutputs["registrations"]["get"];

/** What one source says. Null: it does not say; undefined: it cannot. */
interface Source {
  title: string;
  about: string;
  askedAt: Date | null;
  expiresAt?: Date | null;
  /** Whether its date is the one that counts. */
  isCounted: boolean;
  registrar?: string | null;
  statuses?: string[] | null;
  autoRenew?: boolean | null;
  locked?: boolean | null;
  nameServers: string[] | null;
  ds: string[] | null;
  /** Whether it speaks of another name than the others: the parent zone of a zone below the registered name does. */
  isApart?: boolean;
}

function sourcesOf({ name, registrar, registry, parent, expirySource }: Registration): Source[] {
  return [
    ...(registrar
      ? [
          {
            ...registrar,
            title: text.sources.registrar,
            about: registrar.account,
            askedAt: registrar.seenAt,
            isCounted: expirySource === "registrar",
          },
        ]
      : []),
    ...(registry
      ? [
          {
            ...registry,
            title: text.sources[registry.source],
            about: "",
            askedAt: registry.checkedAt,
            isCounted: expirySource === registry.source,
          },
        ]
      : []),
    ...(parent
      ? [
          {
            ...parent,
            title: text.sources.parent(parent.zone),
            about: "",
            askedAt: parent.seenAt,
            isCounted: false,
            isApart: parent.zone === name || parent.zone.endsWith(`.${name}`),
          },
        ]
      : []),
  ];
}

/** The facts of a registration, one source beside the other. */
export function RegistrationFacts({ registration }: { registration: Registration }) {
  const sources = sourcesOf(registration);
  const { expiresAt, expirySource } = registration;
  const byHand = expirySource === "manual" && expiresAt ? formatDate(expiresAt) : null;
  if (sources.length === 0) return <p className={styles["note"]}>{text.nothing}</p>;
  const flag = (value: boolean | null | undefined) =>
    value === null || value === undefined ? null : value ? text.on : text.off;
  /** A row, unless no source says anything of it. */
  const row = (label: string, cell: (source: Source) => ReactNode, note: ReactNode = null) => {
    const cells = sources.map((source) => ({ title: source.title, content: cell(source) }));
    if (cells.every(({ content }) => content === null)) return null;
    return (
      <tr>
        <th scope="row">
          {label}
          {note}
        </th>
        {cells.map(({ title, content }) => (
          <td key={title} data-label={title} data-unknown={content === null || undefined}>
            {content ?? text.unknown}
          </td>
        ))}
      </tr>
    );
  };
  const lists = (label: string, field: "nameServers" | "ds") => {
    const compared = sources.filter((source) => source[field] !== null && !source.isApart);
    const known = compared.flatMap((source) => source[field] ?? []);
    const isEverywhere = (value: string) => known.filter((each) => each === value).length === compared.length;
    const differ = !known.every(isEverywhere);
    return row(
      label,
      (source) =>
        source[field] === null ? null : (
          <List values={source[field]} isEverywhere={source.isApart ? () => true : isEverywhere} />
        ),
      differ ? <small className={styles["odd"]}>{text.differ}</small> : null,
    );
  };
  return (
    <>
      <table className={styles["facts"]}>
        <thead>
          <tr>
            <th scope="col">
              <span className="sr">{text.rows.fact}</span>
            </th>
            {sources.map(({ title, about, askedAt }) => (
              <th key={title} scope="col">
                {title}
                <small>
                  {[about, askedAt ? text.asked(formatAgo(askedAt)) : text.neverAsked].filter(Boolean).join(", ")}
                </small>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {row(text.rows.expires, (source) =>
            source.expiresAt ? (
              <>
                <time dateTime={source.expiresAt.toISOString()} title={formatMoment(source.expiresAt)}>
                  {formatDate(source.expiresAt)}
                </time>
                {source.isCounted ? <small>{text.counts}</small> : null}
              </>
            ) : null,
          )}
          {row(text.rows.autoRenew, ({ autoRenew }) => flag(autoRenew))}
          {row(text.rows.locked, ({ locked }) => flag(locked))}
          {lists(text.rows.nameServers, "nameServers")}
          {lists(text.rows.ds, "ds")}
          {row(text.rows.registrar, ({ registrar }) => registrar ?? null)}
          {row(text.rows.statuses, ({ statuses }) => statuses?.join(", ") || null)}
        </tbody>
      </table>
      {byHand === null ? null : <p className={styles["note"]}>{text.countsByHand(byHand)}</p>}
    </>
  );
}

interface ListProps {
  values: readonly string[];
  /** Whether all sources that say something have it. */
  isEverywhere: (value: string) => boolean;
}

function List({ values, isEverywhere }: ListProps) {
  if (values.length === 0) return text.none;
  return (
    <ul>
      {values.map((value) => (
        <li key={value}>
          <code>{value}</code>
          {isEverywhere(value) ? null : <small className={styles["odd"]}>{text.onlyHere}</small>}
        </li>
      ))}
    </ul>
  );
}
