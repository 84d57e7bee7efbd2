import type { RouterInputs, RouterOutputs } from "@zonewright/client";
import { useId, useState } from "react";
import { client, issueOf } from "../api.ts";
import { CheckField } from "../ui/field.tsx";
import { useAction } from "../ui/use-action.ts";
import { accountWords } from "../words/account.ts";
import styles from "./account.module.css";
import { refresh, tokens } from "./own-account.ts";
import { SecretForm, type NewSecret } from "./secret-form.tsx";
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
  const [chosen, setChosen] = useState<readonly Permission[]>([]);
  const [lacksPermission, setLacksPermission] = useState(false);
  const [limits, setLimits] = useState<Limits>({ domains: "", hosts: "", types: "" });

  const create = useAction(async (secret: NewSecret) => {
    const wish = { ...secret, permissions: [...chosen], ...(await narrowingOf(limits)) };
    onCreated(await client.tokens.create.mutate(wish));
    await refresh(tokens);
  });
  const toggle = (permission: Permission, checked: boolean) => {
    setChosen((before) => (checked ? [...before, permission] : before.filter((each) => each !== permission)));
    setLacksPermission(false);
  };
  const issues = { permissions: issueOf(create.error, "permissions"), ...limitIssues(create.error) };
  return (
    <SecretForm
      label={text.tokenName}
      example={text.tokenNameExample}
      submit={text.tokenCreate}
      ends="90"
      create={create}
      issues={issues}
      isComplete={() => {
        setLacksPermission(chosen.length === 0);
        return chosen.length > 0;
      }}
      onCancel={onCancel}
    >
      <Permissions
        chosen={chosen}
        problem={lacksPermission ? text.permissionsNone : issues.permissions}
        onToggle={toggle}
      />
      <TokenLimits limits={limits} issues={issues} onLimits={setLimits} />
    </SecretForm>
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
