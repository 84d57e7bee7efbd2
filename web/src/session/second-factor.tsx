import type { SecondFactorMethod, SignInResult } from "@zonewright/client";
import { useEffect, useRef, useState } from "react";
import { client } from "../api.ts";
import { Button } from "../ui/button.tsx";
import { Form, TextField } from "../ui/field.tsx";
import { Failure, Notice } from "../ui/notice.tsx";
import { passkeysWork, askPasskey } from "../ui/passkeys.ts";
import { useAction } from "../ui/use-action.ts";
import { sessionWords } from "../words/session.ts";
import styles from "./session.module.css";

const text = sessionWords;

type Way = SecondFactorMethod | "recovery";

interface SecondFactorProps {
  methods: readonly SecondFactorMethod[];
  onDone: (result: SignInResult) => Promise<void>;
  onBack: () => void;
}

/** The second step of a sign-in: one way at a time, the others as buttons. */
export function SecondFactor({ methods, onDone, onBack }: SecondFactorProps) {
  const ways: readonly Way[] = [...methods.filter((each) => each !== "passkey" || passkeysWork), "recovery"];
  const [way, setWay] = useState<Way>(ways[0] ?? "recovery");
  const [code, setCode] = useState("");
  const [sent, setSent] = useState(false);
  const field = useRef<HTMLInputElement>(null);

  const verify = useAction(async () => {
    if (way === "passkey") {
      const options = await client.twoFactor.passkeyOptions.mutate();
      const credential = await askPasskey(options).catch(() => {
        // The browser and the library have words of their own for it.
        throw new Error(text.passkeyFailed);
      });
      await onDone(await client.completeSecondFactor({ method: "passkey", credential }));
      return;
    }
    await onDone(await client.completeSecondFactor({ method: way, code: code.trim() }));
  }, true);
  const send = useAction(async () => {
    await client.twoFactor.sendEmailCode.mutate();
    setSent(true);
  }, true);

  const choose = (next: Way) => {
    setWay(next);
    setCode("");
    verify.reset();
    send.reset();
  };
  const { run: sendCode } = send;
  const asked = useRef(false);
  useEffect(() => {
    field.current?.focus();
    if (way !== "email" || asked.current) return;
    asked.current = true;
    void sendCode();
  }, [way, sendCode]);

  return (
    <>
      <Failure error={verify.error ?? send.error} />
      {way === "email" && sent ? <Notice kind="info">{text.codeSent}</Notice> : null}
      <Form onSubmit={() => void verify.run()}>
        {way === "passkey" ? null : (
          <TextField
            ref={field}
            label={text.codes[way]}
            value={code}
            onValue={setCode}
            mono
            autoComplete="one-time-code"
            inputMode={way === "totp" ? "numeric" : "text"}
          />
        )}
        <Button type="submit" kind="primary" pending={verify.pending}>
          {way === "passkey" ? text.withPasskey : text.verify}
        </Button>
      </Form>
      <div className={styles["or"]}>{text.otherMethods}</div>
      <div className={styles["stack"]}>
        {way === "email" ? (
          <Button pending={send.pending} onClick={() => void send.run()}>
            {text.sendCode}
          </Button>
        ) : null}
        {ways
          .filter((each) => each !== way)
          .map((each) => (
            <Button key={each} onClick={() => choose(each)}>
              {text.methods[each]}
            </Button>
          ))}
        <Button kind="quiet" onClick={onBack}>
          {text.startAgain}
        </Button>
      </div>
    </>
  );
}
