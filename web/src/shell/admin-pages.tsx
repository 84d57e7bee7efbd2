import {
  BadgeCheck,
  KeyRound,
  KeySquare,
  Megaphone,
  Plug,
  ScrollText,
  Server,
  Ticket,
  UserRoundCheck,
  Users,
} from "lucide-react";
import { menuWords } from "../words/menu.ts";

const text = menuWords;

const adminPages = [
  { to: "/admin/users", icon: <Users aria-hidden />, label: text.users },
  { to: "/admin/assignments", icon: <UserRoundCheck aria-hidden />, label: text.assignments },
  { to: "/admin/invitations", icon: <Ticket aria-hidden />, label: text.invitations },
  { to: "/admin/providers", icon: <Plug aria-hidden />, label: text.providers },
  { to: "/admin/registrars", icon: <BadgeCheck aria-hidden />, label: text.registrars },
  { to: "/admin/sign-in", icon: <KeyRound aria-hidden />, label: text.signIn },
  { to: "/admin/channels", icon: <Megaphone aria-hidden />, label: text.channels },
  { to: "/admin/keys", icon: <KeySquare aria-hidden />, label: text.tsigKeys },
  { to: "/admin/audit", icon: <ScrollText aria-hidden />, label: text.audit },
  { to: "/admin/system", icon: <Server aria-hidden />, label: text.system },
] as const;

/** The pages about the whole service that a role may read. */
export const adminPagesOf = (role: string) =>
  adminPages.filter(
    ({ to }) => role === "admin" || (role === "auditor" && /users|assignments|keys|audit|registrars/.test(to)),
  );
