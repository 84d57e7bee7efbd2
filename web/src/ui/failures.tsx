import { Link, type ErrorComponentProps } from "@tanstack/react-router";
import { CircleAlert, Compass } from "lucide-react";
import { messageOf } from "../api.ts";
import { Button, buttonClass } from "./button.tsx";
import { Empty, useTitle } from "./page.tsx";
import { words } from "../words/words.ts";

const text = words.shell;

/** An address without a page. */
export function NotFound() {
  useTitle(text.notFound);
  return (
    <Empty
      whole
      icon={<Compass aria-hidden />}
      title={text.notFound}
      action={
        <Link to="/" className={buttonClass()}>
          {text.toDomains}
        </Link>
      }
    >
      {text.notFoundHint}
    </Empty>
  );
}

/** An address without a page, outside the frame. */
export function NotFoundPage() {
  return (
    <main>
      <NotFound />
    </main>
  );
}

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
