import { isZonewrightError, type RouterInputs, type RouterOutputs } from "@zonewright/client";
import { useEffect, useState } from "react";
import { client, issueOf, messageOf, queries } from "../api.ts";
import { useUser } from "../session/current-user.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { CheckField, Form, SelectField, TextArea, TextField } from "../ui/field.tsx";
import { forPeople } from "../ui/for-people.ts";
import { Notice } from "../ui/notice.tsx";
import { useAction } from "../ui/use-action.ts";
import { noRequestText, RequestFields } from "./request-fields.tsx";
import { registrationWords } from "../words/registration.ts";
import { words } from "../words/words.ts";
import { RegistrationChanges } from "./registration-plan.tsx";
import zoneStyles from "./zone.module.css";

const text = registrationWords;

/** What a registration is changed to; what is left out stays. */
export type Wanted = Pick<RouterInputs["registrations"]["update"], "nameServers" | "ds" | "locked" | "autoRenew">;
type Plan = RouterOutputs["registrations"]["update"];
type Account = NonNullable<RouterOutputs["registrations"]["get"]["registrar"]>;

const lines = (typed: string) =>
  typed
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
const flagText = (value: boolean | null | undefined) =>
  value === null || value === undefined ? "" : value ? "on" : "off";

/** Returns what an error says of a field. Requests have the fields of a registration below `registration`. */
function problemOf(error: unknown, field: string): string | null {
  const direct = issueOf(error, field);
  if (direct !== null || !isZonewrightError(error)) return direct;
  const issue = error.issues?.find(({ path }) => path[0] === "registration" && path[1] === field);
  return issue === undefined ? null : forPeople(issue.message);
}

/** What the form shows of an account, with what is wanted in place of what is. */
function textsOf({ nameServers, ds, locked, autoRenew }: Account, wanted: Wanted = {}) {
  return {
    nameServers: (wanted.nameServers ?? nameServers ?? []).join("\n"),
    ds: (wanted.ds ?? ds ?? []).join("\n"),
    locked: flagText(wanted.locked ?? locked),
    autoRenew: flagText(wanted.autoRenew ?? autoRenew),
  };
}

/** Returns what takes a plan back, where the registrar says what there was. */
function undoOf({ changes }: Plan): Wanted {
  return Object.fromEntries(changes.flatMap(({ field, before }) => (before === null ? [] : [[field, before]])));
}

const isAlike = (one: Plan, other: Plan | null) => JSON.stringify(one.changes) === JSON.stringify(other?.changes);

interface ChangeRegistrationProps {
  id: string;
  name: string;
  account: Account;
  /** What to start with. With anything in it, the plan is shown at once. */
  wanted: Wanted;
  /** The change was made. @param undo what takes it back */
  onDone: (undo: Wanted) => void;
  /** The change was requested. */
  onRequested: (request: { id: string; number: number }) => void;
  /** The dialog is closed. @param tried what takes back an attempt whose outcome is not known; null: there was none */
  onClose: (tried: Wanted | null) => void;
}

