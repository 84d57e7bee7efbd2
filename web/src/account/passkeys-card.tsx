import { useQuery } from "@tanstack/react-query";
import type { RouterOutputs } from "@zonewright/client";
import { KeyRound } from "lucide-react";
import { useRef, useState } from "react";
import { client, issueOf } from "../api.ts";
import { AskFirst } from "../ui/ask-first.tsx";
import { Button } from "../ui/button.tsx";
import { Form, TextField } from "../ui/field.tsx";
import { Failure, Notice } from "../ui/notice.tsx";
import { Card } from "../ui/page.tsx";
import { createPasskey, passkeyObstacle } from "../ui/passkeys.ts";
import { toast } from "../ui/toast.tsx";
import { useAction } from "../ui/use-action.ts";
import { accountWords } from "../words/account.ts";
import { words } from "../words/words.ts";
import styles from "./account.module.css";
import { deviceName } from "./device-name.ts";
import { refreshFactors, secondFactors } from "./own-account.ts";
import { Ago, Row } from "./row.tsx";

const text = accountWords;

type Passkey = RouterOutputs["twoFactor"]["get"]["passkeys"][number];

/** The user's passkeys. */
export function PasskeysCard({ onCodes }: { onCodes: (codes: readonly string[]) => void }) {
  const { data, error } = useQuery(secondFactors);
  const [asked, setAsked] = useState<Passkey | null>(null);
  const list = useRef<HTMLDivElement>(null);
  const remove = useAction(async ({ id, name }: Passkey) => {
    await client.twoFactor.deletePasskey.mutate({ id });
    toast({ title: text.passkeyDeleted(name) });
    await refreshFactors();
    list.current?.focus();
  });
  return (
    <Card title={text.passkeys} hint={text.passkeysHint} flush>
      <div ref={list} tabIndex={-1}>
        <div className={styles["messages"]}>
          <Failure error={error ?? remove.error} />
        </div>
        {data?.passkeys.length === 0 ? <p className={styles["quiet"]}>{text.passkeysEmpty}</p> : null}
        <ul className={styles["list"]} aria-label={text.passkeys}>
          {data?.passkeys.map((passkey) => (
            <Row
              key={passkey.id}
              icon={<KeyRound aria-hidden />}
              title={passkey.name}
              facts={
                <>
                  <span>
                    {text.added} <Ago date={passkey.createdAt} />
                  </span>
                  <span>
                    {passkey.lastUsedAt === null ? (
                      text.neverUsed
                    ) : (
                      <>
                        {text.lastUsed} <Ago date={passkey.lastUsedAt} />
                      </>
                    )}
                  </span>
                </>
              }
              actions={
                <Button
                  kind="danger"
                  aria-label={text.passkeyDelete(passkey.name)}
                  disabled={remove.pending}
                  onClick={() => setAsked(passkey)}
                >
                  {words.ui.delete}
                </Button>
              }
            />
          ))}
        </ul>
      </div>
      <div className={styles["foot"]}>
        {passkeyObstacle === null ? (
          <AddForm onCodes={onCodes} />
        ) : (
          <Notice kind="info">{text.passkeysMissing[passkeyObstacle]}</Notice>
        )}
      </div>
      {asked ? (
        <AskFirst
          title={text.passkeyDeleteTitle(asked.name)}
          action={words.ui.delete}
          onClose={() => setAsked(null)}
          onConfirm={() => void remove.run(asked)}
        >
          {text.passkeyDeleteHint}
        </AskFirst>
      ) : null}
    </Card>
  );
}

function AddForm({ onCodes }: { onCodes: (codes: readonly string[]) => void }) {
  const [name, setName] = useState(() => deviceName(navigator.userAgent));
  const [isUnnamed, setIsUnnamed] = useState(false);
  const add = useAction(async () => {
    // The service reads the name last: the authenticator would have made a passkey that nothing knows, and the owner confirmed in vain.
    setIsUnnamed(name.trim() === "");
    if (name.trim() === "") return;
    const options = await client.twoFactor.passkeyCreationOptions.mutate();
    const credential = await createPasskey(options).catch((failure: unknown) => {
      const isKnown = failure instanceof Error && failure.name === "InvalidStateError";
      // The browser and the library have words of their own for it.
      throw new Error(isKnown ? text.passkeyKnown : text.passkeyCancelled);
    });
    const { recoveryCodes } = await client.twoFactor.createPasskey.mutate({ name: name.trim(), credential });
    toast({ title: text.passkeyAdded(name.trim()) });
    if (recoveryCodes) onCodes(recoveryCodes);
    await refreshFactors();
  });
  const issue = isUnnamed ? words.ui.required : issueOf(add.error, "name");
  return (
    <Form onSubmit={() => void add.run()}>
      {issue ? null : <Failure error={add.error} />}
      <div className={styles["line"]}>
        <TextField label={text.passkeyName} maxLength={100} value={name} onValue={setName} error={issue} />
        <Button type="submit" pending={add.pending}>
          {text.passkeyAdd}
        </Button>
      </div>
    </Form>
  );
}
