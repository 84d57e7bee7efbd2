import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { client, issueOf } from "../api.ts";
import { Button } from "../ui/button.tsx";
import { Form, TextField } from "../ui/field.tsx";
import { Failure, Notice } from "../ui/notice.tsx";
import { toast } from "../ui/toast.tsx";
import { useAction } from "../ui/use-action.ts";
import { sessionWords } from "../words/session.ts";
import { Card } from "./card.tsx";
import { tokenFromHash } from "./hash-token.ts";

const text = sessionWords;

/** Requests the link that resets a password. */
export function ForgotPassword() {
  const [email, setEmail] = useState("");
  const [sent, setSent] = useState(false);
  const send = useAction(async () => {
    await client.auth.forgotPassword.mutate({ email });
    setSent(true);
  }, true);
  return (
    <Card title={text.forgotTitle} hint={text.forgotHint} links={<Link to="/sign-in">{text.toSignIn}</Link>}>
      {sent ? <Notice kind="success">{text.linkSent}</Notice> : null}
      {issueOf(send.error, "email") ? null : <Failure error={send.error} />}
      <Form onSubmit={() => void send.run()}>
        <TextField
          label={text.email}
          type="email"
          autoComplete="email"
          value={email}
          onValue={setEmail}
          error={issueOf(send.error, "email")}
        />
        <Button type="submit" kind="primary" pending={send.pending}>
          {text.sendLink}
        </Button>
      </Form>
    </Card>
  );
}

/** Sets a new password, with the token of the mailed link. */
export function ResetPassword() {
  const navigate = useNavigate();
  const [token] = useState(tokenFromHash);
  const [newPassword, setNewPassword] = useState("");
  const reset = useAction(async () => {
    await client.auth.resetPassword.mutate({ token: token ?? "", newPassword });
    toast({ title: text.passwordSet });
    await navigate({ to: "/sign-in", replace: true });
  }, true);
  const fieldIssue = issueOf(reset.error, "newPassword");
  return (
    <Card title={text.resetTitle} links={<Link to="/forgot-password">{text.forgot}</Link>}>
      {token === null ? <Notice kind="error">{text.noToken}</Notice> : null}
      {fieldIssue ? null : <Failure error={reset.error} />}
      <Form onSubmit={() => void reset.run()}>
        <TextField
          label={text.newPassword}
          type="password"
          autoComplete="new-password"
          hint={text.passwordHint}
          value={newPassword}
          onValue={setNewPassword}
          error={fieldIssue}
        />
        <Button type="submit" kind="primary" pending={reset.pending} disabled={token === null}>
          {text.setPassword}
        </Button>
      </Form>
    </Card>
  );
}
