import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { isZonewrightError } from "@zonewright/client";
import { useEffect, useRef, useState } from "react";
import { useZoneChanges } from "../live/use-live.ts";
import { Button } from "../ui/button.tsx";
import { NotFound } from "../ui/not-found.tsx";
import { forPeople } from "../ui/for-people.ts";
import { formatAgo, formatMoment } from "../ui/format.ts";
import { Failure, Notice } from "../ui/notice.tsx";
import { Card, Page } from "../ui/page.tsx";
import { requestsWords } from "../words/requests.ts";
import { words } from "../words/words.ts";
import { Patch } from "../zone/patch-view.tsx";
import { planLines } from "../zone/patch.ts";
import { RegistrationChanges } from "../zone/registration-plan.tsx";
import { Comments } from "./comments.tsx";
import { isOvertaken, refreshRequests, requestQuery, type ChangeRequest } from "./queries.ts";
import { State } from "./request-list.tsx";
import { Verdict } from "./verdict.tsx";
import styles from "./requests.module.css";

const text = requestsWords;

/** One change request: what it does, what others say about it, and what the reader may do with it. */
export function RequestPage() {
  const { id } = useParams({ from: "/inside/requests/$id" });
  const { data: request, error } = useQuery(requestQuery(id));
  if (!request) {
    const isMissing = isZonewrightError(error) && ["NOT_FOUND", "BAD_REQUEST"].includes(error.code);
    return isMissing ? <NotFound /> : <Page title={text.title}>{error ? <Failure error={error} /> : <Loading />}</Page>;
  }
  return <Request key={request.id} request={request} />;
}

function Loading() {
  return <p role="status">{words.ui.loading}</p>;
}

function Request({ request }: { request: ChangeRequest }) {
  const { number, title, state, domainName, domainId, author, createdAt, applyAt, note, closedAt, applying } = request;
  /** The request whose changes are shown: those of somebody else must not alter what is judged under the reader's eyes. */
  const [read, setRead] = useState(request);
  const overtaken = isOvertaken(read, request);
  // While it is being applied, there is no present plan. It may be judged again after that.
  if (read !== request && !overtaken && !applying) setRead(request);
  /** The refusal that said so; null if the page was read again by itself. */
  const [refusal, setRefusal] = useState<unknown>(null);
  const changes = useRef<HTMLDivElement>(null);
  const shown = useRef(state);
  useEffect(() => {
    // Others ended it: what counts requests is out of date as well.
    if (shown.current !== state) void refreshRequests();
    shown.current = state;
  }, [state]);
  const readOn = () => {
    setRead(request);
    setRefusal(null);
    // Once a dialog is gone, which gives the focus back.
    setTimeout(() => changes.current?.focus());
  };
  const verdict = (
    <Verdict request={request} read={read} isOvertaken={overtaken} onRefused={setRefusal} onReadOn={readOn} />
  );
  return (
    <Page title={title} subtitle={text.number(number)} actions={verdict}>
      {domainId === null || closedAt !== null ? null : <ZoneWatch domainId={domainId} />}
      <div className={styles["facts"]}>
        <State state={state} applying={applying} />
        {domainId === null ? (
          <span>{domainName}</span>
        ) : (
          <Link to={request.registration ? "/d/$name/registration" : "/d/$name/records"} params={{ name: domainName }}>
            {domainName}
          </Link>
        )}
        <span title={formatMoment(createdAt)}>{text.requested(author ?? text.deleted, formatAgo(createdAt))}</span>
      </div>
      {note === null ? null : <p className={styles["note"]}>{note}</p>}
      {applying ? <Notice kind="info">{text.applying}</Notice> : null}
      {applyAt !== null && closedAt === null && !applying ? (
        <Notice kind="info">{text.scheduled(formatMoment(applyAt))}</Notice>
      ) : null}
      {request.problem === null ? null : <Notice kind="warning">{text.problem(request.problem)}</Notice>}
      {overtaken ? (
        <Notice kind="warning" focusFor={refusal} action={<Button onClick={readOn}>{text.readOn}</Button>}>
          {text.overtaken}
        </Notice>
      ) : request.outdated && request.problem === null ? (
        <Notice kind="warning">{text.outdated}</Notice>
      ) : null}
      {request.reason === null ? null : <Notice kind="error">{text.reason(request.reason)}</Notice>}
      <div className={styles["columns"]}>
        <div className={styles["stack"]}>
          <Card title={text.changes} flush>
            <div ref={changes} className={styles["body"]} role="group" aria-label={text.changes} tabIndex={-1}>
              <Changes request={read} />
            </div>
          </Card>
          <Comments requestId={request.id} count={request.commentCount} />
        </div>
        <Reviews request={request} />
      </div>
    </Page>
  );
}

/** Reads the request again when its zone changes, or is deleted. */
function ZoneWatch({ domainId }: { domainId: string }) {
  useZoneChanges(domainId, ({ changeSetId }) => {
    // The first message only says that the zone is watched.
    if (changeSetId !== null) void refreshRequests();
  });
  return null;
}

function Changes({ request: { domainId, plan, registrationPlan, reverse } }: { request: ChangeRequest }) {
  if (registrationPlan)
    return (
      <div className={styles["stack"]}>
        <Warnings warnings={registrationPlan.warnings} />
        <RegistrationChanges changes={registrationPlan.changes} />
      </div>
    );
  if (plan === null) return <p>{text.hidden}</p>;
  const follows = reverse.filter(({ included }) => included);
  return (
    <div className={styles["stack"]}>
      <Warnings warnings={plan.warnings} />
      <Patch lines={planLines(plan)} place={{ domainId }} />
      {follows.length === 0 ? null : (
        <div>
          <h3>{text.reverse}</h3>
          <ul className={styles["entries"]}>
            {follows.map(({ address, action, record, before }) => (
              <li key={`${address} ${action}`}>
                {action === "delete" ? "−" : action === "create" ? "+" : "~"} {address} →{" "}
                {(action === "delete" ? before : record)?.value ?? ""}
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}

function Warnings({ warnings }: { warnings: readonly string[] }) {
  return warnings.map((warning) => (
    <Notice key={warning} kind="warning">
      {forPeople(warning)}
    </Notice>
  ));
}

function Reviews({ request: { reviews, closedAt } }: { request: ChangeRequest }) {
  return (
    <Card title={text.reviews} flush>
      {reviews.length === 0 ? (
        <p className={styles["body"]}>{text.noReviews}</p>
      ) : (
        <ul className={styles["entries"]} aria-label={text.reviews}>
          {reviews.map(({ userId, user, verdict, note, counts, createdAt }) => (
            <li key={`${userId ?? ""} ${createdAt.getTime()}`}>
              <strong>{user ?? text.deleted}</strong> {text.verdicts[verdict]} <small>{formatAgo(createdAt)}</small>
              {note === null ? null : <p>{note}</p>}
              {verdict === "approve" && !counts && closedAt === null ? (
                <p className={styles["chg"]}>{text.stale}</p>
              ) : null}
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
