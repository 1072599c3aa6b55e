/** Asks a yes-or-no question in a dialog and waits for the answer. */
import { defineStore } from "pinia";
import { ref } from "vue";

interface Question {
  title: string;
  hint?: string;
  action: string;
}

export const useConfirm = defineStore("confirm", () => {
  const question = ref<Question | null>(null);
  let resolve: ((yes: boolean) => void) | null = null;

  function ask(next: Question): Promise<boolean> {
    answer(false);
    question.value = next;
    return new Promise((done) => (resolve = done));
  }

  function answer(yes: boolean): void {
    question.value = null;
    resolve?.(yes);
    resolve = null;
  }

  return { question, ask, answer };
});
