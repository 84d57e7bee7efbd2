import { isZonewrightError } from "@zonewright/client";
import { useState } from "react";
import { client, queries } from "../api.ts";
import { useUser } from "../session/current-user.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Form, TextArea } from "../ui/field.tsx";
import { Failure, Notice } from "../ui/notice.tsx";
import { toast } from "../ui/toast.tsx";
import { useAction } from "../ui/use-action.ts";
import { requestsWords } from "../words/requests.ts";
import { words } from "../words/words.ts";
import { refreshRequests, requestQuery, type ChangeRequest } from "./queries.ts";

const text = requestsWords;

type Step = "approve" | "reject" | "withdraw" | "apply";

/** The buttons for what the reader may do with a request. */
export function Verdict({ request }: { request: ChangeRequest }) {
  const user = useUser();
  const [step, setStep] = useState<Step | null>(null);
  const { state, closedAt, applying, authorId, mayReview, mayApply, problem, changesHash } = request;
  const approvedByMe = request.reviews.some(({ userId, counts }) => userId === user.id && counts);
  const isPossible = problem === null && changesHash !== null;
  return (
    <>
      {closedAt === null && !applying && authorId === user.id ? (
        <Button kind="quiet" onClick={() => setStep("withdraw")}>
          {text.withdraw}
        </Button>
      ) : null}
      {mayReview ? <Button onClick={() => setStep("reject")}>{text.reject}</Button> : null}
      {mayReview && !approvedByMe ? (
        <Button kind={state === "open" ? "primary" : "plain"} disabled={!isPossible} onClick={() => setStep("approve")}>
          {text.approve}
        </Button>
      ) : null}
      {mayApply && (state === "approved" || authorId === user.id) ? (
        <Button
          kind={state === "approved" ? "primary" : "plain"}
          disabled={!isPossible}
          onClick={() => setStep("apply")}
        >
          {text.apply}
        </Button>
      ) : null}
      {step === null ? null : <StepDialog step={step} request={request} onClose={() => setStep(null)} />}
    </>
  );
}

const dialogs = {
  approve: { title: text.approveTitle, hint: text.approveHint, button: text.approve, done: text.approved },
  reject: { title: text.rejectTitle, hint: text.rejectHint, button: text.rejectNow, done: text.rejected },
  withdraw: { title: text.withdrawTitle, hint: text.withdrawHint, button: text.withdrawNow, done: text.withdrawn },
  apply: { title: () => text.apply, hint: text.applyHint, button: text.apply, done: text.applied },
} as const;

function StepDialog({ step, request, onClose }: { step: Step; request: ChangeRequest; onClose: () => void }) {
  const { title, hint, button, done } = dialogs[step];
  const [note, setNote] = useState("");
  // An approval that was given is not given again if applying fails.
  const [isApproved, setApproved] = useState(false);
  const mayApplyToo = step === "approve" && request.mayApply && request.applyAt === null;
  const act = async (force: boolean, applyToo: boolean) => {
    let changed = request;
    if (!isApproved) changed = await perform(step, request, note.trim() || undefined, force);
    if (!applyToo || (!isApproved && changed.state !== "approved")) return changed;
    setApproved(true);
    // The approval covers what would otherwise be asked for.
    return await perform("apply", request, undefined, false);
  };
  const action = useAction(async (force: boolean, applyToo: boolean) => {
    const changed = await act(force, applyToo).catch(async (error: unknown) => {
      // Somebody else was first: the page behind says what the request is by now.
      if (isZonewrightError(error) && error.code === "CONFLICT") await refreshRequests();
      throw error;
    });
    queries.setQueryData(requestQuery(request.id).queryKey, changed);
    const said = changed.state === "applied" ? text.applied : done;
    toast({ title: changed.state === "failed" ? (changed.reason ?? text.states.failed) : said });
    onClose();
    await refreshRequests();
    if (step === "apply" || applyToo) await queries.invalidateQueries();
  });
  const mustForce = isZonewrightError(action.error) && action.error.code === "CONFIRMATION_REQUIRED";
  const start = () => void action.run(mustForce, isApproved);
  const close = () => {
    onClose();
    // What the service refused may look different now.
    if (action.error !== null) void refreshRequests();
  };
  return (
    <Dialog
      open
      onClose={close}
      title={title(request.title)}
      description={step === "apply" && request.registration ? text.applyRegistrationHint : hint}
      alert={
        mustForce ? (
          <Notice kind="warning" focusFor={action.error}>
            {action.error instanceof Error ? action.error.message : ""}
          </Notice>
        ) : (
          <Failure error={action.error} />
        )
      }
      footer={
        <>
          <Button onClick={close}>{words.ui.cancel}</Button>
          <Button
            kind={step === "reject" || step === "withdraw" || mustForce ? "danger" : "primary"}
            pending={action.pending}
            onClick={start}
          >
            {mustForce ? text.applyAnyway : isApproved ? text.apply : button}
          </Button>
          {mayApplyToo && !isApproved ? (
            <Button pending={action.pending} onClick={() => void action.run(false, true)}>
              {text.approveAndApply}
            </Button>
          ) : null}
        </>
      }
    >
      <Form onSubmit={start}>
        {step === "approve" || step === "reject" ? (
          <TextArea label={text.note} value={note} onValue={setNote} maxLength={2000} rows={3} />
        ) : null}
      </Form>
    </Dialog>
  );
}

async function perform(
  step: Step,
  { id, changesHash }: ChangeRequest,
  note: string | undefined,
  force: boolean,
): Promise<ChangeRequest> {
  const { changeRequests } = client;
  switch (step) {
    case "approve":
      return await changeRequests.approve.mutate({ id, changesHash: changesHash ?? "", note });
    case "reject":
      return await changeRequests.reject.mutate({ id, note });
    case "withdraw":
      return await changeRequests.withdraw.mutate({ id });
    default:
      return await changeRequests.applyRequest.mutate({ id, force });
  }
}
