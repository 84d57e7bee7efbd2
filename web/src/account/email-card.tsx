import { useEffect, useRef, useState } from "react";
import { client, issueOf } from "../api.ts";
import { useUser } from "../session/current-user.ts";
import { Button } from "../ui/button.tsx";
import { Form, TextField } from "../ui/field.tsx";
import { Failure, Notice } from "../ui/notice.tsx";
import { Card } from "../ui/page.tsx";
import { toast } from "../ui/toast.tsx";
import { useAction } from "../ui/use-action.ts";
import { accountWords } from "../words/account.ts";
import { words } from "../words/words.ts";
import styles from "./account.module.css";
import rowStyles from "./row.module.css";
import { showUser } from "./own-account.ts";
import { Chip } from "./row.tsx";

const text = accountWords;

/** The user's address, whether it is verified, and another one. */
export function EmailCard() {
  const user = useUser();
  const [changing, setChanging] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const resend = useAction(async () => {
    await client.profile.resendVerification.mutate();
    toast({ title: text.emailResent });
  });
  const close = () => {
    setChanging(false);
    resend.reset();
    opener.current?.focus();
  };
  return (
    <Card
      title={text.email}
      hint={text.emailHint}
      action={
        <Button ref={opener} aria-expanded={changing} onClick={() => (changing ? close() : setChanging(true))}>
          {user.email === null ? text.emailAdd : text.emailChange}
        </Button>
      }
    >
      <Failure error={resend.error} />
      {user.email === null ? (
        <span className={styles["hint"]}>{text.emailNone}</span>
      ) : (
        <div className={rowStyles["name"]}>
          <span>{user.email}</span>
          <Chip kind={user.emailVerified ? "good" : "warn"}>
            {user.emailVerified ? text.emailVerified : text.emailUnverified}
          </Chip>
        </div>
      )}
      {user.email === null || user.emailVerified ? null : (
        <Notice
          kind="warning"
          action={
            <Button pending={resend.pending} onClick={() => void resend.run()}>
              {text.emailResend}
            </Button>
          }
        >
          {text.emailUnverifiedHint}
        </Notice>
      )}
      {changing ? <ChangeForm onDone={close} /> : null}
    </Card>
  );
}

/** Asks for the password whenever there is one, as the service does; without one, the session must be confirmed. */
function ChangeForm({ onDone }: { onDone: () => void }) {
  const { hasPassword } = useUser();
  const [email, setEmail] = useState("");
  const [currentPassword, setCurrentPassword] = useState("");
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const change = useAction(async () => {
    const proof = hasPassword ? { currentPassword } : {};
    showUser(await client.profile.changeEmail.mutate({ email: email.trim(), ...proof }));
    toast({ title: text.emailSaved });
    onDone();
  });
  const issues = { email: issueOf(change.error, "email"), password: issueOf(change.error, "currentPassword") };
  return (
    <Form onSubmit={() => void change.run()}>
      {(issues.email ?? issues.password) ? null : <Failure error={change.error} />}
      <TextField
        ref={field}
        label={text.emailNew}
        type="email"
        autoComplete="email"
        hint={text.emailNewHint}
        error={issues.email}
        value={email}
        onValue={setEmail}
      />
      {hasPassword ? (
        <TextField
          label={text.currentPassword}
          type="password"
          autoComplete="current-password"
          error={issues.password}
          value={currentPassword}
          onValue={setCurrentPassword}
        />
      ) : null}
      <div className={styles["buttons"]}>
        <Button type="submit" kind="primary" pending={change.pending}>
          {text.emailSave}
        </Button>
        <Button kind="quiet" onClick={onDone}>
          {words.ui.cancel}
        </Button>
      </div>
    </Form>
  );
}
