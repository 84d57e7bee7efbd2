import { ShieldAlert } from "lucide-react";
import type { ReactNode } from "react";
import { useUser } from "../session/current-user.ts";
import { Empty, useTitle } from "../ui/page.tsx";
import { adminWords } from "../words/admin.ts";

const text = adminWords;

/** Shows its content to administrators, and a plain refusal to others. The service refuses the calls in any case. */
export function AdminOnly({ children }: { children: ReactNode }) {
  return useUser().role === "admin" ? children : <Refused />;
}

function Refused() {
  useTitle(text.refusedTitle);
  return (
    <Empty icon={<ShieldAlert aria-hidden />} title={text.refusedTitle}>
      {text.refused}
    </Empty>
  );
}
