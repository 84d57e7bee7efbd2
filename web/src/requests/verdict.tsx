import { isZonewrightError } from "@zonewright/client";
import { ChevronDown } from "lucide-react";
import { useState } from "react";
import { client, queries } from "../api.ts";
import { useUser } from "../session/current-user.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Form, TextArea } from "../ui/field.tsx";
import { formatMoment } from "../ui/format.ts";
import { Menu } from "../ui/menu.tsx";
import { Failure, Notice } from "../ui/notice.tsx";
import { toast } from "../ui/toast.tsx";
import { useAction, type Action } from "../ui/use-action.ts";
import { requestsWords } from "../words/requests.ts";
import { words } from "../words/words.ts";
import { isOvertaken, refreshRequests, requestQuery, type ChangeRequest } from "./queries.ts";

const text = requestsWords;

type Step = "approve" | "reject" | "withdraw" | "apply";

/** What is done with a request. */
interface Doing {
  step: Step;
  note?: string;
  /** Whether what the service wants confirmed is confirmed. */
  force?: boolean;
  /** Whether the request is applied once it is approved. */
  applies?: boolean;
}

interface Choice {
  id: string;
  label: string;
  run: () => void;
  disabled?: boolean;
  danger?: boolean;
}

interface VerdictProps {
  request: ChangeRequest;
  /** The request as the reader sees its changes: only these are approved. */
  read: ChangeRequest;
  /** Whether it would do something else by now. Nothing is approved or applied before that is shown. */
  isOvertaken: boolean;
  /** Called when the service refuses what was read, and no dialog says so. */
  onRefused: (error: unknown) => void;
  /** Shows the changes as they are now. */
  onReadOn: () => void;
}

/** What the reader may do with a request: one button says what comes next, a menu has the rest. */
export function Verdict({ request, read, isOvertaken: overtaken, onRefused, onReadOn }: VerdictProps) {
  const [step, setStep] = useState<Step | null>(null);
  /** They stay when a dialog is closed to look at the changes. */
  const [notes, setNotes] = useState<Partial<Record<Step, string>>>({});
  // An approval that was given is not given again if applying fails.
  const [isApproved, setApproved] = useState(false);
  const act = async ({ step: wanted, note, force = false, applies = false }: Doing) => {
    let changed = request;
    if (!isApproved) changed = await perform(wanted, read, note, force);
    if (!applies || (!isApproved && changed.state !== "approved")) return changed;
    setApproved(true);
    // The approval covers what would otherwise be asked for.
    return await perform("apply", read, undefined, false);
  };
  const action = useAction(async (doing: Doing) => {
    const changed = await act(doing).catch(async (error: unknown) => {
      // Somebody else was first: the page says what the request is by now.
      const isOther = isZonewrightError(error) && ["CONFLICT", "FORBIDDEN", "NOT_FOUND"].includes(error.code);
      const now = isOther ? await refreshedRequest(request.id) : undefined;
      if (step === null && now && isOvertaken(read, now)) {
        onRefused(error);
        return null;
      }
      // What was refused is said in the dialog, which has the ways to go on.
      setStep(doing.step);
      throw error;
    });
    if (changed === null) {
      // An approval of what was read does not count for what is to be read now.
      setApproved(false);
      return;
    }
    queries.setQueryData(requestQuery(request.id).queryKey, changed);
    const said = changed.state === "applied" ? text.applied : dialogs[doing.step].done;
    toast({ title: changed.state === "failed" ? (changed.reason ?? text.states.failed) : said });
    setStep(null);
    setNotes({});
    setApproved(false);
    await refreshRequests();
    if (doing.step === "apply" || doing.applies === true) await queries.invalidateQueries();
  });
  const { primary, others } = useChoices(request, overtaken, setStep, (doing) => void action.run(doing));
  const close = () => {
    setStep(null);
    setApproved(false);
    // What the service refused may look different now.
    if (action.error !== null) void refreshRequests();
    action.reset();
  };
  const readOn = () => {
    setStep(null);
    setApproved(false);
    action.reset();
    onReadOn();
  };
  return (
    <>
      {others.length > (primary ? 1 : 2) ? (
        <Menu
          trigger={
            <Button>
              {text.others} <ChevronDown aria-hidden />
            </Button>
          }
          groups={[others.filter(({ danger }) => !danger), others.filter(({ danger }) => danger)].filter(
            (group) => group.length > 0,
          )}
        />
      ) : (
        others.map(({ id, label, disabled = false, run }) => (
          <Button key={id} disabled={disabled || action.pending} onClick={run}>
            {label}
          </Button>
        ))
      )}
      {primary ? (
        <Button kind="primary" disabled={primary.disabled ?? false} pending={action.pending} onClick={primary.run}>
          {primary.label}
        </Button>
      ) : null}
      {step === null ? null : (
        <StepDialog
          step={step}
          request={request}
          action={action}
          isApproved={isApproved}
          isOvertaken={overtaken && (step === "approve" || step === "apply")}
          note={notes[step] ?? ""}
          onNote={(note) => setNotes({ ...notes, [step]: note })}
          onReadOn={readOn}
          onClose={close}
        />
      )}
    </>
  );
}

/**
 * What the reader may do. What can be taken back is done at once; what a registrar gets, what is applied before its time, and what ends a
 * request is asked for first.
 */
