import type { RouterOutputs } from "@zonewright/client";
import { useQuery } from "@tanstack/react-query";
import { client } from "../api.ts";
import { Button } from "../ui/button.tsx";
import { formatAgo, formatMoment, formatNumber } from "../ui/format.ts";
import { Failure, Notice } from "../ui/notice.tsx";
import { Page } from "../ui/page.tsx";
import { adminWords } from "../words/admin.ts";
import { AdminOnly } from "./admin-only.tsx";
import { Table } from "./table.tsx";
import styles from "./admin.module.css";

const text = adminWords.system;
/** Jobs run every minute, and instances say twice a minute that they run. */
const every = 15_000;

type Job = RouterOutputs["system"]["get"]["jobs"][number];

/** What runs, in which version, and whether the jobs do their work. */
export function SystemPage() {
  return (
    <AdminOnly>
      <State />
    </AdminOnly>
  );
}

function State() {
  const { data, error, refetch } = useQuery({
    queryKey: ["system"],
    queryFn: async ({ signal }) => await client.system.get.query({}, { signal }),
    refetchInterval: every,
  });
  const older = data?.instances.filter(({ version }) => version !== data.version) ?? [];
  return (
    <Page
      title={text.title}
      subtitle={data ? text.version(data.version) : null}
      actions={<Button onClick={() => void refetch()}>{text.again}</Button>}
    >
      <Failure error={error} />
      {data ? (
        <>
          {data.databaseState === "ok" ? null : <Notice kind="error">{text.databaseStates[data.databaseState]}</Notice>}
          {older.length > 0 ? <Notice kind="warning">{text.differ}</Notice> : null}
          {data.databaseState !== "ok" || data.instances.some(({ runsJobs }) => runsJobs) ? null : (
            <Notice kind="error">{text.noneRunsJobs}</Notice>
          )}
          <p className={styles["lead"]}>{text.database(data.database)}</p>
          <h2 className={styles["part"]}>{text.instances}</h2>
          <Table columns={[text.host, text.runs, text.jobsThere, text.started]}>
            {data.instances.map(({ id, host, version, node, runsJobs, startedAt, self }) => (
              <tr key={id}>
                <td className={styles["main"]}>
                  {host}
                  {self ? <small>{text.self}</small> : null}
                </td>
                <td data-label={text.runs}>{text.versions(version, node)}</td>
                <td data-label={text.jobsThere}>{runsJobs ? text.yes : text.no}</td>
                <td data-label={text.started} title={formatMoment(startedAt)}>
                  {formatAgo(startedAt)}
                </td>
              </tr>
            ))}
          </Table>
          <h2 className={styles["part"]}>{text.jobs}</h2>
          <Table columns={[text.job, text.schedule, text.queue, text.last]}>
            {data.jobs.map((job) => (
              <JobRow key={job.name} job={job} />
            ))}
          </Table>
        </>
      ) : null}
      <Licenses />
    </Page>
  );
}

/** The packages of other people that are delivered with Zonewright. */
function Licenses() {
  const { data, error } = useQuery({
    queryKey: ["licenses"],
    staleTime: Infinity,
    queryFn: async () => (await import("./licenses.ts")).licenses,
  });
  const count = data?.reduce((sum, [, packages]) => sum + packages.length, 0) ?? 0;
  return (
    <>
      <h2 className={styles["part"]}>{text.licenses}</h2>
      <Failure error={error} />
      {data ? (
        <>
          <p className={styles["lead"]}>{text.licensesLead(formatNumber(count))}</p>
          <Table columns={[text.license, text.packages]}>
            {data.map(([license, packages]) => (
              <tr key={license}>
                <td className={styles["main"]}>{license}</td>
                <td data-label={text.packages}>
                  <Packages packages={packages} />
                </td>
              </tr>
            ))}
          </Table>
        </>
      ) : null}
    </>
  );
}

function Packages({ packages }: { packages: readonly string[] }) {
  return (
    <details className={styles["packages"]}>
      <summary>{text.packageCount(packages.length, formatNumber(packages.length))}</summary>
      <ul>
        {packages.map((name) => (
          <li key={name}>{name}</li>
        ))}
      </ul>
    </details>
  );
}

/** Says a schedule in words. What is none of the service's own forms is shown as it is. */
function whenOf(schedule: string | null): string {
  if (schedule === null) return text.onRequest;
  const [minute = "", hour = ""] = schedule.split(" ");
  const steps = /^\*\/(\d+)$/;
  if (!schedule.endsWith(" * * *")) return schedule;
  if (hour === "*") {
    const every = steps.exec(minute)?.[1];
    if (every !== undefined) return text.everyMinutes(every);
    return minute === "*" ? text.everyMinute : text.hourly(minute.padStart(2, "0"));
  }
  const hours = steps.exec(hour)?.[1];
  return hours === undefined
    ? text.daily(`${hour.padStart(2, "0")}:${minute.padStart(2, "0")}`)
    : text.everyHours(hours);
}

function JobRow({ job: { name, description, schedule, waiting, active, failed, lastRun } }: { job: Job }) {
  const queue = [
    active > 0 ? text.active(formatNumber(active)) : "",
    waiting > 0 ? text.waiting(formatNumber(waiting)) : "",
    failed > 0 ? text.failed(formatNumber(failed)) : "",
  ].filter((part) => part !== "");
  return (
    <tr>
      <td className={styles["main"]}>
        {name}
        <small>{description}</small>
      </td>
      <td className={styles["nowrap"]} data-label={text.schedule}>
        {whenOf(schedule)}
      </td>
      <td data-label={text.queue}>{queue.length === 0 ? text.idle : queue.join(" · ")}</td>
      <td className={styles["nowrap"]} data-label={text.last}>
        {lastRun === null ? (
          text.notYet
        ) : (
          <span title={formatMoment(lastRun.startedAt)}>
            <i className={styles["dot"]} data-state={lastRun.outcome === "completed" ? "good" : "bad"} aria-hidden />
            {text.outcomes[lastRun.outcome]} · {formatAgo(lastRun.startedAt)}
          </span>
        )}
      </td>
    </tr>
  );
}
