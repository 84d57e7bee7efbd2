import { useQuery } from "@tanstack/react-query";
import type { SignInResult } from "@zonewright/client";
import { KeyRound } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { client, issueOf } from "../api.ts";
import { Button } from "../ui/button.tsx";
import { CheckField, Form, TextField } from "../ui/field.tsx";
import { Failure, Notice } from "../ui/notice.tsx";
import { askPasskey, passkeyObstacle } from "../ui/passkeys.ts";
import { useAction } from "../ui/use-action.ts";
import { sessionWords } from "../words/session.ts";
import { leaveForProvider } from "./journey.ts";
import styles from "./session.module.css";

const text = sessionWords;

interface WaysToSignInProps {
  /** The page to open after a sign-in at a provider. */
  next: string;
  /** Who signs in again; null for anybody. */
  user?: { id: string; username: string } | null;
  onDone: (result: SignInResult) => Promise<void>;
}

/** Password, passkey and external providers. */
export function WaysToSignIn({ next, user = null, onDone }: WaysToSignInProps) {
  const [username, setUsername] = useState(user?.username ?? "");
  const [password, setPassword] = useState("");
  const [rememberMe, setRememberMe] = useState(false);
  const first = useRef<HTMLInputElement>(null);
  const providers = useQuery({
    queryKey: ["sign-in-providers"],
    queryFn: async ({ signal }) => (await client.identity.providers.query(undefined, { signal })).providers,
  });
  const signIn = useAction(async () => await onDone(await client.signIn({ username, password, rememberMe })), true);
  const passkey = useAction(async () => {
    const options = await client.auth.passkeyOptions.mutate();
    const credential = await askPasskey(options).catch(() => {
      // The browser and the library have words of their own for it.
      throw new Error(text.passkeyFailed);
    });
    await onDone(await client.signInWithPasskey({ credential, rememberMe }));
  }, true);

  useEffect(() => first.current?.focus(), []);

  const issues = { username: issueOf(signIn.error, "username"), password: issueOf(signIn.error, "password") };
  return (
    <>
      {navigator.cookieEnabled ? null : <Notice kind="warning">{text.cookiesBlocked}</Notice>}
      {(issues.username ?? issues.password) ? null : <Failure error={signIn.error ?? passkey.error} />}
      <Form
        onSubmit={() => {
          passkey.reset();
          void signIn.run();
        }}
      >
        <TextField
          ref={user ? undefined : first}
          label={text.username}
          name="username"
          autoComplete="username webauthn"
          autoCapitalize="none"
          required
          error={issues.username}
          value={username}
          onValue={setUsername}
        />
        <TextField
          ref={user ? first : undefined}
          label={text.password}
          name="password"
          type="password"
          autoComplete="current-password"
          required
          error={issues.password}
          value={password}
          onValue={setPassword}
        />
        <CheckField label={text.remember} checked={rememberMe} onValue={setRememberMe} />
        <Button type="submit" kind="primary" pending={signIn.pending}>
          {text.signIn}
        </Button>
      </Form>
      <div className={styles["or"]}>{text.or}</div>
      <div className={styles["stack"]}>
        {passkeyObstacle === null ? (
          <Button
            pending={passkey.pending}
            onClick={() => {
              signIn.reset();
              void passkey.run();
            }}
          >
            <KeyRound aria-hidden /> {text.passkey}
          </Button>
        ) : (
          <Notice kind="info">{text.passkeyMissing[passkeyObstacle]}</Notice>
        )}
        {providers.data?.map(({ providerId, name, host }) => (
          <Button key={providerId} onClick={() => leaveForProvider(providerId, next)}>
            <span className={styles["provider"]}>
              {text.with(name)} {host === null ? null : <small>{host}</small>}
            </span>
          </Button>
        ))}
      </div>
    </>
  );
}