function useChoices(
  request: ChangeRequest,
  overtaken: boolean,
  ask: (step: Step) => void,
  start: (doing: Doing) => void,
): { primary: Choice | null; others: Choice[] } {
  const user = useUser();
  const { state, closedAt, applying, authorId, mayReview, mayApply, problem, changesHash } = request;
  const disabled = problem !== null || changesHash === null || overtaken;
  const isAuthor = authorId === user.id;
  const isLasting = request.registration !== null;
  const hasApproved = request.reviews.some(({ userId, counts }) => userId === user.id && counts);
  const mayApprove = mayReview && !(hasApproved && state === "approved");
  const isScheduled = request.applyAt !== null;
  const apply: Choice = {
    id: "apply",
    label: isScheduled ? text.applyEarly : text.apply,
    disabled,
    run: () => (isLasting || isScheduled ? ask("apply") : start({ step: "apply" })),
  };
  const approve: Choice = {
    id: "approve",
    label: text.approve,
    disabled,
    run: () => (isLasting ? ask("approve") : start({ step: "approve" })),
  };
  const both: Choice = {
    id: "both",
    label: text.approveAndApply,
    disabled,
    run: () => start({ step: "approve", applies: true }),
  };
  const appliesToo = mayApply && !isScheduled && !isLasting;
  const next = mayApprove ? (appliesToo ? both : approve) : null;
  const isApproved = state === "approved";
  // What has a time is applied at that time: a second press of the button must not apply it now.
  const primary = isApproved && mayApply && !isScheduled ? apply : next;
  return {
    primary,
    others: [
      ...(mayApprove && primary !== approve
        ? [primary === both ? { ...approve, label: text.approveOnly } : approve]
        : []),
      ...(mayApprove && !isLasting
        ? [{ id: "note", label: text.approveWithNote, disabled, run: () => ask("approve") }]
        : []),
      ...(mayApply && (isAuthor || isApproved) && primary !== apply ? [apply] : []),
      ...(mayReview ? [{ id: "reject", label: text.reject, danger: true, run: () => ask("reject") }] : []),
      ...(closedAt === null && !applying && isAuthor
        ? [{ id: "withdraw", label: text.withdraw, danger: true, run: () => ask("withdraw") }]
        : []),
    ],
  };
}

const dialogs = {
  approve: { title: text.approveTitle, hint: text.approveHint, button: text.approve, done: text.approved },
  reject: { title: text.rejectTitle, hint: text.rejectHint, button: text.rejectNow, done: text.rejected },
  withdraw: { title: text.withdrawTitle, hint: text.withdrawHint, button: text.withdrawNow, done: text.withdrawn },
  apply: { title: () => text.apply, hint: text.applyHint, button: text.apply, done: text.applied },
} as const;

interface StepDialogProps {
  step: Step;
  request: ChangeRequest;
  action: Action<[Doing]>;
  isApproved: boolean;
  /** Whether the step is about changes that the reader has not seen. */
  isOvertaken: boolean;
  note: string;
  onNote: (note: string) => void;
  onReadOn: () => void;
  onClose: () => void;
}

function StepDialog(props: StepDialogProps) {
  const { step, request, action, isApproved, isOvertaken: overtaken, note, onNote, onReadOn, onClose } = props;
  const { title, hint, button } = dialogs[step];
  const mayApplyToo = step === "approve" && request.mayApply && request.applyAt === null;
  const mustForce = isZonewrightError(action.error) && action.error.code === "CONFIRMATION_REQUIRED";
  const start = (applies: boolean, force = false) =>
    void action.run({ step, force, applies, ...(note.trim() === "" ? {} : { note: note.trim() }) });
  const goOn = () => {
    if (!overtaken) start(isApproved, mustForce);
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={title(request.title)}
      description={step === "apply" ? applyHint(request) : hint}
      alert={
        overtaken ? (
          <Notice kind="warning" focusFor={action.error}>
            {text.overtaken}
          </Notice>
        ) : mustForce ? (
          <Notice kind="warning" focusFor={action.error}>
            {action.error instanceof Error ? action.error.message : ""}
          </Notice>
        ) : (
          <Failure error={action.error} />
        )
      }
      footer={
        <>
          <Button onClick={onClose}>{words.ui.cancel}</Button>
          {overtaken ? (
            <Button kind="primary" onClick={onReadOn}>
              {text.readOn}
            </Button>
          ) : (
            <Button
              kind={step === "reject" || step === "withdraw" || mustForce ? "danger" : "primary"}
              pending={action.pending}
              onClick={goOn}
            >
              {mustForce ? text.applyAnyway : isApproved ? text.apply : button}
            </Button>
          )}
          {mayApplyToo && !isApproved && !overtaken ? (
            <Button pending={action.pending} onClick={() => start(true)}>
              {text.approveAndApply}
            </Button>
          ) : null}
        </>
      }
    >
      <Form onSubmit={goOn}>
        {step === "approve" || step === "reject" ? (
          <TextArea label={text.note} value={note} onValue={onNote} maxLength={2000} rows={3} />
        ) : null}
      </Form>
    </Dialog>
  );
}

/** What to know before a request is applied. */
function applyHint({ applyAt, registration }: ChangeRequest): string {
  const hint = registration ? text.applyRegistrationHint : text.applyHint;
  return applyAt === null ? hint : `${text.applyEarlyHint(formatMoment(applyAt))} ${hint}`;
}

/** Reads a request again; undefined if it has not been read. */
async function refreshedRequest(id: string): Promise<ChangeRequest | undefined> {
  await refreshRequests();
  return queries.getQueryData(requestQuery(id).queryKey);
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
      return await changeRequests.applyRequest.mutate({ id, force, ...(changesHash !== null && { changesHash }) });
  }
}
