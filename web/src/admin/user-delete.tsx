import { useId, useState } from "react";
import { client, issueOf, messageOf, queries } from "../api.ts";
import { usePersonSearch } from "../session/use-person-search.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Form } from "../ui/field.tsx";
import { Notice } from "../ui/notice.tsx";
import { PersonField } from "../ui/person-field.tsx";
import { toast } from "../ui/toast.tsx";
import { useAction } from "../ui/use-action.ts";
import { adminWords } from "../words/admin.ts";
import { words } from "../words/words.ts";
import type { ManagedUser } from "./users.ts";

const text = adminWords.users;

/** Asks before a user is deleted, and for the new owner of the user's domains. */
export function DeleteUser({ user, onClose }: { user: ManagedUser; onClose: () => void }) {
  const form = useId();
  const needsOwner = user.domainCount > 0;
  const owner = usePersonSearch({
    present: null,
    enabled: needsOwner,
    selfDetail: text.you,
    mayBe: ({ id, disabled }) => id !== user.id && !disabled,
  });
  const [tried, setTried] = useState(false);
  const remove = useAction(async () => {
    await client.users.delete.mutate({ id: user.id, ...(needsOwner && owner.id && { reassignTo: owner.id }) });
    await Promise.all([
      queries.invalidateQueries({ queryKey: ["users"] }),
      queries.invalidateQueries({ queryKey: ["domains"] }),
    ]);
    toast({ title: text.deleted(user.username) });
    onClose();
  });
  const issue = issueOf(remove.error, "reassignTo");
  // Null: nobody is named.
  const isMissing = needsOwner && (owner.id === undefined || owner.id === null);
  return (
    <Dialog
      open
      onClose={onClose}
      title={text.deleteTitle(user.username)}
      description={text.deleteHint}
      footer={
        <>
          <Button onClick={onClose}>{words.ui.cancel}</Button>
          <Button type="submit" form={form} kind="danger" pending={remove.pending}>
            {text.delete}
          </Button>
        </>
      }
    >
      <Form
        id={form}
        onSubmit={() => {
          setTried(true);
          if (!isMissing) void remove.run();
        }}
      >
        {remove.error !== null && !issue ? <Notice kind="error">{messageOf(remove.error)}</Notice> : null}
        {needsOwner ? (
          <>
            <p>
              <strong>{user.username}</strong> {text.owns(user.domainCount)}
            </p>
            <PersonField
              label={text.newOwner}
              none={text.noneFound}
              {...owner.field}
              error={tried && isMissing ? text.newOwnerUnknown : issue}
            />
          </>
        ) : null}
      </Form>
    </Dialog>
  );
}
