import type { RouterInputs, RouterOutputs } from "@zonewright/client";
import { useEffect, useId, useRef, useState } from "react";
import { client, issueOf } from "../api.ts";
import { Button } from "../ui/button.tsx";
import { CheckField, Form, TextField } from "../ui/field.tsx";
import { Failure } from "../ui/notice.tsx";
import { useAction } from "../ui/use-action.ts";
import { accountWords } from "../words/account.ts";
import { words } from "../words/words.ts";
import styles from "./account.module.css";
import { ExpiryFields } from "./expiry-fields.tsx";
import { expiryDate, type Expiry } from "./expiry.ts";
import { refresh, tokens } from "./own-account.ts";
import { limitIssues, narrowingOf, TokenLimits, type Limits } from "./token-limits.tsx";

const text = accountWords;

type Permission = RouterInputs["tokens"]["create"]["permissions"][number];

const subjects = {
  domains: ["read", "write"],
  records: ["read", "write"],
  snapshots: ["read", "write"],
  requests: ["read", "write"],
  assignments: ["read", "write"],
  notifications: ["read", "write"],
  providers: ["read"],
  audit: ["read"],
} as const satisfies Record<string, readonly ("read" | "write")[]>;
/** Every permission of the form, with its subject. */
const rows = Object.entries(subjects) as [keyof typeof subjects, readonly ("read" | "write")[]][];

interface NewTokenProps {
  onCreated: (token: RouterOutputs["tokens"]["create"]) => void;
  onCancel: () => void;
}

/** The form of a new token. */
export function NewToken({ onCreated, onCancel }: NewTokenProps) {
  const [name, setName] = useState("");
  const [chosen, setChosen] = useState<readonly Permission[]>([]);
  const [expiry, setExpiry] = useState<Expiry>("90");
  const [day, setDay] = useState("");
  const [missing, setMissing] = useState<{ day: boolean; permissions: boolean }>({ day: false, permissions: false });
  const [limits, setLimits] = useState<Limits>({ domains: "", hosts: "", types: "" });
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => first.current?.focus(), []);

  const create = useAction(async (expiresAt: Date | null) => {
    const wish = { name: name.trim(), permissions: [...chosen], expiresAt };
    const token = await client.tokens.create.mutate({ ...wish, ...(await narrowingOf(limits)) });
    onCreated(token);
    await refresh(tokens);
  });
  const submit = () => {
    const expiresAt = expiryDate(expiry, day, new Date());
    const lacks = { day: expiresAt === undefined, permissions: chosen.length === 0 };
    setMissing(lacks);
    if (expiresAt !== undefined && !lacks.permissions) void create.run(expiresAt);
  };
  const toggle = (permission: Permission, checked: boolean) => {
    setChosen((before) => (checked ? [...before, permission] : before.filter((each) => each !== permission)));
    setMissing((before) => ({ ...before, permissions: false }));
  };
  const issues = {
    name: issueOf(create.error, "name"),
    day: issueOf(create.error, "expiresAt"),
    permissions: issueOf(create.error, "permissions"),
    ...limitIssues(create.error),
  };
  return (
    <Form className={styles["quietForm"]} onSubmit={submit}>
      {Object.values(issues).some((issue) => issue !== null) ? null : <Failure error={create.error} />}
      <TextField
        ref={first}
        label={text.tokenName}
        placeholder={text.tokenNameExample}
        value={name}
        onValue={setName}
        error={issues.name}
      />
      <Permissions
        chosen={chosen}
        problem={missing.permissions ? text.permissionsNone : issues.permissions}
        onToggle={toggle}
      />
      <TokenLimits limits={limits} issues={issues} onLimits={setLimits} />
      <ExpiryFields
        expiry={expiry}
        onExpiry={setExpiry}
        day={day}
        onDay={setDay}
        issue={issues.day}
        missing={missing.day}
      />
      <div className={styles["buttons"]}>
        <Button type="submit" kind="primary" pending={create.pending}>
          {text.tokenCreate}
        </Button>
        <Button kind="quiet" onClick={onCancel}>
          {words.ui.cancel}
        </Button>
      </div>
    </Form>
  );
}

interface PermissionsProps {
  chosen: readonly Permission[];
  problem: string | null;
  onToggle: (permission: Permission, checked: boolean) => void;
}

function Permissions({ chosen, problem, onToggle }: PermissionsProps) {
  const id = useId();
  return (
    <fieldset className={styles["choices"]}>
      <legend>{text.permissions}</legend>
      <span className={styles["hint"]}>{text.permissionsHint}</span>
      <div className={styles["subjects"]}>
        {rows.map(([subject, deeds]) => (
          <div key={subject} className={styles["subject"]} role="group" aria-labelledby={`${id}-${subject}`}>
            <div>
              <strong id={`${id}-${subject}`}>{text.subjects[subject]}</strong>
              <span className={styles["hint"]}>{text.subjectHints[subject]}</span>
            </div>
            {deeds.map((deed) => (
              <CheckField
                key={deed}
                label={text[deed]}
                checked={chosen.includes(`${subject}:${deed}` as Permission)}
                onValue={(checked) => onToggle(`${subject}:${deed}` as Permission, checked)}
              />
            ))}
          </div>
        ))}
      </div>
      {problem ? (
        <div className={styles["error"]} role="alert">
          {problem}
        </div>
      ) : null}
    </fieldset>
  );
}
