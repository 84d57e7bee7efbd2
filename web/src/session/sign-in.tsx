import { useQuery } from "@tanstack/react-query";
import type { SecondFactorMethod, SignInResult } from "@zonewright/client";
import { KeyRound } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { client } from "../api.ts";
import { Button } from "../ui/button.tsx";
import { CheckField, Form, TextField } from "../ui/field.tsx";
import { Failure, Notice } from "../ui/notice.tsx";
import { passkeysWork, askPasskey, wasCancelled } from "../ui/passkeys.ts";
import { useAction } from "../ui/use-action.ts";
import { sessionWords } from "../words/session.ts";
import { Card } from "./card.tsx";
import { refreshUser } from "./current-user.ts";
import { authorizeUrl, beginExternal } from "./external.ts";
import { SecondFactor } from "./second-factor.tsx";
import styles from "./session.module.css";

const text = sessionWords;

/** The sign-in page: password, passkey, external providers, and the second step. */
export function SignIn() {
  const navigate = useNavigate();
  const { next, ended, error } = useSearch({ from: "/sign-in" });
  const [username, setUsername] = useState("");
  const [password, setPassword] = useState("");
  const [rememberMe, setRememberMe] = useState(false);
  const [methods, setMethods] = useState<readonly SecondFactorMethod[] | null>(null);
  const first = useRef<HTMLInputElement>(null);
  const providers = useQuery({
    queryKey: ["sign-in-providers"],
    queryFn: async ({ signal }) => (await client.identity.providers.query(undefined, { signal })).providers,
  });

  const enter = async (result: SignInResult) => {
    if (result.kind === "secondFactorNeeded") {
      setMethods(result.methods);
      return;
    }
    await refreshUser();
    await navigate({ href: next ?? "/", replace: true });
  };
  const signIn = useAction(async () => await enter(await client.signIn({ username, password, rememberMe })));
  const passkey = useAction(async () => {
    const options = await client.auth.passkeyOptions.mutate();
    const credential = await askPasskey(options).catch((failure: unknown) => {
      throw wasCancelled(failure) ? new Error(text.passkeyFailed) : failure;
    });
    await enter(await client.signInWithPasskey({ credential, rememberMe }));
  });

  useEffect(() => first.current?.focus(), []);

  if (methods) {
    return (
      <SecondFactor
        methods={methods}
        onDone={enter}
        onBack={() => {
          setMethods(null);
          setPassword("");
        }}
      />
    );
  }
  return (
    <Card
      title={text.title}
      links={
        <>
          <Link to="/forgot-password">{text.forgot}</Link>
          <Link to="/register">{text.haveCode}</Link>
        </>
      }
    >
      {ended ? <Notice kind="info">{text.ended}</Notice> : null}
      {error ? (
        <Notice kind="error">{text.errors[error as keyof typeof text.errors] ?? text.errors.unknown}</Notice>
      ) : null}
      <Failure error={signIn.error ?? passkey.error} />
      <Form
        onSubmit={() => {
          passkey.reset();
          void signIn.run();
        }}
      >
        <TextField
          ref={first}
          label={text.username}
          name="username"
          autoComplete="username webauthn"
          autoCapitalize="none"
          required
          value={username}
          onValue={setUsername}
        />
        <TextField
          label={text.password}
          name="password"
          type="password"
          autoComplete="current-password"
          required
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
        {passkeysWork ? (
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
          <Notice kind="info">{text.passkeyMissing}</Notice>
        )}
        {providers.data?.map(({ providerId, name }) => (
          <Button
            key={providerId}
            onClick={() => {
              beginExternal(providerId, next ?? "/");
              location.assign(authorizeUrl(providerId));
            }}
          >
            {text.with(name)}
          </Button>
        ))}
      </div>
    </Card>
  );
}
