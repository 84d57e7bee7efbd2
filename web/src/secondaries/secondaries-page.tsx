import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import type { RouterOutputs } from "@zonewright/client";
import type { ReactNode } from "react";
import { client } from "../api.ts";
import { CheckField } from "../ui/field.tsx";
import { forPeople } from "../ui/for-people.ts";
import { formatMoment, formatNumber } from "../ui/format.ts";
import { Failure } from "../ui/notice.tsx";
import { Card, Page } from "../ui/page.tsx";
import { Pager } from "../ui/pager.tsx";
import { secondariesWords } from "../words/secondaries.ts";
import styles from "./secondaries.module.css";

const text = secondariesWords;
const pageSize = 20;

type Secondary = RouterOutputs["secondaries"]["listAll"]["secondaries"][number];

const pageOf = (given: string | undefined) => Math.max(1, Math.trunc(Number(given ?? 1)) || 1);

/** What serves the zones besides their own provider, those that need attention first. */
export function SecondariesPage() {
  const { only, mirrors: mirrorsAt, secondaries: secondariesAt } = useSearch({ from: "/inside/secondaries" });
  const navigate = useNavigate({ from: "/secondaries" });
  const attention = only === "attention";
  const [mirrorPage, secondaryPage] = [pageOf(mirrorsAt), pageOf(secondariesAt)];
  const mirrors = useQuery({
    queryKey: ["mirrors-of-all", attention, mirrorPage],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) =>
      await client.mirrors.listAll.query(
        { page: mirrorPage, limit: pageSize, ...(attention ? { state: "failing" as const } : {}) },
        { signal },
      ),
  });
  const secondaries = useQuery({
    queryKey: ["secondaries-of-all", attention, secondaryPage],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) =>
      await client.secondaries.listAll.query(
        { page: secondaryPage, limit: pageSize, ...(attention ? { behind: "true" as const } : {}) },
        { signal },
      ),
  });
  return (
    <Page title={text.title}>
      <p className={styles["intro"]}>{text.intro}</p>
      <CheckField
        label={text.attention}
        checked={attention}
        onValue={(checked) => void navigate({ search: { only: checked ? "attention" : undefined }, replace: true })}
      />
      <Part
        title={text.mirrors}
        columns={[text.zone, text.provider, text.state, text.lag]}
        error={mirrors.error}
        none={attention ? text.noFailing : text.noMirrors}
        page={mirrorPage}
        total={mirrors.data?.total}
        isKnown={mirrors.isSuccess && !mirrors.isPlaceholderData}
        onPage={(next, replace) =>
          void navigate({ search: (before) => ({ ...before, mirrors: String(next) }), replace })
        }
      >
        {mirrors.data?.mirrors.map(({ id, domainName, kind, state, lagSeconds, error }) => (
          <tr key={id}>
            <ZoneCell name={domainName} />
            <td>{kind}</td>
            <StateCell bad={state === "failing"} label={text.states[state]} error={error} />
            <td>{lagSeconds === 0 ? "" : `${formatNumber(lagSeconds)} s`}</td>
          </tr>
        ))}
      </Part>
      <Part
        title={text.secondaries}
        columns={[text.zone, text.address, text.state, text.serials]}
        error={secondaries.error}
        none={attention ? text.noBehind : text.noSecondaries}
        page={secondaryPage}
        total={secondaries.data?.total}
        isKnown={secondaries.isSuccess && !secondaries.isPlaceholderData}
        onPage={(next, replace) =>
          void navigate({ search: (before) => ({ ...before, secondaries: String(next) }), replace })
        }
      >
        {secondaries.data?.secondaries.map((one) => (
          <tr key={`${one.domainId} ${one.address} ${one.keyName} ${one.notified}`}>
            <ZoneCell name={one.domainName} />
            <td>{one.address}</td>
            <StateCell bad={one.error !== null || one.behindSince !== null} label={stateOf(one)} error={one.error} />
            <td>{text.both(String(one.serial ?? "–"), String(one.zoneSerial ?? "–"))}</td>
          </tr>
        ))}
      </Part>
    </Page>
  );
}

function stateOf({ error, behindSince, inSync, serial }: Secondary): string {
  if (error !== null) return text.unreachable;
  if (behindSince) return text.late(formatMoment(new Date(behindSince)));
  return inSync ? text.states.in_sync : serial === null ? text.unknown : text.states.behind;
}

interface PartProps {
  title: string;
  columns: readonly string[];
  error: unknown;
  /** What is said if there are no rows. */
  none: string;
  page: number;
  /** Rows on all pages; absent until they are known. */
  total: number | undefined;
  isKnown: boolean;
  onPage: (page: number, replace: boolean) => void;
  children: ReactNode;
}

function Part({ title, columns, error, none, page, total, isKnown, onPage, children }: PartProps) {
  return (
    <Card title={title} flush>
      <Failure error={error} />
      {total === 0 ? <p className={styles["none"]}>{none}</p> : null}
      {total ? (
        // Scrolls sideways on a phone, also by the keyboard.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        <div className={styles["scroll"]} tabIndex={0} role="region" aria-label={title}>
          <table aria-label={title}>
            <thead>
              <tr>
                {columns.map((column) => (
                  <th key={column} scope="col">
                    {column}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>{children}</tbody>
          </table>
        </div>
      ) : null}
      <Pager page={page} pages={Math.ceil((total ?? 0) / pageSize)} isKnown={isKnown} onPage={onPage} />
    </Card>
  );
}

function ZoneCell({ name }: { name: string }) {
  return (
    <td>
      <Link to="/d/$name/settings" params={{ name }} preload={false}>
        {name}
      </Link>
    </td>
  );
}

function StateCell({ bad, label, error }: { bad: boolean; label: string; error: string | null }) {
  return (
    <td>
      <span className={bad ? styles["bad"] : ""}>{label}</span>
      {error === null ? null : <small>{forPeople(error)}</small>}
    </td>
  );
}
