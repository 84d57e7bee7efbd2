import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { isZonewrightError } from "@zonewright/client";
import { useState } from "react";
import { client, healing, issueOf, queries } from "../api.ts";
import { useUser } from "../session/current-user.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { CheckField, Form, TextField } from "../ui/field.tsx";
import { forPeople } from "../ui/for-people.ts";
import { formatAgo, formatMoment, formatNumber } from "../ui/format.ts";
import { NotFound } from "../ui/not-found.tsx";
import { Failure, Notice } from "../ui/notice.tsx";
import { Page } from "../ui/page.tsx";
import { Pager } from "../ui/pager.tsx";
import { useAction } from "../ui/use-action.ts";
import { replaceWords } from "../words/replace.ts";
import { words } from "../words/words.ts";
import { zoneWords } from "../words/zone.ts";
import { JobState, lookAgain, titleOf, type Job } from "./replace-page.tsx";
import styles from "./replace.module.css";

const text = replaceWords;
const pageSize = 50;
const states = ["done", "failed", "running", "waiting", "skipped"] as const;

/** How a change of many zones goes on, zone by zone. It goes on without the page. */
export function JobPage() {
  const { id } = useParams({ from: "/inside/replace/$id" });
  const { show, page: at } = useSearch({ from: "/inside/replace/$id" });
  const navigate = useNavigate({ from: "/replace/$id" });
  const user = useUser();
  const state = states.find((each) => each === show);
  const page = Math.max(1, Math.trunc(Number(at ?? 1)) || 1);
  const {
    data: job,
    error,
    isPlaceholderData,
  } = useQuery({
    queryKey: ["replacements", "one", id, state ?? "all", page],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) =>
      await client.replacements.get.query({ jobId: id, state, page, limit: pageSize }, { signal }),
    refetchInterval: ({ state: { data, error } }) =>
      healing(error) || (data && data.finishedAt === null ? lookAgain : false),
  });
  const [undoing, setUndoing] = useState(false);
  const stop = useAction(async () => {
    await client.replacements.stop.mutate({ jobId: id });
    await queries.invalidateQueries({ queryKey: ["replacements"] });
  });
  if (!job) {
    const isMissing = isZonewrightError(error) && ["NOT_FOUND", "BAD_REQUEST"].includes(error.code);
    return isMissing ? <NotFound /> : <Page title={text.job}>{error ? <Failure error={error} /> : <Loading />}</Page>;
  }
  const { progress, finishedAt } = job;
  const past = progress.domains - progress.waiting - progress.running;
  const mayChange = user.role !== "auditor";
  const isImport = job.kind === "portfolio";
  return (
    <Page
      title={titleOf(job)}
      actions={
        <>
          {isImport ? (
            <Link to="/portfolio" className={buttonClass("quiet")}>
              {text.toPortfolio}
            </Link>
          ) : (
            <Link to="/replace" className={buttonClass("quiet")}>
              {text.again}
            </Link>
          )}
          {job.state === "running" && mayChange ? (
            <Button pending={stop.pending} onClick={() => void stop.run()}>
              {text.stop}
            </Button>
          ) : null}
          {finishedAt !== null && progress.done > 0 && mayChange ? (
            <Button onClick={() => setUndoing(true)}>{text.undo}</Button>
          ) : null}
        </>
      }
    >
      <div className={styles["facts"]}>
        <JobState state={job.state} />
        <span title={formatMoment(job.createdAt)}>{formatAgo(job.createdAt)}</span>
        {job.message === null ? null : <span>{job.message}</span>}
        {job.revertsId === null ? null : (
          <span>
            {text.undone}{" "}
            <Link to="/replace/$id" params={{ id: job.revertsId }}>
              {text.original}
            </Link>
          </span>
        )}
      </div>
      <Failure error={stop.error} />
      {job.reason === null ? null : <Notice kind="warning">{forPeople(job.reason)}</Notice>}
      <section className={styles["progress"]} aria-label={titleOf(job)}>
        <p role="status">
          {finishedAt === null
            ? text.progress(formatNumber(past), formatNumber(progress.domains))
            : text.changed(progress.done, formatNumber(progress.done))}
          {progress.failed > 0 ? (
            <span className={styles["bad"]}> · {text.failed(formatNumber(progress.failed))}</span>
          ) : null}
          {progress.skipped > 0 ? ` · ${text.skipped(formatNumber(progress.skipped))}` : null}
        </p>
        {finishedAt === null ? (
          <>
            <progress aria-label={titleOf(job)} value={past} max={progress.domains || 1} />
            <p className={styles["muted"]}>{text.leave}</p>
          </>
        ) : null}
      </section>
      <div className={styles["filter"]} role="group" aria-label={text.show}>
        {(["all", ...states] as const)
          .filter((each) => each === "all" || each === state || progress[each] > 0)
          .map((each) => (
            <Button
              key={each}
              kind="quiet"
              aria-pressed={each === (state ?? "all")}
              onClick={() => void navigate({ search: { show: each === "all" ? undefined : each }, replace: true })}
            >
              {text.shown[each]}
            </Button>
          ))}
      </div>
      {job.domains.length === 0 ? (
        <p className={styles["muted"]}>{text.none}</p>
      ) : (
        <ul className={styles["jobs"]} data-framed aria-label={text.list}>
          {job.domains.map((domain) => (
            <li key={domain.domainId}>
              <Link
                to={isImport ? "/d/$name/registration" : "/d/$name/timeline"}
                params={{ name: domain.domainName }}
                preload={false}
              >
                {domain.domainName}
                {domain.error === null ? null : <small className={styles["bad"]}>{forPeople(domain.error)}</small>}
              </Link>
              <span className={styles["state"]} data-state={domain.state}>
                {text.shown[domain.state]}
              </span>
            </li>
          ))}
        </ul>
      )}
      <Pager
        page={page}
        pages={Math.ceil(job.total / pageSize)}
        isKnown={!isPlaceholderData}
        onPage={(next, replace) => void navigate({ search: { show: state, page: String(next) }, replace })}
      />
      {undoing ? <UndoDialog job={job} onClose={() => setUndoing(false)} /> : null}
    </Page>
  );
}

