import { useEffect, useRef, useState, type ReactNode } from "react";
import { issueOf } from "../api.ts";
import { Button } from "../ui/button.tsx";
import { Form, TextField } from "../ui/field.tsx";
import { Failure } from "../ui/notice.tsx";
import type { Action } from "../ui/use-action.ts";
import { words } from "../words/words.ts";
import styles from "./account.module.css";
import { ExpiryFields } from "./expiry-fields.tsx";
import { expiryDate, type Expiry } from "./expiry.ts";

/** What every new secret has. */
export interface NewSecret {
  name: string;
  expiresAt: Date | null;
}

interface SecretFormProps {
  label: string;
  example: string;
  submit: string;
  /** The end that is offered. */
  ends: Expiry;
  create: Action<[NewSecret]>;
  /** What the service says about the fields in between. */
  issues: Readonly<Record<string, string | null>>;
  /** Marks what is missing among these fields. Returns whether nothing is. */
  isComplete: () => boolean;
  onCancel: () => void;
  children: ReactNode;
}

/** The form of a new token or key: its name, what it may do, and when it ends. */
export function SecretForm(props: SecretFormProps) {
  const { label, example, submit, ends, create, issues, isComplete, onCancel, children } = props;
  const [name, setName] = useState("");
  const [expiry, setExpiry] = useState<Expiry>(ends);
  const [day, setDay] = useState("");
  const [lacksDay, setLacksDay] = useState(false);
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => first.current?.focus(), []);
  const own = { name: issueOf(create.error, "name"), day: issueOf(create.error, "expiresAt") };
  const isExplained = [...Object.values(own), ...Object.values(issues)].some((issue) => issue !== null);
  const send = () => {
    const expiresAt = expiryDate(expiry, day, new Date());
    const complete = isComplete();
    setLacksDay(expiresAt === undefined);
    if (expiresAt !== undefined && complete) void create.run({ name: name.trim(), expiresAt });
  };
  return (
    <Form className={styles["quietForm"]} onSubmit={send}>
      {isExplained ? null : <Failure error={create.error} />}
      <TextField ref={first} label={label} placeholder={example} value={name} onValue={setName} error={own.name} />
      {children}
      <ExpiryFields expiry={expiry} onExpiry={setExpiry} day={day} onDay={setDay} issue={own.day} missing={lacksDay} />
      <div className={styles["buttons"]}>
        <Button type="submit" kind="primary" pending={create.pending}>
          {submit}
        </Button>
        <Button kind="quiet" onClick={onCancel}>
          {words.ui.cancel}
        </Button>
      </div>
    </Form>
  );
}
