import { account } from "./en/account.ts";
import { admin } from "./en/admin.ts";
import { compare } from "./en/compare.ts";
import { domainDialogs } from "./en/domain-dialogs.ts";
import { domains } from "./en/domains.ts";
import { health } from "./en/health.ts";
import { live } from "./en/live.ts";
import { menu } from "./en/menu.ts";
import { notifications } from "./en/notifications.ts";
import { palette } from "./en/palette.ts";
import { paste } from "./en/paste.ts";
import { pins } from "./en/pins.ts";
import { portfolio } from "./en/portfolio.ts";
import { records } from "./en/records.ts";
import { reference } from "./en/reference.ts";
import { registration } from "./en/registration.ts";
import { replace } from "./en/replace.ts";
import { requests } from "./en/requests.ts";
import { reverse } from "./en/reverse.ts";
import { search } from "./en/search.ts";
import { secondaries } from "./en/secondaries.ts";
import { session } from "./en/session.ts";
import { shell, ui } from "./en/shell.ts";
import { templates } from "./en/templates.ts";
import { timeline } from "./en/timeline.ts";
import { zoneText } from "./en/zone-text.ts";
import { zone } from "./en/zone.ts";

/** English, by the rooms of the console. Only its type is used here: each room brings its own texts. */
export const en = {
  account,
  admin,
  compare,
  domainDialogs,
  domains,
  health,
  live,
  menu,
  notifications,
  palette,
  paste,
  pins,
  portfolio,
  records,
  reference,
  registration,
  replace,
  requests,
  reverse,
  search,
  secondaries,
  session,
  shell,
  templates,
  timeline,
  ui,
  zone,
  zoneText,
};
