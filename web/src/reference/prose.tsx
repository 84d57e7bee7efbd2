import { Fragment } from "react";

/** Descriptions are paragraphs with `code`; they have no other marks. */
export function Prose({ children }: { children: string }) {
  return children.split(/\n\s*\n/).map((paragraph) => (
    <p key={paragraph}>
      <Inline>{paragraph}</Inline>
    </p>
  ));
}

/** One sentence or more, with `code`. */
export function Inline({ children }: { children: string }) {
  return [...children.matchAll(/`([^`]*)`|[^`]+/g)].map(({ 0: plain, 1: code, index }) =>
    code === undefined ? <Fragment key={index}>{plain}</Fragment> : <code key={index}>{code}</code>,
  );
}
