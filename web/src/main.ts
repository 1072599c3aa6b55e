import { VueQueryPlugin } from "@tanstack/vue-query";
import { createPinia } from "pinia";
import { createApp } from "vue";
import App from "./App.vue";
import { queryClient } from "./api/queries";
import { loadMarkdown } from "./components/chat/markdown-async";
import { i18n, setLocale } from "./i18n";
import { router } from "./router";
import { useLive } from "./stores/live";
import { startLocale } from "./stores/prefs";
import "./styles/app.css";

// In Safari the stroke that ends a composition comes after it, and would count as one of its own: only its code tells.
addEventListener(
  "keydown",
  (event) =>
    event.keyCode === 229 &&
    !event.isComposing &&
    /^(Enter|Escape)$/.test(event.key) &&
    event.stopImmediatePropagation(),
  { capture: true },
);

const app = createApp(App);
app.use(createPinia()).use(i18n).use(router).use(VueQueryPlugin, { queryClient });
// The event stream connects, and a conversation is read, while the rest of the page loads.
const live = useLive();
live.start();
const conversation = /^\/c\/([\w-]+)$/.exec(location.pathname)?.[1];
if (conversation) {
  live.open(conversation);
  void loadMarkdown().catch(() => undefined);
}
await Promise.all([setLocale(startLocale()), router.isReady()]);
app.mount("#app");
