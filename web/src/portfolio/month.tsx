import { useQuery } from "@tanstack/react-query";
import type { RouterInputs, RouterOutputs } from "@zonewright/client";
import { useState } from "react";
import { client } from "../api.ts";
import { Button } from "../ui/button.tsx";
import { formatDate, formatNumber } from "../ui/format.ts";
import { Failure } from "../ui/notice.tsx";
import { locale } from "../words/language.ts";
import { portfolioWords } from "../words/portfolio.ts";
import { words } from "../words/words.ts";
import { DomainLink } from "./domain-link.tsx";
import styles from "./portfolio.module.css";

const text = portfolioWords;
const pageSize = 100;
/** A month of more domains is cut after this many, and says so. */
const mostShown = 500;
/** Domains of a day that are shown before all are asked for. */
const fewOfDay = 4;
const dayMilliseconds = 86_400_000;

type Filters = Exclude<RouterInputs["portfolio"]["list"], void>;
type PortfolioDomain = RouterOutputs["portfolio"]["list"]["domains"][number];

const monthName = new Intl.DateTimeFormat(locale, { year: "numeric", month: "long", timeZone: "UTC" });
const weekday = new Intl.DateTimeFormat(locale, { weekday: "short", timeZone: "UTC" });

/** A region's habits. Not every browser knows them. */
type Region = Intl.Locale & { getWeekInfo?: () => { firstDay: number } };
/** The first day of the week as `getUTCDay` counts. */
const firstWeekday = ((new Intl.Locale(locale) as Region).getWeekInfo?.().firstDay ?? 1) % 7;

/** Returns the start of a month in UTC, in which expiry dates are. A wrong text is the current month. */
function startOf(month: string, offset = 0): Date {
  const [, year, number] = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(month) ?? [];
  const now = new Date();
  return new Date(
    Date.UTC(Number(year ?? now.getUTCFullYear()), (number ? Number(number) - 1 : now.getUTCMonth()) + offset, 1),
  );
}

/** Returns the month of a day as addresses write it. */
export const monthOf = (date: Date): string => date.toISOString().slice(0, 7);

/** Reads the domains that expire in a month, at most {@link mostShown} of them. */
async function readMonth(filters: Filters, signal: AbortSignal) {
  const domains: PortfolioDomain[] = [];
  for (let page = 1; ; page++) {
    const found = await client.portfolio.list.query({ ...filters, page, limit: pageSize }, { signal });
    domains.push(...found.domains);
    if (found.domains.length < pageSize || domains.length >= Math.min(found.total, mostShown))
      return { domains, total: found.total };
  }
}

interface MonthProps {
  month: string;
  filters: Pick<Filters, "search" | "status" | "group">;
  onMonth: (month: string) => void;
}

/** The domains that expire in a month, by day. */
export function Month({ month, filters, onMonth }: MonthProps) {
  const [from, before] = [startOf(month), startOf(month, 1)];
  const { data, error } = useQuery({
    queryKey: ["portfolio", "month", monthOf(from), filters],
    queryFn: async ({ signal }) =>
      await readMonth({ ...filters, expiresFrom: from, expiresBefore: before, sort: "expiresAt" }, signal),
  });
  const byDay = Map.groupBy(data?.domains ?? [], ({ expiresAt }) => expiresAt?.getUTCDate() ?? 0);
  const last = data?.domains.at(-1)?.expiresAt;
  return (
    <>
      <div className={styles["months"]}>
        <h3 aria-live="polite">{monthName.format(from)}</h3>
        <Button onClick={() => onMonth(monthOf(startOf(month, -1)))} aria-label={text.earlier}>
          ‹
        </Button>
        <Button onClick={() => onMonth(monthOf(new Date()))}>{text.thisMonth}</Button>
        <Button onClick={() => onMonth(monthOf(startOf(month, 1)))} aria-label={text.later}>
          ›
        </Button>
      </div>
      <Failure error={error} />
      {data ? null : <p className={styles["inset"]}>{error ? null : words.ui.loading}</p>}
      {data?.total === 0 ? <p className={styles["inset"]}>{text.noneInMonth}</p> : null}
      {data && last && data.total > data.domains.length ? (
        <p className={styles["inset"]}>
          {text.monthCut(formatNumber(data.domains.length), formatNumber(data.total), formatDate(last))}
        </p>
      ) : null}
      <table className={styles["month"]} aria-label={monthName.format(from)}>
        <thead>
          <tr>
            {weeksOf(from, before)[0]?.map((day) => (
              <th key={day.getTime()} scope="col">
                {weekday.format(day)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeksOf(from, before).map((week) => (
            <tr key={week[0]?.getTime()}>
              {week.map((day) =>
                day < from || day >= before ? (
                  <td key={day.getTime()} data-empty data-beside>
                    {day.getUTCDate()}
                  </td>
                ) : (
                  <Day key={day.getTime()} day={day} domains={byDay.get(day.getUTCDate()) ?? []} />
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

/** Returns the days of the weeks that a month has a part in. */
function weeksOf(from: Date, before: Date): Date[][] {
  const lead = (from.getUTCDay() - firstWeekday + 7) % 7;
  const start = from.getTime() - lead * dayMilliseconds;
  const weeks = Math.ceil((before.getTime() - start) / (7 * dayMilliseconds));
  return Array.from({ length: weeks }, (_, week) =>
    Array.from({ length: 7 }, (__, day) => new Date(start + (week * 7 + day) * dayMilliseconds)),
  );
}

const isToday = (day: Date) => day.toISOString().slice(0, 10) === new Date().toISOString().slice(0, 10);

function Day({ day, domains }: { day: Date; domains: readonly PortfolioDomain[] }) {
  const [showsAll, setShowsAll] = useState(false);
  const shown = showsAll ? domains : domains.slice(0, fewOfDay);
  return (
    <td data-empty={domains.length === 0 || undefined} aria-current={isToday(day) ? "date" : undefined}>
      <time dateTime={day.toISOString().slice(0, 10)} title={formatDate(day)}>
        {day.getUTCDate()}
      </time>
      {domains.length > 0 ? (
        <ul aria-label={formatDate(day)}>
          {shown.map((domain) => {
            const renewal = domain.status === "expired" ? "expired" : renewalOf(domain);
            return (
              <li key={domain.id}>
                {renewal ? (
                  <i className={styles["dot"]} data-renewal={renewal} title={text[renewal]} aria-hidden />
                ) : null}
                <DomainLink domain={domain} />
                {renewal ? <span className="sr"> ({text[renewal]})</span> : null}
              </li>
            );
          })}
        </ul>
      ) : null}
      {shown.length < domains.length ? (
        <Button kind="quiet" onClick={() => setShowsAll(true)}>
          {text.moreOfDay(formatNumber(domains.length - shown.length))}
        </Button>
      ) : null}
    </td>
  );
}

function renewalOf({ registration }: PortfolioDomain): "renews" | "doesNotRenew" | null {
  const { autoRenew = null } = registration ?? {};
  return autoRenew === null ? null : autoRenew ? "renews" : "doesNotRenew";
}
