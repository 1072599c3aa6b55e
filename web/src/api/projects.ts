import { pathOf, request, send } from "./client";
import type { FileEntry, Page, Project, SearchHit, TrashEntry, TrashOutcome, WorkspaceStatus } from "./types";

export function listProjects() {
  return request<Page<Project>>("/projects", { query: { limit: 200 } });
}

export function getProject(id: string) {
  return request<Project>(pathOf("projects", id));
}

export type ProjectBody = Partial<Pick<Project, "name" | "description" | "instructions" | "path" | "memory_enabled">>;

export function createProject(body: ProjectBody) {
  return request<Project>("/projects", { method: "POST", json: body });
}

export function patchProject(id: string, body: ProjectBody) {
  return request<Project>(pathOf("projects", id), { method: "PATCH", json: body });
}

export function deleteProject(id: string) {
  return request<void>(pathOf("projects", id), { method: "DELETE" });
}

/** How its files are kept: the mode, and the state of its sandbox. */
export function getWorkspace(id: string) {
  return request<WorkspaceStatus>(pathOf("projects", id, "workspace"));
}

/** One directory's entries, folders first. */
export async function listFiles(id: string, path: string): Promise<FileEntry[]> {
  const items: FileEntry[] = [];
  let cursor: string | undefined;
  do {
    const page = await request<Partial<Page<FileEntry>> & { entries?: FileEntry[] }>(pathOf("projects", id, "files"), {
      query: { path: path || undefined, limit: 1000, cursor },
    });
    items.push(...(page.items ?? page.entries ?? []));
    cursor = page.next_cursor ?? undefined;
  } while (cursor);
  const rank = (e: FileEntry) => (e.type === "directory" ? 0 : 1);
  return items.sort((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name));
}

/** Files below the whole project whose names match a glob; the first of them. */
export function findFiles(id: string, pattern: string) {
  return request<Page<FileEntry>>(pathOf("projects", id, "files"), { query: { pattern, recursive: true, limit: 50 } });
}

export interface OpenFile {
  bytes: ArrayBuffer;
  contentType: string;
  etag: string;
}

export async function readFile(id: string, path: string): Promise<OpenFile> {
  const response = await send(pathOf("projects", id, "files", path), { headers: { Accept: "*/*" } });
  return {
    bytes: await response.arrayBuffer(),
    contentType: response.headers.get("Content-Type") ?? "application/octet-stream",
    etag: response.headers.get("ETag") ?? "",
  };
}

/** A file's bytes, counted without reading them. */
export async function fileSize(id: string, path: string): Promise<number> {
  const answer = await send(pathOf("projects", id, "files", path), { method: "HEAD", headers: { Accept: "*/*" } });
  return Number(answer.headers.get("Content-Length") ?? 0);
}

/** Writes a file. With an etag a change made meanwhile is a `Problem` 412; with "" a file that is there is. */
export async function writeFile(id: string, path: string, body: BodyInit, etag: string): Promise<string> {
  const headers: Record<string, string> = { "Content-Type": "application/octet-stream" };
  if (etag) headers["If-Match"] = etag;
  else headers["If-None-Match"] = "*";
  const response = await send(pathOf("projects", id, "files", path), { method: "PUT", body, headers });
  return response.headers.get("ETag") ?? "";
}

export function deleteFile(id: string, path: string) {
  return request<void>(pathOf("projects", id, "files", path), { method: "DELETE", query: { recursive: true } });
}

export function moveFile(id: string, from: string, to: string) {
  return request<void>(pathOf("projects", id, "move"), { method: "POST", json: { from, to } });
}

export function makeDirectory(id: string, path: string) {
  return request<void>(pathOf("projects", id, "directories"), { method: "POST", json: { path } });
}

export interface SearchQuery {
  query: string;
  path?: string;
  regex?: boolean;
  case_sensitive?: boolean;
  max_results?: number;
}

export function searchFiles(id: string, body: SearchQuery, signal?: AbortSignal) {
  return request<{ items?: SearchHit[]; matches?: SearchHit[]; truncated?: boolean }>(
    pathOf("projects", id, "search"),
    {
      method: "POST",
      json: body,
      signal,
    },
  );
}

/** What becomes of a file whose path is taken: `fail` stores nothing at all and is a `Problem` 409 that names each path. */
export type OnConflict = "fail" | "replace" | "keep_both" | "skip";

/** Uploads files into a folder; a path inside a dropped folder is kept in the file's name. */
export function uploadFiles(
  id: string,
  folder: string,
  files: { path: string; file: File }[],
  on_conflict: OnConflict,
) {
  const form = new FormData();
  form.append("path", folder);
  for (const { path, file } of files) form.append("file", file, path);
  return request<unknown>(pathOf("projects", id, "upload"), {
    method: "POST",
    body: form,
    query: { path: folder, on_conflict },
  });
}

export const archiveUrl = (id: string) => `/api/v1/projects/${encodeURIComponent(id)}/archive`;
export const fileUrl = (id: string, path: string) => "/api/v1" + pathOf("projects", id, "files", path);

export function listTrash(id: string) {
  return request<Page<TrashEntry>>(pathOf("projects", id, "trash"));
}

/** Brings entries back, or deletes them for good. A path that is taken is a `Problem` 409; entries before it are done. */
export function changeTrash(id: string, action: "restore" | "purge", ids: string[] | "all") {
  const json = ids === "all" ? { action, all: true } : { action, ids };
  return request<Page<TrashOutcome>>(pathOf("projects", id, "trash"), { method: "POST", json });
}
