import { createRouter, createWebHistory } from "vue-router";
import ChatView from "./views/ChatView.vue";
import HomeView from "./views/HomeView.vue";

export const router = createRouter({
  history: createWebHistory(),
  routes: [
    { path: "/", name: "home", component: HomeView },
    { path: "/c/:id", name: "chat", component: ChatView, props: true },
    { path: "/p/:id/:path(.*)*", name: "project", component: () => import("./views/ProjectView.vue"), props: true },
    { path: "/settings/:section?", name: "settings", component: () => import("./views/SettingsView.vue"), props: true },
    { path: "/login", name: "login", component: () => import("./views/LoginView.vue") },
    { path: "/:rest(.*)*", name: "missing", component: () => import("./views/MissingView.vue") },
  ],
});

// After an update of the server the old chunks are gone: load the new page.
router.onError((error, to) => {
  if (/dynamically imported module|Importing a module script failed/i.test(String(error))) location.assign(to.fullPath);
});
