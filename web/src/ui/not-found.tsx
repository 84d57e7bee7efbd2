import { Link } from "@tanstack/react-router";
import { Compass } from "lucide-react";
import { words } from "../words/words.ts";
import { buttonClass } from "./button.tsx";
import { Empty, useTitle } from "./page.tsx";

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
