import type { Component } from "vue";

/** What can be typed after a slash. */
export interface SlashCommand {
  name: string;
  label: string;
  icon: Component;
  run(): void;
}
