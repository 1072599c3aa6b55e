/** Asks a question in a dialog and waits for the answer. */
import { defineStore } from "pinia";
import { ref } from "vue";

export interface Answer {
  value: string;
  label: string;
  kind: "plain" | "primary" | "danger";
}

interface Question {
  title: string;
  hint?: string;
  /** What it is about, one name a line. */
  items?: string[];
  /** In the order of the buttons; the dialog adds the one that cancels. */
  answers: Answer[];
}

export const useConfirm = defineStore("confirm", () => {
  const question = ref<Question | null>(null);
  let resolve: ((value: string) => void) | null = null;

  /** Gives the value of the chosen answer; "" when a person cancels. */
  function choose(next: Question): Promise<string> {
    answer("");
    question.value = next;
    return new Promise((done) => (resolve = done));
  }

  /** A yes-or-no question before something is lost. */
  async function ask({ title, hint, action }: { title: string; hint?: string; action: string }): Promise<boolean> {
    return (await choose({ title, hint, answers: [{ value: "yes", label: action, kind: "danger" }] })) === "yes";
  }

  function answer(value: string): void {
    question.value = null;
    resolve?.(value);
    resolve = null;
  }

  return { question, ask, choose, answer };
});
