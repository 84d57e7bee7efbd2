import { useNavigate } from "@tanstack/react-router";
import type { ReactElement } from "react";
import { Bookmark, BookOpen, Contrast, LayoutTemplate, LogOut, Pin, User } from "lucide-react";
import { setTheme, useTheme } from "../theme/theme.ts";
import { MenuPopup, type MenuProps } from "../ui/menu-popup.tsx";
import { menuWords } from "../words/menu.ts";
import { words } from "../words/words.ts";
import { adminPagesOf } from "./admin-pages.tsx";
import { laterPages, pinLabel, usePinned } from "./rail-end.tsx";

const text = words.shell;

interface AccountMenuProps extends Pick<MenuProps, "trigger"> {
  role: string;
  onSignOut: () => void;
}

/** The pages that the rail lists and the bar of a phone has no room for. */
const pagesOffTheBar = [
  { to: "/templates", icon: <LayoutTemplate aria-hidden />, label: text.templates },
  ...laterPages,
] as const;

/** The menu of the person who is signed in, in a chunk of its own. On a phone it also leads where the bar does not. */
export function AccountMenu({ trigger, role, onSignOut }: AccountMenuProps) {
  const theme = useTheme();
  const navigate = useNavigate();
  const next = { system: "light", light: "dark", dark: "system" } as const;
  const pins = usePins();
  const isPhone = matchMedia("(max-width: 760px)").matches;
  const signOut = { id: "sign-out", label: text.signOut, icon: <LogOut aria-hidden />, run: onSignOut };
  const page = ({ to, icon, label }: { to: string; icon: ReactElement; label: string }) => ({
    id: to,
    icon,
    label,
    run: () => void navigate({ to }),
  });
  return (
    <MenuPopup
      defaultOpen
      trigger={trigger}
      groups={[
        isPhone ? pagesOffTheBar.map(page) : [],
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
          // Above what needs scrolling there.
          ...(isPhone ? [signOut] : []),
        ],
        isPhone ? pins : [],
        adminPagesOf(role).map(page),
        isPhone ? [] : [signOut],
      ].filter((group) => group.length > 0)}
    />
  );
}

/** The pinned zones and searches, as entries of a menu. */
function usePins() {
  const navigate = useNavigate();
  const { zones, searches } = usePinned();
  return [
    ...zones.map((name) => ({
      id: `pin ${name}`,
      icon: <Pin aria-hidden />,
      label: pinLabel(name),
      run: () => void navigate({ to: "/d/$name/records", params: { name } }),
    })),
    ...searches.map(({ name, page, filters }) => ({
      id: `saved ${page} ${name}`,
      icon: <Bookmark aria-hidden />,
      label: name,
      run: () => void navigate({ to: page === "search" ? "/search" : "/", search: filters }),
    })),
  ];
}
