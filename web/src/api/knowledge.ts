/** What files tell agents beside their prompt: skills, AGENTS.md, and the agents' own notes. */
import { pathOf, request } from "./client";
import type { Page, ProjectMemory, Skill, SkillDetail } from "./types";

/** The skills of a project or of a conversation, those of the installation among them. */
export const listSkills = (of: "projects" | "conversations", id: string) =>
  request<Page<Skill>>(pathOf(of, id, "skills"));

export const getSkill = (project: string, name: string) =>
  request<SkillDetail>(pathOf("projects", project, "skills", name));

/** Switches a skill; null: as if nobody had said anything. */
export function switchSkill(of: "projects" | "conversations", id: string, name: string, enabled: boolean | null) {
  return request<Page<Skill>>(pathOf(of, id, "skills", name), { method: "PATCH", json: { enabled } });
}

/** One's own skills, which hold in all one's chats, and those of the installation. */
export const listOwnSkills = () => request<Page<Skill>>("/skills");

export const getOwnSkill = (name: string) => request<SkillDetail>(pathOf("skills", name));

/** Writes a skill of one's own: the text is the whole SKILL.md. */
export const saveOwnSkill = (name: string, text: string) =>
  request<SkillDetail>(pathOf("skills", name), { method: "PUT", json: { text } });

export const deleteOwnSkill = (name: string) => request<void>(pathOf("skills", name), { method: "DELETE" });

export const getMemory = (project: string) => request<ProjectMemory>(pathOf("projects", project, "memory"));
