import type { SecondFactorMethod, SignInResult } from "@zonewright/client";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { Notice } from "../ui/notice.tsx";
import { sessionWords } from "../words/session.ts";
import { Card } from "./card.tsx";
import { refreshUser } from "./current-user.ts";
import { SecondFactor } from "./second-factor.tsx";
import { WaysToSignIn } from "./ways-to-sign-in.tsx";

const text = sessionWords;

/** The sign-in page: password, passkey, external providers, and the second step. */
export function SignIn() {
  const navigate = useNavigate();
  const { next = "/", ended, error } = useSearch({ from: "/sign-in" });
  const [methods, setMethods] = useState<readonly SecondFactorMethod[] | null>(null);

  const enter = async (result: SignInResult) => {
    if (result.kind === "secondFactorNeeded") {
      setMethods(result.methods);
      return;
    }
    await refreshUser();
    await navigate({ href: next, replace: true });
  };

  if (methods) {
    return (
      <Card title={text.second} hint={text.secondHint}>
        <SecondFactor methods={methods} onDone={enter} onBack={() => setMethods(null)} />
      </Card>
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
      <WaysToSignIn next={next} onDone={enter} />
    </Card>
  );
}
