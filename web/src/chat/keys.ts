/** What a conversation hands down to everything that it shows. */
import type { InjectionKey, Ref } from "vue";
import type { Session } from "./session";

export const sessionKey: InjectionKey<Session> = Symbol("session");

/** Ids of opened lines; outlives the rows, which come and go while scrolling. */
export const openedKey: InjectionKey<Set<string>> = Symbol("opened");

/** Where a text's relative links and pictures lead: files of a project, as seen from a folder; null: nowhere. */
export interface FilePlace {
  project: string;
  folder: string;
  open: (path: string) => void;
}
export const filesKey: InjectionKey<Readonly<Ref<FilePlace | null>>> = Symbol("files");
