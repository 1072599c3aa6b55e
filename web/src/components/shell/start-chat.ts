/** Opens a conversation with its first message: the one way in which the page begins a chat. */
import { ref } from "vue";
import { useRouter } from "vue-router";
import { createConversation } from "@/api/conversations";
import type { Attachment, ConversationPatch } from "@/api/types";
import { giveBack } from "@/chat/attach";
import { useSession } from "@/chat/session";
import { useToasts } from "@/stores/toasts";

/** `draftKey`: where a message goes back to when its chat cannot be made. */
export function useStartChat(draftKey: string) {
  const router = useRouter();
  const toasts = useToasts();
  const busy = ref(false);

  async function start(text: string, attachments: Attachment[], settings: ConversationPatch): Promise<void> {
    if (busy.value) return;
    busy.value = true;
    try {
      const conversation = await createConversation(settings);
      const sending = useSession(conversation.id).send(text, attachments);
      await router.push({ name: "chat", params: { id: conversation.id } });
      await sending;
    } catch (error) {
      toasts.fail(error);
      giveBack(draftKey, text, attachments);
    } finally {
      busy.value = false;
    }
  }

  return { busy, start };
}
