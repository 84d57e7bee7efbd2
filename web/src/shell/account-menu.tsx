import { useNavigate } from "@tanstack/react-router";
import { BookOpen, Contrast, LogOut, User } from "lucide-react";
import { setTheme, useTheme } from "../theme/theme.ts";
import { MenuPopup, type MenuProps } from "../ui/menu-popup.tsx";
import { menuWords } from "../words/menu.ts";
import { words } from "../words/words.ts";
import { adminPagesOf } from "./admin-pages.tsx";

const text = words.shell;

interface AccountMenuProps extends Pick<MenuProps, "trigger"> {
  role: string;
  onSignOut: () => void;
}

/** The menu of the person who is signed in, in a chunk of its own. */
export function AccountMenu({ trigger, role, onSignOut }: AccountMenuProps) {
  const theme = useTheme();
  const navigate = useNavigate();
  const next = { system: "light", light: "dark", dark: "system" } as const;
  return (
    <MenuPopup
      defaultOpen
      trigger={trigger}
      groups={[
        [
          {
            id: "account",
            label: text.account,
            icon: <User aria-hidden />,
            run: () => void navigate({ to: "/account/profile" }),
          },
          {
            id: "theme",
            label: menuWords.themes[theme],
            icon: <Contrast aria-hidden />,
            run: () => setTheme(next[theme]),
          },
          {
            id: "docs",
            label: menuWords.apiDocs,
            icon: <BookOpen aria-hidden />,
            run: () => location.assign("/api/docs"),
          },
        ],
        adminPagesOf(role).map(({ to, icon, label }) => ({
          id: to,
          icon,
          label,
          run: () => void navigate({ to }),
        })),
        [{ id: "sign-out", label: text.signOut, icon: <LogOut aria-hidden />, run: onSignOut }],
      ].filter((group) => group.length > 0)}
    />
  );
}
