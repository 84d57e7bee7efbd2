import { useNavigate } from "@tanstack/react-router";
import type { ReactElement } from "react";
import {
  ArrowLeftRight,
  Bookmark,
  BookOpen,
  Contrast,
  Copy,
  LayoutTemplate,
  LogOut,
  Pin,
  User,
  WalletCards,
} from "lucide-react";
import { usePreferences } from "../session/preferences.ts";
import { setTheme, useTheme } from "../theme/theme.ts";
import { MenuPopup, type MenuProps } from "../ui/menu-popup.tsx";
import { menuWords } from "../words/menu.ts";
import { portfolioWords } from "../words/portfolio.ts";
import { reverseWords } from "../words/reverse.ts";
import { secondariesWords } from "../words/secondaries.ts";
import { words } from "../words/words.ts";
import { adminPagesOf } from "./admin-pages.tsx";
import { pinLabel } from "./rail-end.tsx";

const text = words.shell;

interface AccountMenuProps extends Pick<MenuProps, "trigger"> {
  role: string;
  onSignOut: () => void;
}

/** The pages that the rail lists and the bar of a phone has no room for. */
const pagesOffTheBar = [
  { to: "/templates", icon: <LayoutTemplate aria-hidden />, label: text.templates },
  { to: "/portfolio", icon: <WalletCards aria-hidden />, label: portfolioWords.title },
  { to: "/reverse", icon: <ArrowLeftRight aria-hidden />, label: reverseWords.title },
  { to: "/secondaries", icon: <Copy aria-hidden />, label: secondariesWords.inRail },
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
  const chosen = usePreferences();
  return [
    ...(chosen?.pinnedZones ?? []).map((name) => ({
      id: `pin ${name}`,
      icon: <Pin aria-hidden />,
      label: pinLabel(name),
      run: () => void navigate({ to: "/d/$name/records", params: { name } }),
    })),
    ...(chosen?.savedSearches ?? [])
      .filter(({ pinned }) => pinned)
      .map(({ name, page, filters }) => ({
        id: `saved ${page} ${name}`,
        icon: <Bookmark aria-hidden />,
        label: name,
        run: () => void navigate({ to: page === "search" ? "/search" : "/", search: filters }),
      })),
  ];
}
