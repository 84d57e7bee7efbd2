import type { ConfirmationProof, ReauthenticationRequest } from "@zonewright/client";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { client, setReauthentication } from "../api.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Form, SelectField, TextField } from "../ui/field.tsx";
import { Failure, Notice } from "../ui/notice.tsx";
import { passkeysWork, askPasskey } from "../ui/passkeys.ts";
import { useAction } from "../ui/use-action.ts";
import { sessionWords } from "../words/session.ts";
import { words } from "../words/words.ts";
import { useUser } from "./current-user.ts";
import { leaveForProvider } from "./journey.ts";
import { keepKeysOfLostAnswers } from "./same-key.ts";
import styles from "./session.module.css";

const text = sessionWords;

keepKeysOfLostAnswers();

interface Waiting {
  request: ReauthenticationRequest;
  /** Lets the waiting calls go on, confirmed or not. */
  done: () => void;
}

/** The dialog that asks for a fresh proof whenever the service wants one (REAUTHENTICATION_REQUIRED). Mounted once. */
export function ReauthenticationDialog() {
  const [waiting, setWaiting] = useState<Waiting | null>(null);
  useEffect(() => {
    setReauthentication(
      async (request) =>
        await new Promise<void>((resolve) => {
          setWaiting({
            request,
            done: () => {
              setWaiting(null);
              resolve();
            },
          });
        }),
    );
  }, []);
  return waiting ? <Prompt {...waiting} /> : null;
}

function Prompt({ request, done }: Waiting) {
  const user = useUser();
  const codeMethods = [...(user.twoFactorMethods.includes("totp") ? (["totp"] as const) : []), "recovery" as const];
  const needsCode = user.twoFactorMethods.length > 0;
  const hasPasskey = user.twoFactorMethods.includes("passkey") && passkeysWork;
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const [method, setMethod] = useState<"totp" | "recovery">(codeMethods[0] ?? "recovery");
  const first = useRef<HTMLInputElement>(null);

  const confirm = useAction(async (proof: ConfirmationProof) => {
    await request.confirm(proof);
    done();
  });
  const passkey = useAction(async () => {
    const options = await client.auth.confirmOptions.mutate();
    const credential = await askPasskey(options).catch(() => {
      // The browser and the library have words of their own for it.
      throw new Error(text.passkeyFailed);
    });
    await request.confirm({ method: "passkey", credential });
    done();
  });

  return (
    <Dialog
      open
      onClose={done}
      title={text.confirmTitle}
      description={text.confirmHint}
      initialFocus={first}
      footer={
        <>
          <Button kind="quiet" onClick={done}>
            {words.ui.cancel}
          </Button>
          {hasPasskey ? (
            <Button
              kind={user.hasPassword ? "plain" : "primary"}
              pending={passkey.pending}
              onClick={() => void passkey.run()}
            >
              {text.withPasskey}
            </Button>
          ) : null}
          {user.hasPassword ? (
            <Button type="submit" form="confirm-session" kind="primary" pending={confirm.pending}>
              {text.confirm}
            </Button>
          ) : null}
        </>
      }
    >
      <Form
        id="confirm-session"
        onSubmit={() => void confirm.run(needsCode ? { password, method, code: code.trim() } : { password })}
      >
        <Failure error={confirm.error ?? passkey.error} />
        {user.hasPassword ? (
          <TextField
            ref={first}
            label={text.password}
            type="password"
            autoComplete="current-password"
            value={password}
            onValue={setPassword}
          />
        ) : (
          <SignInElsewhere userId={user.id} alone={!hasPasskey} />
        )}
        {user.hasPassword && needsCode ? (
          <>
            {codeMethods.length > 1 ? (
              <SelectField
                label={text.second}
                value={method}
                options={codeMethods.map((value) => ({ value, label: text.methods[value] }))}
                onValue={setMethod}
              />
            ) : null}
            <TextField label={text.codes[method]} mono autoComplete="one-time-code" value={code} onValue={setCode} />
          </>
        ) : null}
      </Form>
    </Dialog>
  );
}

/** Confirms at the providers that are bound to an account without a password. @param alone whether there is no other way */
function SignInElsewhere({ userId, alone }: { userId: string; alone: boolean }) {
  const { data: bindings } = useQuery({
    queryKey: ["identity-bindings"],
    queryFn: async ({ signal }) => (await client.identity.bindings.query(undefined, { signal })).bindings,
  });
  if (!bindings || (bindings.length === 0 && !alone)) return null;
  return (
    <>
      <Notice kind="info">{bindings.length === 0 ? text.confirmNowhere : text.confirmSignIn}</Notice>
      <div className={styles["stack"]}>
        {bindings.map(({ providerId, name }) => (
          <Button
            key={providerId}
            onClick={() => leaveForProvider(providerId, location.pathname + location.search, { userId })}
          >
            {text.confirmAt(name)}
          </Button>
        ))}
      </div>
    </>
  );
}