/** Changes a registration: fields, then the plan, then exactly that plan. */
export function ChangeRegistration({
  id,
  name,
  account,
  wanted,
  onDone,
  onRequested,
  onClose,
}: ChangeRegistrationProps) {
  const user = useUser();
  const [now] = useState(() => textsOf(account));
  const [start] = useState(() => textsOf(account, wanted));
  const [fields, setFields] = useState(start);
  const set = (typed: Partial<typeof fields>) => setFields({ ...fields, ...typed });
  const [message, setMessage] = useState("");
  const [override, setOverride] = useState(false);
  const [mustReview, setMustReview] = useState(false);
  const [asked, setAsked] = useState(noRequestText);
  const [isTitleMissing, setTitleMissing] = useState(false);
  const [plan, setPlan] = useState<Plan | null>(null);
  /** What changed since the plan that was applied: the registration, or only what is risky about the change. */
  const [overtaken, setOvertaken] = useState<"overtaken" | "newRisk" | "partly" | null>(null);
  /** What takes back an attempt whose outcome is not known. Null: there was none. */
  const [tried, setTried] = useState<Wanted | null>(null);
  /** Whether the service wants a confirmation of this plan, and whether it has it. */
  const [force, setForce] = useState({ wanted: false, given: false });
  const [isNothing, setIsNothing] = useState(false);

  // What is wanted is sent even if it was so when the registrar was last read: it may have changed since.
  const isSent = (field: keyof Wanted) =>
    fields[field] !== now[field] || (wanted[field] !== undefined && fields[field] === start[field]);
  const typed = (): Wanted => ({
    ...(isSent("nameServers") && { nameServers: lines(fields.nameServers) }),
    ...(isSent("ds") && { ds: lines(fields.ds) }),
    ...(isSent("locked") && { locked: fields.locked === "on" }),
    ...(isSent("autoRenew") && { autoRenew: fields.autoRenew === "on" }),
  });
  const input = () => ({
    id,
    ...typed(),
    ...(message.trim() === "" ? {} : { message: message.trim() }),
    ...(override ? { override } : {}),
  });
  const noteReview = (error: unknown) => {
    if (isZonewrightError(error) && error.code === "REVIEW_REQUIRED") setMustReview(true);
  };
  const request = useAction(async () => {
    setTitleMissing(asked.title.trim() === "");
    if (asked.title.trim() === "") return;
    const { title, note, applyAt } = asked;
    const made = await client.changeRequests.create.mutate({
      id,
      title: title.trim(),
      registration: typed(),
      ...(note.trim() !== "" && { note: note.trim() }),
      ...(applyAt !== "" && { applyAt: new Date(applyAt) }),
    });
    onRequested(made);
  });
  const apply = useAction(async (planHash: string) => {
    setOvertaken(null);
    try {
      const { undo } = await client.registrations.update.mutate({
        ...input(),
        planHash,
        ...(force.given ? { force: true } : {}),
      });
      onDone({ ...undo, ...tried });
    } catch (error) {
      if (!isZonewrightError(error)) throw error;
      if ((error.status ?? 500) >= 500) {
        setTried({ ...(plan && undoOf(plan)), ...tried });
        void queries.invalidateQueries({ queryKey: ["registration", id] });
      }
      noteReview(error);
      if (error.code === "CONFIRMATION_REQUIRED") setForce({ wanted: true, given: false });
      if (error.code !== "CONFLICT") throw error;
      const again = await client.registrations.update.mutate({ ...input(), dryRun: true });
      if (again.planHash === planHash) throw error;
      if (tried && again.changes.length === 0) {
        onDone(tried);
        return;
      }
      setPlan(again);
      setForce({ wanted: false, given: false });
      setOvertaken(tried ? "partly" : isAlike(again, plan) ? "newRisk" : "overtaken");
    }
  });
  const show = useAction(async () => {
    apply.reset();
    setOvertaken(null);
    setForce({ wanted: false, given: false });
    const isEmpty = Object.keys(typed()).length === 0;
    setIsNothing(isEmpty);
    if (isEmpty) return;
    try {
      setPlan(await client.registrations.update.mutate({ ...input(), dryRun: true }));
    } catch (error) {
      noteReview(error);
      throw error;
    }
  });
  // What a finding or an undo asks for needs no look at the fields.
  const isGiven = Object.keys(wanted).length > 0;
  const { run } = show;
  useEffect(() => {
    if (isGiven) void run();
  }, [isGiven, run]);

  const isRequest = mustReview && !override;
  const failure = plan ? apply.error : isRequest && request.error !== null ? request.error : show.error;
  const may = (field: Account["changes"][number]) => account.changes.includes(field);
  const shown = [...account.changes, "message", "title", "note", "applyAt"];
  const isSaid =
    (!plan && shown.some((field) => problemOf(failure, field) !== null)) ||
    (isZonewrightError(failure) && failure.code === "CONFIRMATION_REQUIRED");
  const isReasonMissing = override && message.trim() === "";
  const flags = (value: string) => [
    ...(value === "" ? [{ value: "", label: text.notKnown }] : []),
    { value: "on", label: text.on },
    { value: "off", label: text.off },
  ];
  const reason = (
    <TextField
      label={text.reason}
      hint={text.reasonHint}
      maxLength={500}
      value={message}
      onValue={setMessage}
      error={isReasonMissing ? text.reasonMissing : issueOf(failure, "message")}
    />
  );
  const isEmptyPlan = plan?.changes.length === 0;
  return (
    <Dialog
      open
      wide
      title={text.changeTitle(name)}
      description={text.changeHint(account.account)}
      onClose={() => onClose(tried)}
      alert={
        <>
          {overtaken ? (
            <Notice kind="warning" focusFor={plan}>
              {text[overtaken]}
            </Notice>
          ) : null}
          {failure === null || isSaid ? null : (
            <Notice kind={isRequest && failure === show.error ? "info" : "error"} focusFor={failure}>
              {messageOf(failure)}
            </Notice>
          )}
          {isNothing && !plan ? <Notice kind="info">{text.nothingToChange}</Notice> : null}
          {force.wanted && !force.given ? (
            <Notice kind="warning" focusFor={apply.error}>
              {text.mustConfirm}
            </Notice>
          ) : null}
        </>
      }
      footer={
        plan ? (
          <>
            <Button onClick={() => setPlan(null)}>{text.edit}</Button>
            <Button
              kind={force.wanted ? "danger" : "primary"}
              disabled={isEmptyPlan || (force.wanted && !force.given) || isReasonMissing}
              pending={apply.pending}
              onClick={() => void apply.run(plan.planHash)}
            >
              {force.wanted ? text.applyAnyway : text.apply}
            </Button>
          </>
        ) : (
          <>
            <Button onClick={() => onClose(tried)}>{words.ui.cancel}</Button>
            {isRequest ? (
              <Button kind="primary" pending={request.pending} onClick={() => void request.run()}>
                {request.pending ? text.planning : text.request}
              </Button>
            ) : (
              <Button kind="primary" pending={show.pending} disabled={isReasonMissing} onClick={() => void show.run()}>
                {show.pending ? text.planning : text.showPlan}
              </Button>
            )}
          </>
        )
      }
    >
      {plan ? (
        <div className={zoneStyles["stack"]}>
          {isEmptyPlan ? <p>{text.same}</p> : <RegistrationChanges changes={plan.changes} />}
          {plan.warnings.map((warning) => (
            <Notice key={warning} kind="warning">
              {forPeople(warning)}
            </Notice>
          ))}
          {isEmptyPlan ? null : reason}
          {force.wanted ? (
            <CheckField
              label={text.confirm}
              checked={force.given}
              onValue={(given) => setForce({ wanted: true, given })}
            />
          ) : null}
        </div>
      ) : (
        <Form onSubmit={() => void (isRequest ? request.run() : show.run())}>
          {may("nameServers") ? (
            <TextArea
              mono
              rows={4}
              label={text.rows.nameServers}
              hint={text.onePerLine}
              value={fields.nameServers}
              onValue={(nameServers) => set({ nameServers })}
              error={problemOf(failure, "nameServers")}
            />
          ) : null}
          {may("ds") ? (
            <TextArea
              mono
              rows={3}
              label={text.rows.ds}
              hint={text.dsHint}
              value={fields.ds}
              onValue={(ds) => set({ ds })}
              error={problemOf(failure, "ds")}
            />
          ) : null}
          <div className={zoneStyles["pair"]}>
            {may("locked") ? (
              <SelectField
                label={text.rows.locked}
                value={fields.locked}
                onValue={(locked) => set({ locked })}
                options={flags(now.locked)}
                error={problemOf(failure, "locked")}
              />
            ) : null}
            {may("autoRenew") ? (
              <SelectField
                label={text.rows.autoRenew}
                value={fields.autoRenew}
                onValue={(autoRenew) => set({ autoRenew })}
                options={flags(now.autoRenew)}
                error={problemOf(failure, "autoRenew")}
              />
            ) : null}
          </div>
          {isRequest ? (
            <RequestFields
              value={asked}
              onValue={setAsked}
              error={request.error}
              titleMissing={isTitleMissing && asked.title.trim() === ""}
            />
          ) : null}
          {mustReview && user.role === "admin" ? (
            <>
              <CheckField label={text.override} checked={override} onValue={setOverride} />
              {override ? reason : null}
            </>
          ) : null}
        </Form>
      )}
    </Dialog>
  );
}
