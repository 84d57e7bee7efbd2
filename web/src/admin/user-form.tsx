import type { RouterInputs } from "@zonewright/client";
import { useId, useState } from "react";
import { client, issueOf, messageOf, queries } from "../api.ts";
import { useUser } from "../session/current-user.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { CheckField, Form, SelectField, TextField } from "../ui/field.tsx";
import { Notice } from "../ui/notice.tsx";
import { toast } from "../ui/toast.tsx";
import { useAction } from "../ui/use-action.ts";
import { adminWords } from "../words/admin.ts";
import { words } from "../words/words.ts";
import type { ManagedUser } from "./users.ts";
import styles from "./admin.module.css";

const text = adminWords.users;

type Patch = RouterInputs["users"]["update"];

interface UserFields {
  username: string;
  displayName: string;
  email: string;
  role: ManagedUser["role"];
  disabled: boolean;
  password: string;
}

/** Only what differs, because some fields need a recently confirmed session. */
function changesOf(user: ManagedUser, fields: UserFields): Patch {
  const patch: Patch = { id: user.id };
  if (fields.username !== user.username) patch.username = fields.username;
  if (fields.displayName !== (user.displayName ?? "")) patch.displayName = fields.displayName || null;
  if (fields.email !== (user.email ?? "")) patch.email = fields.email || null;
  if (fields.role !== user.role) patch.role = fields.role;
  if (fields.disabled !== user.disabled) patch.disabled = fields.disabled;
  if (fields.password !== "") patch.password = fields.password;
  return patch;
}

type CheckedFields = Pick<UserFields, "username" | "email" | "password">;

/**
 * What is wrong with the fields of a user, as the service would say it. The service asks for the administrator's own password before it looks
 * at them, and nobody wants to enter that for a form that is refused.
 */
function userIssues({ username, email, password }: CheckedFields, isNew: boolean): Partial<CheckedFields> {
  const issues: Partial<CheckedFields> = {};
  if (username.length < 2 || username.length > 64) issues.username = text.issues.usernameLength;
  else if (!/^[\w.@-]*$/.test(username)) issues.username = text.issues.usernameForm;
  if (email !== "" && !/^[^\s@]+@[^\s@]+$/.test(email)) issues.email = text.issues.email;
  // A password that is left empty stays.
  if (isNew || password !== "") {
    if (password.length < 12) issues.password = text.issues.passwordShort;
    else if (password.length > 256) issues.password = text.issues.passwordLong;
  }
  return issues;
}

/** Whether another user has the name: asked for before the service asks for the administrator's own password. */
async function taken(username: string, user: ManagedUser | null): Promise<{ username?: string }> {
  if (username === "" || username.toLowerCase() === user?.username.toLowerCase()) return {};
  const { users } = await client.users.list.query({ search: username.slice(0, 256), limit: 100 });
  const isTaken = users.some((other) => other.username.toLowerCase() === username.toLowerCase());
  return isTaken ? { username: text.issues.taken(username) } : {};
}

/** Adds a user, or changes one. */
export function UserForm({ user, onClose }: { user: ManagedUser | null; onClose: () => void }) {
  const form = useId();
  const self = useUser().id === user?.id;
  const [fields, setFields] = useState<UserFields>({
    username: user?.username ?? "",
    displayName: user?.displayName ?? "",
    email: user?.email ?? "",
    role: user?.role ?? "member",
    disabled: user?.disabled ?? false,
    password: "",
  });
  const [issues, setIssues] = useState<ReturnType<typeof userIssues>>({});
  const set = (changes: Partial<UserFields>) => {
    setIssues({});
    setFields((before) => ({ ...before, ...changes }));
  };
  const save = useAction(async () => {
    const { username, password, role, email, displayName } = fields;
    const found = { ...userIssues(fields, user === null), ...(await taken(username, user)) };
    setIssues(found);
    if (Object.keys(found).length > 0) return;
    const given = { username, password, role, email: email || null, displayName: displayName || null };
    await (user ? client.users.update.mutate(changesOf(user, fields)) : client.users.create.mutate(given));
    await queries.invalidateQueries({ queryKey: ["users"] });
    toast({ title: user ? text.changed(username) : text.added(username) });
    onClose();
  });
  const known = ["username", "displayName", "email", "password", "role", "disabled"];
  const elsewhere = save.error !== null && !known.some((field) => issueOf(save.error, field));
  return (
    <Dialog
      open
      onClose={onClose}
      title={user ? text.editTitle(user.username) : text.addTitle}
      description={user ? undefined : text.addHint}
      footer={
        <>
          <Button onClick={onClose}>{words.ui.cancel}</Button>
          <Button type="submit" form={form} kind="primary" pending={save.pending}>
            {user ? words.ui.save : text.add}
          </Button>
        </>
      }
    >
      <Form id={form} onSubmit={() => void save.run()}>
        {elsewhere ? <Notice kind="error">{messageOf(save.error)}</Notice> : null}
        <div className={styles["two"]}>
          <TextField
            label={text.username}
            hint={text.usernameHint}
            autoCapitalize="none"
            value={fields.username}
            onValue={(username) => set({ username })}
            error={issues.username ?? issueOf(save.error, "username")}
          />
          <TextField
            label={text.displayName}
            value={fields.displayName}
            onValue={(displayName) => set({ displayName })}
            error={issueOf(save.error, "displayName")}
          />
        </div>
        <TextField
          label={text.email}
          type="email"
          hint={text.emailHint}
          value={fields.email}
          onValue={(email) => set({ email })}
          error={issues.email ?? issueOf(save.error, "email")}
        />
        <SelectField
          label={text.role}
          value={fields.role}
          options={[
            { value: "member", label: text.roles.member },
            { value: "auditor", label: text.roles.auditor },
            { value: "admin", label: text.roles.admin },
          ]}
          onValue={(role) => set({ role })}
          error={issueOf(save.error, "role")}
        />
        <TextField
          label={user ? text.newPassword : text.password}
          type="password"
          autoComplete="new-password"
          hint={self ? text.ownPasswordHint : user ? text.newPasswordHint : text.passwordHint}
          disabled={self}
          value={fields.password}
          onValue={(password) => set({ password })}
          error={issues.password ?? issueOf(save.error, "password")}
        />
        {user && !self ? (
          <CheckField label={text.disableLabel} checked={fields.disabled} onValue={(disabled) => set({ disabled })} />
        ) : null}
      </Form>
    </Dialog>
  );
}
