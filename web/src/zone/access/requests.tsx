import { useState } from "react";
import { client, issueOf, queries } from "../../api.ts";
import { useUser } from "../../session/current-user.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Form, TextArea, TextField } from "../../ui/field.tsx";
import { formatAgo } from "../../ui/format.ts";
import { Failure } from "../../ui/notice.tsx";
import { Card } from "../../ui/page.tsx";
import { toast } from "../../ui/toast.tsx";
import { useAction } from "../../ui/use-action.ts";
import { zoneWords } from "../../words/zone.ts";
import { words } from "../../words/words.ts";
import type { Zone } from "../use-zone.ts";
import styles from "../zone.module.css";
import { AccessField } from "./assignments.tsx";
import { hostsText } from "../own-rights.ts";
import { refreshRequests, useRequests, type Request, type Requests } from "./use-requests.ts";

const text = zoneWords;

function Wish({ request: { access, subdomainPattern, host, reason, createdAt } }: { request: Request }) {
  return (
    <small>
      {text.wants(text.accesses[access], host ?? hostsText(subdomainPattern))}, {formatAgo(createdAt)}
      {reason === null ? null : <br />}
      {reason}
    </small>
  );
}

/** What members ask for in a domain, for administrators. Nothing to show without open requests. */
export function OpenRequests({ zone }: { zone: Zone }) {
  const { requests, error, ...older } = useRequests(zone, "pending");
  const [rejecting, setRejecting] = useState<Request | null>(null);
  const approve = useAction(async ({ id, username }: Request) => {
    await client.assignments.approve.mutate({ id });
    await Promise.all([refreshRequests(), queries.invalidateQueries({ queryKey: ["assignments", zone.id] })]);
    toast({ title: text.approved(username) });
  });
  if (requests.length === 0 && error === null && !older.hasOlder) return null;
  return (
    <Card title={text.requests} hint={text.requestsHint} flush>
      <Failure error={error ?? approve.error} />
      <ul className={styles["list"]} aria-label={text.requests}>
        {requests.map((request) => (
          <li key={request.id} className={styles["item"]}>
            <span>
              {request.username}
              <Wish request={request} />
            </span>
            <Button pending={approve.pending} onClick={() => void approve.run(request)}>
              {text.approve}
            </Button>
            <Button kind="quiet" onClick={() => setRejecting(request)}>
              {text.reject}
            </Button>
          </li>
        ))}
      </ul>
      <Older {...older} />
      {rejecting ? <RejectDialog request={rejecting} onClose={() => setRejecting(null)} /> : null}
    </Card>
  );
}

function Older({ hasOlder, showOlder, reading }: Pick<Requests, "hasOlder" | "showOlder" | "reading">) {
  if (!hasOlder) return null;
  return (
    <div className={styles["older"]}>
      <Button pending={reading} onClick={showOlder}>
        {text.olderRequests}
      </Button>
    </div>
  );
}

function RejectDialog({ request, onClose }: { request: Request; onClose: () => void }) {
  const [note, setNote] = useState("");
  const reject = useAction(async () => {
    await client.assignments.reject.mutate({ id: request.id, note: note.trim() || null });
    await refreshRequests();
    toast({ title: text.rejected });
    onClose();
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title={text.rejectTitle(request.username)}
      footer={
        <>
          <Button onClick={onClose}>{words.ui.cancel}</Button>
          <Button kind="danger" pending={reject.pending} onClick={() => void reject.run()}>
            {text.reject.replace("…", "")}
          </Button>
        </>
      }
    >
      <Form onSubmit={() => void reject.run()}>
        <TextArea label={text.note} value={note} onValue={setNote} error={issueOf(reject.error, "note")} />
        <Failure error={reject.error} />
      </Form>
    </Dialog>
  );
}

/** A member's own requests for a domain, and a new one. */
export function OwnRequests({ zone }: { zone: Zone }) {
  const user = useUser();
  const { requests, error, ...older } = useRequests(zone);
  const [asking, setAsking] = useState(false);
  if (zone.ownerId === user.id) return null;
  return (
    <Card
      title={text.yourRequests}
      hint={text.yourRequestsHint}
      flush
      action={<Button onClick={() => setAsking(true)}>{text.ask}</Button>}
    >
      <Failure error={error} />
      <ul className={styles["list"]} aria-label={text.yourRequests}>
        {requests.map((request) => (
          <li key={request.id} className={styles["item"]}>
            <span>
              {text.states[request.status]}
              {request.note === null ? null : `: ${request.note}`}
              <Wish request={request} />
            </span>
          </li>
        ))}
      </ul>
      <Older {...older} />
      {asking ? <AskDialog zone={zone} onClose={() => setAsking(false)} /> : null}
    </Card>
  );
}

function AskDialog({ zone, onClose }: { zone: Zone; onClose: () => void }) {
  const [hosts, setHosts] = useState("");
  const [access, setAccess] = useState<Request["access"]>("write");
  const [reason, setReason] = useState("");
  const ask = useAction(async () => {
    await client.assignments.request.mutate({
      domainId: zone.id,
      access,
      subdomainPattern: hosts.trim() || "*",
      reason: reason.trim() || null,
    });
    await refreshRequests();
    toast({ title: text.asked });
    onClose();
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title={text.askTitle}
      footer={
        <>
          <Button onClick={onClose}>{words.ui.cancel}</Button>
          <Button kind="primary" pending={ask.pending} onClick={() => void ask.run()}>
            {text.ask.replace("…", "")}
          </Button>
        </>
      }
    >
      <Form onSubmit={() => void ask.run()}>
        <TextField
          label={text.hosts}
          hint={text.hostsHint}
          mono
          value={hosts}
          onValue={setHosts}
          error={issueOf(ask.error, "subdomainPattern")}
        />
        <AccessField choices={["read", "write"]} value={access} onValue={setAccess} />
        <TextArea label={text.reason} value={reason} onValue={setReason} error={issueOf(ask.error, "reason")} />
        <Failure error={ask.error} />
      </Form>
    </Dialog>
  );
}
