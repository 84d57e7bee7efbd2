import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { client, issueOf } from "../api.ts";
import { useUser } from "../session/current-user.ts";
import { Button } from "../ui/button.tsx";
import { Form, TextArea } from "../ui/field.tsx";
import { formatAgo, formatNumber } from "../ui/format.ts";
import { Failure } from "../ui/notice.tsx";
import { Card } from "../ui/page.tsx";
import { useAction } from "../ui/use-action.ts";
import { requestsWords } from "../words/requests.ts";
import { refreshRequests } from "./queries.ts";
import styles from "./requests.module.css";

const text = requestsWords;
const pageSize = 50;

/** What people say about a request, oldest first. */
export function Comments({ requestId, count }: { requestId: string; count: number }) {
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ["requests", "comments", requestId],
    initialPageParam: 1,
    queryFn: async ({ pageParam, signal }) =>
      await client.changeRequests.listComments.query({ id: requestId, page: pageParam, limit: pageSize }, { signal }),
    getNextPageParam: ({ page, limit, total }) => (page * limit < total ? page + 1 : undefined),
  });
  const comments = data?.pages.flatMap((page) => page.comments) ?? [];
  // Auditors change nothing.
  const mayWrite = useUser().role !== "auditor";
  const [written, setWritten] = useState("");
  const add = useAction(async () => {
    await client.changeRequests.comment.mutate({ id: requestId, text: written });
    // What is typed while it is sent stays.
    setWritten((latest) => (latest === written ? "" : latest));
    await refreshRequests();
  });
  return (
    <Card title={text.discussion} flush>
      <Failure error={error} />
      {data && comments.length === 0 ? <p className={styles["body"]}>{text.noComments}</p> : null}
      {comments.length > 0 ? (
        <ul className={styles["entries"]} aria-label={text.discussion}>
          {comments.map(({ id, user, text: said, createdAt }) => (
            <li key={id}>
              <strong>{user ?? text.deleted}</strong> <small>{formatAgo(createdAt)}</small>
              <p>{said}</p>
            </li>
          ))}
        </ul>
      ) : null}
      {hasNextPage ? (
        <div className={styles["body"]}>
          <Button pending={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {text.earlier(formatNumber(count - comments.length))}
          </Button>
        </div>
      ) : null}
      {mayWrite ? (
        <div className={styles["write"]}>
          <Form onSubmit={() => void (written.trim() !== "" && add.run())}>
            <TextArea
              label={text.comment}
              value={written}
              onValue={setWritten}
              rows={3}
              maxLength={5000}
              error={issueOf(add.error, "text")}
            />
            {issueOf(add.error, "text") ? null : <Failure error={add.error} />}
            <div>
              <Button type="submit" disabled={written.trim() === ""} pending={add.pending}>
                {text.addComment}
              </Button>
            </div>
          </Form>
        </div>
      ) : null}
    </Card>
  );
}
