/** Pictures and links of a text that name files of a project, not pages. */
import { fileUrl } from "@/api/projects";

/** The scheme by which the parser marks a picture whose address is a path. */
export const scheme = "project:";

/** The path in the project of an address, seen from a folder; "" where it leads elsewhere. */
export function pathOf(address: string, folder: string): string {
  if (/^([a-z][\w+.-]*:|\/\/|#|\/api\/)/i.test(address)) return "";
  const base = new URL(`http://project/${folder ? `${folder}/` : ""}`);
  if (!URL.canParse(address, base)) return "";
  try {
    const path = decodeURIComponent(new URL(address, base).pathname.slice(1));
    // An encoded slash hides such a step from the URL.
    return /(^|\/)\.{1,2}(\/|$)/.test(path) ? "" : path;
  } catch {
    // A percent sign that encodes nothing.
    return "";
  }
}

const picture = /<img src="project:([^"]*)" alt="([^"]*)" loading="lazy">/g;

/** Gives the pictures of a text their addresses; without a project their words stay. */
export function withPictures(html: string, place: { project: string; folder: string } | null): string {
  if (!html.includes(scheme)) return html;
  return html.replace(picture, (_, address: string, words: string) => {
    const path = place ? pathOf(address.replaceAll("&amp;", "&"), place.folder) : "";
    const source = fileUrl(place?.project ?? "", path).replaceAll("&", "&amp;");
    return path ? `<img src="${source}" alt="${words}" loading="lazy">` : words;
  });
}
