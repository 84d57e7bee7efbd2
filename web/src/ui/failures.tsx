import type { ErrorComponentProps } from "@tanstack/react-router";
import { CircleAlert } from "lucide-react";
import { messageOf } from "../api.ts";
import { Button } from "./button.tsx";
import { Empty } from "./page.tsx";
import { words } from "../words/words.ts";

const text = words.shell;

/** A failure of the frame itself. */
export function CrashedPage(props: ErrorComponentProps) {
  return (
    <main>
      <Crashed {...props} />
    </main>
  );
}

/** A page that could not be shown. */
export function Crashed({ error }: ErrorComponentProps) {
  return (
    <Empty
      whole
      icon={<CircleAlert aria-hidden />}
      title={text.crashed}
      action={<Button onClick={() => location.reload()}>{text.reload}</Button>}
    >
      {messageOf(error)}
    </Empty>
  );
}
