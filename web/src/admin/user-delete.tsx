import { useQuery } from "@tanstack/react-query";
import { useDeferredValue, useId, useState } from "react";
import { client, issueOf, messageOf, queries } from "../api.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Field, Form } from "../ui/field.tsx";
import { Notice } from "../ui/notice.tsx";
import { toast } from "../ui/toast.tsx";
import { useAction } from "../ui/use-action.ts";
import { adminWords } from "../words/admin.ts";
import { words } from "../words/words.ts";
import type { ManagedUser } from "./users.ts";

const text = adminWords.users;

/** Asks before a user is deleted, and for the new owner of the user's domains. */
export function DeleteUser({ user, onClose }: { user: ManagedUser; onClose: () => void }) {
  const form = useId();
  const list = useId();
  const [owner, setOwner] = useState("");
  const [unknown, setUnknown] = useState(false);
  const search = useDeferredValue(owner.trim());
  const { data } = useQuery({
    queryKey: ["users", "names", search],
    enabled: user.domainCount > 0,
    queryFn: async ({ signal }) =>
      (await client.users.list.query({ limit: 100, ...(search && { search }) }, { signal })).users,
  });
  const remove = useAction(async () => {
    let reassignTo: string | undefined;
    if (user.domainCount > 0) {
      const { users } = await client.users.list.query({ limit: 100, search: owner.trim() });
      reassignTo = users.find(({ username }) => username.toLowerCase() === owner.trim().toLowerCase())?.id;
      setUnknown(reassignTo === undefined);
      if (reassignTo === undefined) return;
    }
    await client.users.delete.mutate({ id: user.id, ...(reassignTo && { reassignTo }) });
    await Promise.all([
      queries.invalidateQueries({ queryKey: ["users"] }),
      queries.invalidateQueries({ queryKey: ["domains"] }),
    ]);
    toast({ title: text.deleted(user.username) });
    onClose();
  });
  const issue = issueOf(remove.error, "reassignTo");
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
      <Form id={form} onSubmit={() => void remove.run()}>
        {remove.error !== null && !issue ? <Notice kind="error">{messageOf(remove.error)}</Notice> : null}
        {user.domainCount > 0 ? (
          <>
            <p>
              <strong>{user.username}</strong> {text.owns(user.domainCount)}
            </p>
            <Field label={text.newOwner} error={unknown ? text.newOwnerUnknown : issue}>
              {(control) => (
                <>
                  <input
                    {...control}
                    list={list}
                    autoComplete="off"
                    autoCapitalize="none"
                    value={owner}
                    onChange={(event) => {
                      setOwner(event.target.value);
                      setUnknown(false);
                    }}
                  />
                  <datalist id={list}>
                    {(data ?? [])
                      .filter(({ id, disabled }) => id !== user.id && !disabled)
                      .map(({ id, username }) => (
                        <option key={id} value={username}>
                          {username}
                        </option>
                      ))}
                  </datalist>
                </>
              )}
            </Field>
          </>
        ) : null}
      </Form>
    </Dialog>
  );
}
