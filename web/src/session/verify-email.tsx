import { Link } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { client } from "../api.ts";
import { Failure, Notice } from "../ui/notice.tsx";
import { useAction } from "../ui/use-action.ts";
import { sessionWords } from "../words/session.ts";
import { words } from "../words/words.ts";
import { Card } from "./card.tsx";
import { tokenFromHash } from "./hash-token.ts";

const text = sessionWords;

/** Opens the mailed link that verifies an address. */
export function VerifyEmail() {
  const [token] = useState(tokenFromHash);
  const [verified, setVerified] = useState(false);
  const { run, pending, error } = useAction(async (value: string) => {
    await client.auth.verifyEmail.mutate({ token: value });
    setVerified(true);
  }, true);
  useEffect(() => {
    if (token !== null) void run(token);
  }, [run, token]);
  return (
    <Card title={text.verifyTitle} links={<Link to="/">{words.shell.toDomains}</Link>}>
      {token === null ? <Notice kind="error">{text.noToken}</Notice> : null}
      {pending ? <Notice kind="info">{text.verifying}</Notice> : null}
      {verified ? <Notice kind="success">{text.verified}</Notice> : null}
      <Failure error={error} />
    </Card>
  );
}
