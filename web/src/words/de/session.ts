import type { Words } from "../shape.ts";
import { counted } from "./count.ts";

export const session: Words["session"] = {
  title: "Bei Zonewright anmelden",
  username: "Benutzername",
  password: "Passwort",
  remember: "30 Tage angemeldet bleiben",
  signIn: "Anmelden",
  forgot: "Passwort vergessen?",
  cookiesBlocked:
    "Cookies sind für diese Website gesperrt: Beim Neuladen der Seite endet die Anmeldung, und Entwürfe gehen verloren. Um angemeldet zu bleiben, Cookies in den Einstellungen des Browsers erlauben.",
  passkey: "Mit Passkey anmelden",
  passkeyMissing: {
    insecure: "Passkeys brauchen HTTPS oder localhost. Bitte mit dem Passwort anmelden.",
    address: "Passkeys brauchen einen Hostnamen, und diese Adresse hat keinen. Bitte mit dem Passwort anmelden.",
    browser: "Dieser Browser bietet hier keine Passkeys an. Bitte mit dem Passwort anmelden.",
  },
  passkeyFailed: "Der Passkey wurde nicht verwendet. Bitte erneut versuchen oder anders anmelden.",
  or: "oder",
  with: (provider) => `Weiter mit ${provider}`,
  ended: "Die Sitzung ist beendet. Nach der Anmeldung geht es an derselben Stelle weiter.",
  again: "Die Sitzung ist beendet",
  againHint: "Zum Fortfahren bitte erneut anmelden.",
  againKept:
    "Auf dieser Seite bleibt alles, wie es war. Bei der Anmeldung über einen anderen Dienst bleiben nur Entwürfe erhalten.",
  leave: "Seite verlassen",
  otherUser: (username) => `Jetzt angemeldet als ${username}. Entwürfe des anderen Kontos bleiben bei diesem.`,

  second: "Zweiter Schritt",
  secondHint: "Das Passwort stimmt. Bitte noch die Identität bestätigen.",
  methods: {
    totp: "Authenticator-App",
    passkey: "Passkey",
    email: "Code per E-Mail",
    recovery: "Wiederherstellungscode",
  },
  codes: {
    totp: "Sechsstelliger Code aus der Authenticator-App",
    email: "Code aus der E-Mail",
    recovery: "Einer der Wiederherstellungscodes",
  },
  sendCode: "Code senden",
  codeSent: "Ein Code ist per E-Mail unterwegs.",
  verify: "Weiter",
  withPasskey: "Passkey verwenden",
  otherMethods: "Andere Wege",
  startAgain: "Neu beginnen",

  forgotTitle: "Passwort zurücksetzen",
  forgotHint:
    "Bitte die E-Mail-Adresse eingeben. Gehört sie zu einem Konto, kommt ein Link, der eine Stunde lang gilt.",
  email: "E-Mail",
  sendLink: "Link senden",
  linkSent: "Wenn ein Konto diese Adresse hat, ist ein Link unterwegs. Er gilt eine Stunde lang.",
  toSignIn: "Zurück zur Anmeldung",

  resetTitle: "Neues Passwort wählen",
  newPassword: "Neues Passwort",
  passwordHint: "12 bis 256 Zeichen, kein gängiges Passwort.",
  setPassword: "Passwort setzen",
  passwordSet: "Passwort geändert. Bitte damit anmelden.",
  noToken: "Dieser Link ist unvollständig. Bitte den Link aus der E-Mail erneut öffnen oder einen neuen anfordern.",

  registerTitle: "Konto anlegen",
  registerHint: "Den Einladungscode gibt es bei den Administratoren.",
  inviteCode: "Einladungscode",
  emailOptional: "E-Mail (optional)",
  emailHint: "Für Benachrichtigungen und zum Zurücksetzen des Passworts.",
  register: "Konto anlegen",
  haveAccount: "Schon ein Konto? Anmelden.",
  haveCode: "Eingeladen? Konto anlegen.",

  inviteTitle: "Noch ein Schritt",
  inviteHint: "Zu dieser Identität gibt es hier noch kein Konto. Mit einem Einladungscode wird eines angelegt.",
  restart: "Bitte erneut beim Dienst anmelden und den Code innerhalb von zehn Minuten eingeben.",

  verifyTitle: "E-Mail-Adresse bestätigen",
  verifying: "Wird bestätigt…",
  verified: "Die E-Mail-Adresse ist bestätigt.",

  confirmTitle: "Identität bestätigen",
  confirmHint:
    "Dies gewährt jemandem Zugriff oder ändert ihn. Die letzte Bestätigung dieser Sitzung liegt mehr als zehn Minuten zurück.",
  confirm: "Bestätigen",
  confirmSignIn:
    "Dieses Konto hat kein Passwort. Bitte erneut beim Dienst anmelden: Danach geht es zurück auf diese Seite, und der letzte Schritt ist zu wiederholen. Entwürfe bleiben erhalten.",
  confirmNowhere: "Dieses Konto hat kein Passwort. Zum Bestätigen bitte ab- und wieder anmelden.",
  confirmAt: (provider) => `Erneut mit ${provider} anmelden`,

  signingOut: "Abmeldung läuft…",
  signingOutHint: "Zonewright hat noch nicht geantwortet. So lange kann die Sitzung noch bestehen.",
  notSignedOut: "Noch angemeldet",
  notSignedOutHint: "Wer diesen Browser benutzt, kann weiterhin mit diesem Konto arbeiten.",
  signOutTitle: "Abmelden und Entwürfe verlieren?",
  signOutDrafts: (zones) =>
    `Es gibt noch nicht angewendete Änderungen in ${counted(zones, "Domain", "Domains")}. Beim Abmelden werden sie aus diesem Browser gelöscht.`,

  errors: {
    access_denied: "Der Dienst hat die Anmeldung nicht bestätigt. Bitte erneut versuchen oder anders anmelden.",
    state_invalid: "Diese Anmeldung ist abgelaufen oder begann in einem anderen Browser. Bitte neu beginnen.",
    provider_error:
      "Der Dienst hat nicht wie erwartet geantwortet. Bitte später erneut versuchen oder anders anmelden.",
    provider_disabled: "Dieser Anmeldeweg ist abgeschaltet. Bitte anders anmelden.",
    already_bound:
      "Diese Identität gehört zu einem anderen Konto. Bitte mit jenem Konto anmelden oder eine andere Identität verwenden.",
    account_disabled: "Dieses Konto ist gesperrt. Bitte an die Administratoren wenden.",
    groups_not_sent:
      "Der Dienst hat die Gruppen nicht gesendet, weil es zu viele sind. Bitte an die Administratoren wenden. Offene Sitzungen behalten ihre Rechte.",
    unknown: "Die Anmeldung ist fehlgeschlagen. Bitte erneut versuchen.",
  },
  bound: (provider) => `Die Anmeldung mit ${provider} ist jetzt möglich.`,
};
