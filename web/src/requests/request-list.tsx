import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { GitPullRequest } from "lucide-react";
import { Button } from "../ui/button.tsx";
import { formatAgo, formatMoment, formatNumber } from "../ui/format.ts";
import { Failure } from "../ui/notice.tsx";
import { Empty } from "../ui/page.tsx";
import { Pager } from "../ui/pager.tsx";
import { ChangeCounts } from "../zone/change-counts.tsx";
import { requestsWords } from "../words/requests.ts";
import { pageSize, requestsQuery, shownKinds, type RequestSummary, type Shown } from "./queries.ts";
import styles from "./requests.module.css";

const text = requestsWords;

interface RequestListProps {
  shown: Shown;
  onShown: (shown: Shown) => void;
  page: number;
  onPage: (page: number, replace: boolean) => void;
  /** Only the requests for this domain. */
  domainId?: string;
}

/** Change requests, newest first, with a choice of which. */
export function RequestList({ shown, onShown, page, onPage, domainId }: RequestListProps) {
  const { data, error, isPlaceholderData } = useQuery(requestsQuery(shown, page, domainId));
  return (
    <>
      <div className={styles["filter"]} role="group" aria-label={text.show}>
        {shownKinds.map((kind) => (
          <Button key={kind} kind="quiet" aria-pressed={kind === shown} onClick={() => onShown(kind)}>
            {text.shown[kind]}
            {kind === "review" && domainId === undefined && data && data.counts.toReview > 0 ? (
              <span className={styles["count"]}>{formatNumber(data.counts.toReview)}</span>
            ) : null}
          </Button>
        ))}
      </div>
      <Failure error={error} />
      {data?.requests.length === 0 ? (
        <Empty icon={<GitPullRequest aria-hidden />} title={text.emptyTitle}>
          {text.empty[shown]}
        </Empty>
      ) : null}
      {data && data.requests.length > 0 ? (
        <ul className={styles["list"]} aria-label={text.list}>
          {data.requests.map((request) => (
            <Item key={request.id} request={request} ofZone={domainId !== undefined} />
          ))}
        </ul>
      ) : null}
      <Pager
        page={page}
        pages={Math.ceil((data?.total ?? 0) / pageSize)}
        isKnown={data !== undefined && !isPlaceholderData}
        onPage={onPage}
      />
    </>
  );
}

function Item({ request, ofZone }: { request: RequestSummary; ofZone: boolean }) {
  const { id, number, title, state, applying, domainName, author, createdAt, applyAt, commentCount } = request;
  const { creates, updates, deletes } = request;
  const facts = [
    ofZone ? null : domainName,
    text.by(author ?? text.deleted, formatAgo(createdAt)),
    applyAt === null || request.closedAt !== null ? null : text.at(formatMoment(applyAt)),
    commentCount === 0 ? null : text.comments(commentCount),
  ].filter((fact) => fact !== null);
  return (
    <li className={styles["item"]}>
      <Link to="/requests/$id" params={{ id }} className={styles["open"]}>
        <span>
          <span className={styles["muted"]}>{text.number(number)}</span> {title}
        </span>
        <small>{facts.join(" · ")}</small>
      </Link>
      <ChangeCounts creates={creates} updates={updates} deletes={deletes} />
      <State state={state} applying={applying} />
    </li>
  );
}

/** How far a request is. */
export function State({ state, applying }: Pick<RequestSummary, "state" | "applying">) {
  return (
    <span className={styles["state"]} data-state={state}>
      {applying ? text.applyingState : text.states[state]}
    </span>
  );
}
