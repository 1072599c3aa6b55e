/** Accounts of a server with several users (auth_mode: multi). */
import { request } from "./client";
import type { components } from "./schema";
import type { Page } from "./types";

type Schemas = components["schemas"];
export type Session = Schemas["Session"];
export type Token = Schemas["APIToken"];
export type NewToken = Schemas["NewAPIToken"];
export type Account = Schemas["Account"];
export type AccountLink = Schemas["AccountLink"];

export const signIn = (username: string, password: string) => request("/auth/login", { json: { username, password } });
export const listProviders = () => request<Page<{ name: string; title: string }>>("/auth/providers");
export const useLink = (token: string, username: string, password: string) =>
  request("/auth/link", { json: { token, username: username || undefined, password } });
export const checkLink = (token: string) => request("/auth/link/check", { json: { token } });
export const signOut = () => request("/auth/logout", { method: "POST" });
export const changePassword = (current_password: string, new_password: string) =>
  request("/auth/password", { json: { current_password, new_password } });
export const listSessions = () => request<Page<Session>>("/auth/sessions");
export const endSession = (id: string) => request(`/auth/sessions/${id}`, { method: "DELETE" });
export const listTokens = () => request<Page<Token>>("/tokens");
export const createToken = (name: string, scope: string, expires_at?: string) =>
  request<NewToken>("/tokens", { json: { name, scope, expires_at } });
export const deleteToken = (id: string) => request(`/tokens/${id}`, { method: "DELETE" });
export const listUsers = (query: { q?: string; cursor?: string; limit?: number }) =>
  request<Page<Account>>("/users", { query });
export const getUser = (id: string) => request<Account>(`/users/${id}`);
export const createUser = (name: string, role: string) => request<Account>("/users", { json: { name, role } });
export const changeUser = (id: string, change: { role?: string; disabled?: boolean; quota?: Account["quota"] }) =>
  request<Account>(`/users/${id}`, { method: "PATCH", json: change });
export const deleteUser = (id: string) => request(`/users/${id}`, { method: "DELETE" });
export const createAccountLink = (id: string) => request<AccountLink>(`/users/${id}/link`, { method: "POST" });
