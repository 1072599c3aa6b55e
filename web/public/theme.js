// Runs before the first paint. Sets the theme, so that a dark page never flashes white,
// and starts to fetch what this page will need while the app itself still loads. It is a
// file of its own because the content security policy allows no inline script.
(function () {
  var root = document.documentElement;
  var here = document.currentScript;
  var prefs = {};
  try {
    prefs = JSON.parse(localStorage.getItem("nanoclaw.prefs") || "{}");
  } catch {
    // Storage may be closed to us; the system's choice stands then.
    prefs = {};
  }
  var dark = prefs.theme === "dark" || (prefs.theme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  root.dataset.theme = dark ? "dark" : "light";
  if (prefs.sidebar === false) root.dataset.sidebar = "off";

  var locale = prefs.locale || (navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en");
  var chat = /^\/c\/([\w-]+)$/.exec(location.pathname);
  // Answers by address; the app takes each once instead of asking again (api/client.ts).
  var early = (window.nanoclawEarly = new Map());
  function ask(path) {
    var answer = fetch("/api/v1" + path, { headers: { Accept: "application/json" }, credentials: "same-origin" });
    answer.catch(function () {});
    early.set("/api/v1" + path, answer);
  }
  if (chat) {
    ask("/conversations/" + chat[1]);
    ask("/conversations/" + chat[1] + "/messages?branch=all&limit=1000");
  }

  var files = here.dataset[locale] || "";
  if (chat) files += " " + (here.dataset.chat || "");
  files.split(" ").filter(Boolean).forEach(function (file) {
    var link = document.createElement("link");
    link.rel = "modulepreload";
    link.href = file;
    document.head.append(link);
  });

  if (location.pathname === "/login") return;
  ask("/conversations?limit=60");
  ask("/projects?limit=200");
})();
