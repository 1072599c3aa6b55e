/** What a conversation hands down to everything that it shows. */
import type { InjectionKey } from "vue";
import type { Session } from "./session";

export const sessionKey: InjectionKey<Session> = Symbol("session");

/** Ids of opened lines; outlives the rows, which come and go while scrolling. */
export const openedKey: InjectionKey<Set<string>> = Symbol("opened");
