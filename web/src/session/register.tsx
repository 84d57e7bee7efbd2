import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { client, issueOf, messageOf } from "../api.ts";
import { Button } from "../ui/button.tsx";
import { Form, TextField } from "../ui/field.tsx";
import { Notice } from "../ui/notice.tsx";
import { useAction } from "../ui/use-action.ts";
import { sessionWords } from "../words/session.ts";
import { Card } from "./card.tsx";
import { refreshUser } from "./current-user.ts";

const text = sessionWords;

/** Creates an account with an invitation code, and signs in. */
export function Register() {
  const navigate = useNavigate();
  const { code = "" } = useSearch({ from: "/register" });
  const [inviteCode, setInviteCode] = useState(code);
  const [username, setUsername] = useState("");
  const [password, setPassword] = useState("");
  const [email, setEmail] = useState("");
  const register = useAction(async () => {
    await client.auth.register.mutate({ inviteCode: inviteCode.trim(), username, password, email: email || null });
    await client.signIn({ username, password });
    await refreshUser();
    await navigate({ to: "/", replace: true });
  }, true);
  const fields = ["inviteCode", "username", "password", "email"];
  const elsewhere = register.error !== null && !fields.some((field) => issueOf(register.error, field));
  return (
    <Card title={text.registerTitle} hint={text.registerHint} links={<Link to="/sign-in">{text.haveAccount}</Link>}>
      {elsewhere ? <Notice kind="error">{messageOf(register.error)}</Notice> : null}
      <Form onSubmit={() => void register.run()}>
        <TextField
          label={text.inviteCode}
          mono
          value={inviteCode}
          onValue={setInviteCode}
          error={issueOf(register.error, "inviteCode")}
        />
        <TextField
          label={text.username}
          autoComplete="username"
          autoCapitalize="none"
          value={username}
          onValue={setUsername}
          error={issueOf(register.error, "username")}
        />
        <TextField
          label={text.password}
          type="password"
          autoComplete="new-password"
          hint={text.passwordHint}
          value={password}
          onValue={setPassword}
          error={issueOf(register.error, "password")}
        />
        <TextField
          label={text.emailOptional}
          type="email"
          autoComplete="email"
          hint={text.emailHint}
          value={email}
          onValue={setEmail}
          error={issueOf(register.error, "email")}
        />
        <Button type="submit" kind="primary" pending={register.pending}>
          {text.register}
        </Button>
      </Form>
    </Card>
  );
}
