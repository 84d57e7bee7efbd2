import { useState } from "react";
import { client, issueOf } from "../api.ts";
import { useUser } from "../session/current-user.ts";
import { Button } from "../ui/button.tsx";
import { CheckField, Form, TextField } from "../ui/field.tsx";
import { Failure } from "../ui/notice.tsx";
import { Card } from "../ui/page.tsx";
import { toast } from "../ui/toast.tsx";
import { useAction } from "../ui/use-action.ts";
import { accountWords } from "../words/account.ts";
import { locale } from "../words/language.ts";
import styles from "./account.module.css";
import { refreshWaysIn } from "./own-account.ts";

const text = accountWords;
const kinds = ["sessions", "tokens", "keys", "passkeys", "identities"] as const;
type Kind = (typeof kinds)[number];

/** Changes the password, and ends what should end with it. */
export function PasswordCard() {
  const user = useUser();
  return (
    <Card title={text.password} hint={user.hasPassword ? undefined : text.passwordNone}>
      {user.hasPassword ? <ChangeForm username={user.username} /> : <FirstForm username={user.username} />}
    </Card>
  );
}

/** Sets the password of an account that has none. The service wants the session confirmed for it. */
function FirstForm({ username }: { username: string }) {
  const [newPassword, setNewPassword] = useState("");
  const set = useAction(async () => {
    await client.profile.changePassword.mutate({ newPassword, revoke: [] });
    toast({ title: text.passwordSet });
    await refreshWaysIn();
  });
  const issue = issueOf(set.error, "newPassword");
  return (
    <Form onSubmit={() => void set.run()}>
      {issue ? null : <Failure error={set.error} />}
      <input type="text" name="username" autoComplete="username" value={username} readOnly hidden />
      <TextField
        label={text.newPassword}
        type="password"
        autoComplete="new-password"
        hint={text.newPasswordHint}
        value={newPassword}
        onValue={setNewPassword}
        error={issue}
      />
      <div>
        <Button type="submit" kind="primary" pending={set.pending}>
          {text.setPassword}
        </Button>
      </div>
    </Form>
  );
}

function ChangeForm({ username }: { username: string }) {
  const [currentPassword, setCurrentPassword] = useState("");
  const [newPassword, setNewPassword] = useState("");
  const [revoke, setRevoke] = useState<readonly Kind[]>(["sessions"]);
  const change = useAction(async () => {
    const { remaining } = await client.profile.changePassword.mutate({
      currentPassword,
      newPassword,
      revoke: [...revoke],
    });
    setCurrentPassword("");
    setNewPassword("");
    setRevoke(["sessions"]);
    toast({ title: text.passwordChanged, description: stillOpen(remaining) });
    await refreshWaysIn();
  });
  const issues = {
    currentPassword: issueOf(change.error, "currentPassword"),
    newPassword: issueOf(change.error, "newPassword"),
  };
  return (
    <Form onSubmit={() => void change.run()}>
      {(issues.currentPassword ?? issues.newPassword) ? null : <Failure error={change.error} />}
      <input type="text" name="username" autoComplete="username" value={username} readOnly hidden />
      <div className={styles["pair"]}>
        <TextField
          label={text.currentPassword}
          type="password"
          autoComplete="current-password"
          value={currentPassword}
          onValue={setCurrentPassword}
          error={issues.currentPassword}
        />
        <TextField
          label={text.newPassword}
          type="password"
          autoComplete="new-password"
          hint={text.newPasswordHint}
          value={newPassword}
          onValue={setNewPassword}
          error={issues.newPassword}
        />
      </div>
      <fieldset className={styles["choices"]}>
        <legend>{text.alsoEnd}</legend>
        <span className={styles["hint"]}>{text.alsoEndHint}</span>
        <div className={styles["checks"]}>
          {kinds.map((kind) => (
            <CheckField
              key={kind}
              label={
                <>
                  {text.ends[kind]}
                  <span className={styles["hint"]}>{text.endsWhat[kind]}</span>
                </>
              }
              checked={revoke.includes(kind)}
              onValue={(checked) =>
                setRevoke((before) => (checked ? [...before, kind] : before.filter((each) => each !== kind)))
              }
            />
          ))}
        </div>
      </fieldset>
      <div>
        <Button type="submit" kind="primary" pending={change.pending}>
          {text.changePassword}
        </Button>
      </div>
    </Form>
  );
}

const list = new Intl.ListFormat(locale);

/** What opens the account besides the new password and this session. */
function stillOpen(remaining: Readonly<Record<Kind, number>>): string {
  const ways = kinds.filter((kind) => remaining[kind] > 0).map((kind) => text.remaining[kind](remaining[kind]));
  return ways.length === 0 ? text.nothingOpen : text.stillOpen(list.format(ways));
}
