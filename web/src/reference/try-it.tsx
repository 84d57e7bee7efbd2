import { useEffect, useState, type SyntheticEvent } from "react";
import { Button } from "../ui/button.tsx";
import { copyText } from "../ui/copy.ts";
import { SelectField, TextArea, TextField } from "../ui/field.tsx";
import { formatNumber } from "../ui/format.ts";
import { referenceWords as text } from "../words/reference.ts";
import {
  asCurl,
  keyOf,
  mayHaveSession,
  missingIn,
  NoSession,
  OtherUser,
  outgoing,
  send,
  sessionUser,
  type Filled,
  type Received,
  type SessionUser,
} from "./call.ts";
import { exampleOf, valuesOf, type ApiDocument, type Operation } from "./document.ts";
import styles from "./reference.module.css";

type CallerKind = "session" | "token" | "nobody";

/** Kept while the page is open, so that the next call has it. Never stored. */
const kept = { caller: null as CallerKind | null, token: "", filled: new Map<string, Filled>() };

/** Headers that only programs need. */
const forPrograms = new Set(["Idempotency-Key"]);

/** A form that makes the call, the same call as a command, and the answer. */
export function TryIt({ document, operation }: { document: ApiDocument; operation: Operation }) {
  const { parameters, body, method, open: isOpen } = operation;
  const [filled, setFilled] = useState<Filled>(
    () =>
      kept.filled.get(operation.id) ?? {
        parameters: {},
        body: body === null ? "" : JSON.stringify(exampleOf(document, body), null, 2),
      },
  );
  const fill = (changed: Partial<Filled>) => {
    const next = { ...filled, ...changed };
    kept.filled.set(operation.id, next);
    setFilled(next);
  };
  const [caller, setCaller] = useState<CallerKind>(
    () => kept.caller ?? (isOpen ? "nobody" : mayHaveSession() ? "session" : "token"),
  );
  const [token, setToken] = useState(kept.token);
  const [problem, setProblem] = useState<string | null>(null);
  const [pending, setPending] = useState(false);
  const [received, setReceived] = useState<Received | null>(null);
  /** Counts the calls: after each, the session may be somebody else's. */
  const [turn, setTurn] = useState(0);
  const call = outgoing(operation, filled);
  const isStream = operation.answers.some(({ contentType }) => contentType === "text/event-stream");

  const submit = async (event: SyntheticEvent) => {
    event.preventDefault();
    if (pending) return;
    const missing = missingIn(operation, filled);
    const refused = missing.length > 0 ? text.missing(missing.join(", ")) : jsonProblem(call.body);
    setProblem(refused);
    if (refused !== null) return;
    setPending(true);
    try {
      setReceived(await send(call, caller === "token" ? { kind: caller, token: token.trim() } : { kind: caller }));
    } catch (error) {
      setReceived(null);
      const reason = error instanceof Error ? error.message : String(error);
      if (error instanceof OtherUser) setProblem(text.otherUser);
      else setProblem(error instanceof NoSession ? text.sessionGone(reason) : text.noAnswer(reason));
    }
    setPending(false);
    setTurn((before) => before + 1);
  };

  return (
    <aside className={styles["try"]} aria-label={text.try}>
      <h2>{text.try}</h2>
      {isStream ? (
        <p className={styles["quiet"]}>{text.stream}</p>
      ) : (
        <form onSubmit={(event) => void submit(event)} noValidate>
          {method === "GET" ? null : <p className={styles["quiet"]}>{text.tryHint}</p>}
          <SelectField
            label={text.caller}
            value={caller}
            hint={caller === "session" && !mayHaveSession() ? text.noSession : undefined}
            options={(["session", "token", "nobody"] as const).map((kind) => ({
              value: kind,
              label: text.callers[kind],
            }))}
            onValue={(kind) => {
              kept.caller = kind;
              setCaller(kind);
            }}
          />
          {caller === "token" ? (
            <TextField
              label={text.token}
              hint={text.tokenHint}
              type="password"
              mono
              value={token}
              onValue={(value) => {
                kept.token = value;
                setToken(value);
              }}
            />
          ) : null}
          {parameters
            .filter(({ name }) => !forPrograms.has(name))
            .map((parameter) => {
              const key = keyOf(parameter);
              const values = valuesOf(document, parameter.schema).map(String);
              const field = {
                label: parameter.required === true ? `${parameter.name} (${text.required})` : parameter.name,
                value: filled.parameters[key] ?? "",
                onValue: (value: string) => fill({ parameters: { ...filled.parameters, [key]: value } }),
              };
              // Several values of a list go into one field, separated by commas.
              return values.length > 0 && parameter.schema.type !== "array" ? (
                <SelectField key={key} {...field} options={["", ...values].map((value) => ({ value, label: value }))} />
              ) : (
                <TextField key={key} {...field} mono placeholder={exampleText(parameter.example)} />
              );
            })}
          {body === null ? null : (
            <TextArea
              label={text.bodyField}
              mono
              rows={Math.min(18, filled.body.split("\n").length + 1)}
              value={filled.body}
              onValue={(value) => fill({ body: value })}
            />
          )}
          {problem === null ? null : (
            <p className={styles["problem"]} role="alert">
              {problem}
            </p>
          )}
          {caller === "session" ? <RunsAs key={turn} /> : null}
          <Button type="submit" kind={method === "DELETE" ? "danger" : "primary"} pending={pending}>
            {text.send(method)}
          </Button>
        </form>
      )}
      {received ? <ReceivedView received={received} /> : null}
      <Command command={asCurl(call, caller === "nobody")} />
    </aside>
  );
}

