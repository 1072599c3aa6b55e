/** A project to try things in, so that the suggestions on the first page have files to work with. */
import { createProject, listProjects, writeFile } from "@/api/projects";
import { renewProjects } from "@/api/queries";
import type { Project } from "@/api/types";
import { i18n } from "@/i18n";

const sales = "month,region,revenue\n2026-01,North,1200\n2026-01,South,950\n2026-02,North,1380\n2026-02,South,1010\n";

/** Gives the project of that name, or makes it with a few files. */
export async function playground(): Promise<Project> {
  const { t } = i18n.global;
  const name = t("home.playground");
  const known = (await listProjects()).items.find((p) => p.name === name);
  if (known) return known;
  const project = await createProject({ name, description: t("home.playgroundHint") });
  await Promise.all([
    writeFile(project.id, "README.md", `# ${name}\n\n${t("home.playgroundHint")}\n`, ""),
    writeFile(project.id, "data/sales.csv", sales, ""),
  ]);
  await renewProjects();
  return project;
}
