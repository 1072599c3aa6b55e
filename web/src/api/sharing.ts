/** Members of projects, and links that show one conversation. */
import { useQuery } from "@tanstack/vue-query";
import { computed, type Ref } from "vue";
import { request } from "./client";
import { useProjects } from "./queries";
import type { components } from "./schema";
import { me } from "./system";
import type { Page } from "./types";

type Schemas = components["schemas"];
export type Member = Schemas["Member"];
export type ShareLink = Schemas["ShareLink"];
export type NewShareLink = Schemas["NewShareLink"];
export type SharedConversation = Schemas["SharedConversation"];

export const listMembers = (project: string) => request<Page<Member>>(`/projects/${project}/members`);
export const putMember = (project: string, username: string, role: string) =>
  request<Member>(`/projects/${project}/members`, { json: { username, role } });
export const deleteMember = (project: string, user: string) =>
  request(`/projects/${project}/members/${user}`, { method: "DELETE" });
export const listLinks = (conversation: string) => request<Page<ShareLink>>(`/conversations/${conversation}/share`);
export const createLink = (conversation: string, expires_at?: string) =>
  request<NewShareLink>(`/conversations/${conversation}/share`, { json: { expires_at } });
export const revokeLink = (conversation: string, id: string) =>
  request(`/conversations/${conversation}/share/${id}`, { method: "DELETE" });
export const openShared = (token: string) => request<SharedConversation>("/shared", { json: { token } });

type Place = string | null | undefined;

/** What the person may do in a project; without one everything is their own. */
export function useAccess(project?: Ref<Place>) {
  const own = useQuery({ queryKey: ["me"], queryFn: me });
  const { list } = useProjects();
  const roleIn = (id: Place) => list.value.find((one) => one.id === id)?.role ?? "owner";
  const readOnlyIn = (id: Place) => roleIn(id) === "viewer" || own.data.value?.role === "viewer";
  const owner = computed(() => roleIn(project?.value) === "owner" && own.data.value?.role !== "viewer");
  return {
    me: own.data,
    several: computed(() => own.data.value?.auth_mode === "multi"),
    owner,
    /** Changes config.yml. */
    admin: computed(() => own.data.value?.role === "admin"),
    /** Decides on calls that wait: the owner, and administrators. */
    decides: computed(() => owner.value || own.data.value?.role === "admin"),
    readOnly: computed(() => readOnlyIn(project?.value)),
    readOnlyIn,
  };
}
