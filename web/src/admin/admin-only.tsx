import { ShieldAlert } from "lucide-react";
import type { ReactNode } from "react";
import { useUser } from "../session/current-user.ts";
import { Empty, useTitle } from "../ui/page.tsx";
import { adminWords } from "../words/admin.ts";

const text = adminWords;

interface AdminOnlyProps {
  /** Whether auditors may read the page, too. */
  auditors?: boolean;
  children: ReactNode;
}

/** Shows its content to administrators, and a plain refusal to others. The service refuses the calls in any case. */
export function AdminOnly({ auditors = false, children }: AdminOnlyProps) {
  const { role } = useUser();
  return role === "admin" || (auditors && role === "auditor") ? children : <Refused />;
}

function Refused() {
  useTitle(text.refusedTitle);
  return (
    <Empty icon={<ShieldAlert aria-hidden />} title={text.refusedTitle}>
      {text.refused}
    </Empty>
  );
}
