/** Files on their way into a message. Each is uploaded as soon as it is chosen. */
import { computed, reactive } from "vue";
import { useI18n } from "vue-i18n";
import { upload } from "@/api/runs";
import type { Attachment } from "@/api/types";
import { bytes } from "@/i18n/format";
import { useToasts } from "@/stores/toasts";

export interface Pending extends Attachment {
  preview: string;
  busy: boolean;
  /** Why the model cannot know what is in it; the server says so. */
  problem?: string;
}

/** The server's limit is its own; this one only spares a pointless upload. */
const limit = 50 * 1024 * 1024;

export function useAttachments() {
  const list = reactive<Pending[]>([]);
  const toasts = useToasts();
  const { t } = useI18n();
  const busy = computed(() => list.some((a) => a.busy));

  async function add(files: Iterable<File>): Promise<void> {
    await Promise.all([...files].map(addOne));
  }

  async function addOne(file: File): Promise<void> {
    if (file.size > limit) {
      toasts.info(t("chat.tooLarge", { name: file.name, size: bytes(limit) }));
      return;
    }
    const preview = file.type.startsWith("image/") ? URL.createObjectURL(file) : "";
    const entry = reactive<Pending>({
      name: file.name,
      content_type: file.type || "application/octet-stream",
      size: file.size,
      preview,
      busy: true,
    });
    list.push(entry);
    try {
      const { id, problem } = await upload(file);
      entry.upload_id = id;
      entry.problem = problem;
      entry.busy = false;
    } catch (error) {
      remove(list.indexOf(entry));
      toasts.info(t("chat.uploadFailed", { name: file.name }));
      toasts.fail(error);
    }
  }

  function remove(index: number): void {
    const [gone] = index < 0 ? [] : list.splice(index, 1);
    if (gone?.preview) URL.revokeObjectURL(gone.preview);
  }

  /** Hands the files over and starts anew. */
  function take(): Attachment[] {
    return list.splice(0).map(({ upload_id, name, content_type, size, preview }) => {
      if (preview) URL.revokeObjectURL(preview);
      return { upload_id, name, content_type, size };
    });
  }

  /** Takes back what could not be sent, before what was added meanwhile. */
  function giveBack(attachments: Attachment[]): void {
    list.unshift(...attachments.map((a) => ({ ...a, preview: "", busy: false })));
  }

  return { list, busy, add, remove, take, giveBack };
}