function Loading() {
  return <p role="status">{words.ui.loading}</p>;
}

function UndoDialog({ job, onClose }: { job: Job; onClose: () => void }) {
  const navigate = useNavigate();
  const user = useUser();
  const isImport = job.kind === "portfolio";
  const [message, setMessage] = useState("");
  const [said, setSaid] = useState({ force: false, unlock: false, override: false });
  const [isMissing, setIsMissing] = useState(false);
  const undo = useAction(async () => {
    const isReasonMissing = said.override && message.trim() === "";
    setIsMissing(isReasonMissing);
    if (isReasonMissing) return;
    const { jobId } = await client.replacements.revert.mutate({
      jobId: job.jobId,
      ...(message.trim() === "" ? {} : { message: message.trim() }),
      ...said,
    });
    onClose();
    await queries.invalidateQueries({ queryKey: ["replacements"] });
    await navigate({ to: "/replace/$id", params: { id: jobId } });
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title={text.undoTitle}
      description={isImport ? text.undoImportHint : text.undoHint}
      alert={<Failure error={undo.error} />}
      footer={
        <>
          <Button onClick={onClose}>{words.ui.cancel}</Button>
          <Button kind="primary" pending={undo.pending} onClick={() => void undo.run()}>
            {text.undoNow}
          </Button>
        </>
      }
    >
      <Form onSubmit={() => void undo.run()}>
        <TextField
          label={zoneWords.applying.reason}
          hint={zoneWords.applying.reasonHint}
          maxLength={500}
          value={message}
          onValue={setMessage}
          error={
            said.override && isMissing && message.trim() === ""
              ? zoneWords.applying.overrideMissing
              : issueOf(undo.error, "message")
          }
        />
        {isImport ? null : (
          <>
            <CheckField label={text.undoLosses} checked={said.force} onValue={(force) => setSaid({ ...said, force })} />
            <CheckField
              label={text.undoLocked}
              checked={said.unlock}
              onValue={(unlock) => setSaid({ ...said, unlock })}
            />
            {user.role === "admin" ? (
              <CheckField
                label={zoneWords.applying.override}
                checked={said.override}
                onValue={(override) => setSaid({ ...said, override })}
              />
            ) : null}
          </>
        )}
      </Form>
    </Dialog>
  );
}
