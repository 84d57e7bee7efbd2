export const live = {
  lost: "No connection to Zonewright. Trying again; your draft is safe.",
  refused:
    "This page is not live: your other browsers and programs use all of your live connections. Close one of them, or reload this page to see what changed.",
};