/** Says whose session a call is made with: another tab of the console may have signed somebody else in. */
function RunsAs() {
  const [user, setUser] = useState<SessionUser | null>(null);
  useEffect(() => {
    let isGone = false;
    const read = async () => {
      const found = mayHaveSession() ? await sessionUser() : null;
      if (!isGone) setUser(found);
    };
    void read();
    const readAgain = () => void read();
    addEventListener("focus", readAgain);
    addEventListener("storage", readAgain);
    return () => {
      isGone = true;
      removeEventListener("focus", readAgain);
      removeEventListener("storage", readAgain);
    };
  }, []);
  return user === null ? null : (
    <p className={styles["quiet"]}>{text.runsAs(user.username, text.roles[user.role] ?? user.role)}</p>
  );
}

/** Why a body cannot be sent, or null. */
function jsonProblem(body: string | null): string | null {
  if (body === null) return null;
  try {
    JSON.parse(body);
    return null;
  } catch (error) {
    return text.badJson((error as Error).message);
  }
}

function exampleText(example: unknown): string {
  return typeof example === "string" ? example : example === undefined ? "" : JSON.stringify(example);
}

function ReceivedView({ received }: { received: Received }) {
  const { status, statusText, milliseconds, headers, text: content, isCut } = received;
  return (
    <section className={styles["received"]} aria-label={text.answer}>
      <p role="status">
        <strong data-state={status < 400 ? "good" : "bad"}>
          {status} {statusText}
        </strong>{" "}
        <span className={styles["quiet"]}>{text.took(formatNumber(milliseconds))}</span>
      </p>
      {headers.map(([name, value]) => (
        <p key={name} className={styles["type"]}>
          {name}: {value}
        </p>
      ))}
      <pre>{content}</pre>
      {isCut ? <p className={styles["quiet"]}>{text.cut}</p> : null}
    </section>
  );
}

function Command({ command }: { command: string }) {
  const [said, setSaid] = useState<string | null>(null);
  return (
    <section className={styles["command"]} aria-label={text.command}>
      <p>
        <strong>{text.command}</strong>
        <Button
          kind="quiet"
          onClick={() => void copyText(command).then((done) => setSaid(done ? text.copied : text.copyFailed))}
        >
          {text.copy}
        </Button>
      </p>
      <pre>{command}</pre>
      <p role="status" className={styles["quiet"]}>
        {said}
      </p>
    </section>
  );
}
