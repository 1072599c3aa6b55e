import { createRouter, createWebHistory } from "vue-router";
import { i18n } from "./i18n";
import { serverAnswers } from "./lazy";
import { useToasts } from "./stores/toasts";
import ChatView from "./views/ChatView.vue";
import HomeView from "./views/HomeView.vue";

export const router = createRouter({
  history: createWebHistory(),
  routes: [
    { path: "/", name: "home", component: HomeView },
    { path: "/c/:id", name: "chat", component: ChatView, props: true },
    { path: "/p/:id/:path(.*)*", name: "project", component: () => import("./views/ProjectView.vue"), props: true },
    { path: "/knowledge/:id", name: "knowledge", component: () => import("./views/KnowledgeView.vue"), props: true },
    { path: "/settings/:section?", name: "settings", component: () => import("./views/SettingsView.vue"), props: true },
    { path: "/login", name: "login", component: () => import("./views/LoginView.vue") },
    { path: "/shared", name: "shared", component: () => import("./views/SharedView.vue") },
    { path: "/:rest(.*)*", name: "missing", component: () => import("./views/MissingView.vue") },
  ],
});

// After an update of the server the old files are gone: the new page has its own. While the server is away nothing can be
// loaded, so the page that is there has to stay.
router.onError(async (error, to) => {
  if (!/dynamically imported module|Importing a module script failed|Unable to preload/i.test(String(error))) return;
  if (await serverAnswers()) location.assign(to.fullPath);
  else useToasts().warn(i18n.global.t("net.notLoaded"));
});
