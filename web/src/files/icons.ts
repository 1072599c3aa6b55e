import { File, FileArchive, FileCode, FileImage, FileJson, FileSpreadsheet, FileText, FileVideo } from "@lucide/vue";
import type { Component } from "vue";

const byExtension: Record<string, Component> = {};
const add = (icon: Component, extensions: string) => extensions.split(" ").forEach((e) => (byExtension[e] = icon));
add(FileCode, "js mjs cjs ts tsx jsx vue py go rs c h cpp hpp java rb php sh bash html css scss sql swift kt lua");
add(FileJson, "json yaml yml toml");
add(FileText, "md txt rst log pdf doc docx");
add(FileImage, "png jpg jpeg gif webp svg bmp ico avif");
add(FileSpreadsheet, "csv tsv xlsx xls");
add(FileArchive, "zip tar gz tgz 7z rar");
add(FileVideo, "mp4 mov webm mkv");

export function iconOf(name: string): Component {
  return byExtension[name.split(".").at(-1)?.toLowerCase() ?? ""] ?? File;
}
