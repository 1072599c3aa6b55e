/** Files on their way into a message, by conversation. Each is uploaded as soon as it is chosen, and kept until it is sent. */
import { computed, reactive, watch } from "vue";
import { useI18n } from "vue-i18n";
import { upload } from "@/api/runs";
import type { Attachment } from "@/api/types";
import { bytes } from "@/i18n/format";
import { useToasts } from "@/stores/toasts";
import { draftOf, keepDraft, prependText } from "./drafts";

export interface Pending extends Attachment {
  preview: string;
  busy: boolean;
  /** Why the model cannot know what is in it; the server says so. */
  problem?: string;
}

/** The server's limit is its own; this one only spares a pointless upload. */
const limit = 50 * 1024 * 1024;

/** An upload goes on while another conversation is looked at. */
const lists = reactive(new Map<string, Pending[]>());

function listOf(key: string): Pending[] {
  if (!lists.has(key)) lists.set(key, draftOf(key).attachments.map(pending));
  return lists.get(key)!;
}

const pending = (attachment: Attachment): Pending => ({ ...attachment, preview: "", busy: false });

function keep(key: string): void {
  const stored = listOf(key).filter((a) => a.upload_id);
  keepDraft(key, {
    attachments: stored.map(({ upload_id, name, content_type, size, problem }) => ({
      ...{ upload_id, name, content_type, size },
      ...(problem ? { problem } : {}),
    })),
  });
}

/** Another tab changed what is attached: what is on its way here stays. */
export function adoptAttachments(key: string, attachments: Attachment[]): void {
  const busy = listOf(key).filter((a) => a.busy);
  lists.set(key, [...attachments.map(pending), ...busy]);
}

/** Puts a message back that was not sent, before what was written and added meanwhile; its box may not be in the page. */
export function giveBack(key: string, text: string, attachments: Attachment[]): void {
  listOf(key).unshift(...attachments.map(pending));
  keep(key);
  prependText(key, text);
}

export function useAttachments(conversation: () => string) {
  const toasts = useToasts();
  const { t } = useI18n();
  const list = computed(() => lists.get(conversation()) ?? []);
  const busy = computed(() => list.value.some((a) => a.busy));
  watch(conversation, listOf, { immediate: true });

  /** Attaches files; false: one of them could not be, and the page says why. */
  async function add(files: Iterable<File>): Promise<boolean> {
    const key = conversation();
    return (await Promise.all([...files].map((file) => addOne(key, file)))).every(Boolean);
  }

  async function addOne(key: string, file: File): Promise<boolean> {
    if (file.size > limit) {
      toasts.info(t("chat.tooLarge", { name: file.name, size: bytes(limit) }));
      return false;
    }
    const preview = file.type.startsWith("image/") ? URL.createObjectURL(file) : "";
    const entry = reactive<Pending>({
      name: file.name,
      content_type: file.type || "application/octet-stream",
      size: file.size,
      preview,
      busy: true,
    });
    listOf(key).push(entry);
    try {
      const { id, problem } = await upload(file);
      entry.upload_id = id;
      entry.problem = problem;
      entry.busy = false;
      keep(key);
      return true;
    } catch (error) {
      drop(key, listOf(key).indexOf(entry));
      // A browser gives a folder as a file that can't be read.
      const readable = await file
        .slice(0, 1)
        .text()
        .then(
          () => true,
          () => false,
        );
      toasts.info(t(readable ? "chat.uploadFailed" : "chat.notRead", { name: file.name }));
      if (readable) toasts.fail(error);
      return false;
    }
  }

  function drop(key: string, index: number): void {
    const [gone] = index < 0 ? [] : listOf(key).splice(index, 1);
    if (gone?.preview) URL.revokeObjectURL(gone.preview);
    keep(key);
  }

  /** Hands the files over and starts anew. */
  function take(): Attachment[] {
    const key = conversation();
    const taken = listOf(key).splice(0);
    keep(key);
    return taken.map(({ upload_id, name, content_type, size, preview }) => {
      if (preview) URL.revokeObjectURL(preview);
      return { upload_id, name, content_type, size };
    });
  }

  return { list, busy, add, remove: (index: number) => drop(conversation(), index), take };
}
