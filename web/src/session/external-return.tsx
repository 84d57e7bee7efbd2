import type { SecondFactorMethod, SignInResult } from "@zonewright/client";
import { Link, useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { client, issueOf } from "../api.ts";
import { Button } from "../ui/button.tsx";
import { Form, TextField } from "../ui/field.tsx";
import { Failure, Notice } from "../ui/notice.tsx";
import { toast } from "../ui/toast.tsx";
import { useAction } from "../ui/use-action.ts";
import { sessionWords } from "../words/session.ts";
import { words } from "../words/words.ts";
import { Card } from "./card.tsx";
import { refreshUser } from "./current-user.ts";
import type { ExternalReturn } from "./external.ts";
import { endExternal } from "./journey.ts";
import { SecondFactor } from "./second-factor.tsx";

const text = sessionWords;

/** Completes a sign-in after the browser came back from an identity provider with a ticket, or without an account yet. */
export function ExternalArrival({ outcome }: { outcome: Extract<ExternalReturn, { kind: "ticket" | "needsInvite" }> }) {
  const navigate = useNavigate();
  const [journey] = useState(endExternal);
  const [methods, setMethods] = useState<readonly SecondFactorMethod[] | null>(null);
  const [inviteCode, setInviteCode] = useState("");
  const started = useRef(false);

  const enter = async (result: SignInResult) => {
    if (result.kind === "secondFactorNeeded") {
      setMethods(result.methods);
      return;
    }
    const user = await refreshUser();
    // Drafts are stored by user: those of the other one wait for their next sign-in.
    const other = journey?.userId && user && journey.userId !== user.id;
    if (other) toast({ title: text.otherUser(user.username) });
    await navigate({ href: other ? "/" : (journey?.next ?? "/"), replace: true });
  };
  const exchange = useAction(
    async (ticket: string) => await enter(await client.completeExternalSignIn({ ticket })),
    true,
  );
  const register = useAction(async (pendingToken: string) => {
    const providerId = journey?.providerId ?? "";
    await enter(await client.completeExternalRegistration({ providerId, pendingToken, inviteCode: inviteCode.trim() }));
  }, true);
  const { run } = exchange;
  useEffect(() => {
    if (started.current || outcome.kind !== "ticket") return;
    started.current = true;
    void run(outcome.ticket);
  }, [outcome, run]);

  const links = <Link to="/sign-in">{text.toSignIn}</Link>;
  if (methods) {
    return (
      <Card title={text.second} hint={text.secondHint}>
        <SecondFactor methods={methods} onDone={enter} onBack={() => void navigate({ to: "/sign-in" })} />
      </Card>
    );
  }
  if (outcome.kind === "ticket") {
    return (
      <Card title={text.title} links={links}>
        {exchange.error === null ? <Notice kind="info">{words.ui.loading}</Notice> : null}
        <Failure error={exchange.error} />
      </Card>
    );
  }
  const fieldIssue = issueOf(register.error, "inviteCode");
  return (
    <Card title={text.inviteTitle} hint={text.inviteHint} links={links}>
      {journey === null ? <Notice kind="warning">{text.restart}</Notice> : null}
      {fieldIssue ? null : <Failure error={register.error} />}
      <Form onSubmit={() => void register.run(outcome.pendingToken)}>
        <TextField label={text.inviteCode} mono value={inviteCode} onValue={setInviteCode} error={fieldIssue} />
        <Button type="submit" kind="primary" pending={register.pending} disabled={journey === null}>
          {text.register}
        </Button>
      </Form>
    </Card>
  );
}
