import { useId, useState } from "react";
import { client, issueOf, messageOf, queries } from "../api.ts";
import { Button } from "../ui/button.tsx";
import { CopyField } from "../ui/copy-field.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Form, SelectField, TextField } from "../ui/field.tsx";
import { Notice } from "../ui/notice.tsx";
import { useAction } from "../ui/use-action.ts";
import { adminWords } from "../words/admin.ts";
import { words } from "../words/words.ts";
import styles from "./admin.module.css";

const text = adminWords.invitations;

type Expiry = keyof typeof text.expiries;

const dayMilliseconds = 86_400_000;

function expiryDate(expiry: Expiry): Date | null {
  return expiry === "never" ? null : new Date(Date.now() + Number(expiry) * dayMilliseconds);
}

/** Creates an invitation, and shows its code once. */
export function NewInvitation({ onClose }: { onClose: () => void }) {
  const form = useId();
  const [role, setRole] = useState<"admin" | "auditor" | "member">("member");
  const [maxUses, setMaxUses] = useState("1");
  const [expiry, setExpiry] = useState<Expiry>("7");
  const [code, setCode] = useState<string | null>(null);
  const create = useAction(async () => {
    const created = await client.invitations.create.mutate({
      role,
      maxUses: Number(maxUses),
      expiresAt: expiryDate(expiry),
    });
    await queries.invalidateQueries({ queryKey: ["invitations"] });
    setCode(created.code);
  });
  if (code !== null) return <Created code={code} onClose={onClose} />;
  const issue = issueOf(create.error, "maxUses");
  return (
    <Dialog
      open
      onClose={onClose}
      title={text.addTitle}
      footer={
        <>
          <Button onClick={onClose}>{words.ui.cancel}</Button>
          <Button type="submit" form={form} kind="primary" pending={create.pending}>
            {text.create}
          </Button>
        </>
      }
    >
      <Form id={form} onSubmit={() => void create.run()}>
        {create.error !== null && !issue ? <Notice kind="error">{messageOf(create.error)}</Notice> : null}
        <SelectField
          label={text.role}
          hint={role === "admin" ? text.roleHint : undefined}
          value={role}
          options={[
            { value: "member", label: adminWords.users.roles.member },
            { value: "auditor", label: adminWords.users.roles.auditor },
            { value: "admin", label: adminWords.users.roles.admin },
          ]}
          onValue={setRole}
        />
        <div className={styles["two"]}>
          <TextField
            label={text.maxUses}
            type="number"
            min={1}
            max={10_000}
            value={maxUses}
            onValue={setMaxUses}
            error={issue}
          />
          <SelectField
            label={text.expiry}
            value={expiry}
            options={(Object.keys(text.expiries) as Expiry[]).map((value) => ({ value, label: text.expiries[value] }))}
            onValue={setExpiry}
          />
        </div>
      </Form>
    </Dialog>
  );
}

function Created({ code, onClose }: { code: string; onClose: () => void }) {
  return (
    <Dialog
      open
      onClose={onClose}
      title={text.createdTitle}
      description={text.createdHint}
      footer={
        <Button kind="primary" onClick={onClose}>
          {text.doneLabel}
        </Button>
      }
    >
      <div className={styles["stack"]}>
        <CopyField
          label={text.link}
          value={`${location.origin}/register?code=${encodeURIComponent(code)}`}
          copy={text.copyLink}
        />
        <CopyField label={text.code} value={code} copy={text.copyCode} />
      </div>
    </Dialog>
  );
}
