/** The chats of the sidebar that a person has chosen, to do something with all of them. */
import { defineStore } from "pinia";
import { ref } from "vue";

export const useSelection = defineStore("selection", () => {
  const ids = ref<string[]>([]);

  function toggle(id: string): void {
    ids.value = ids.value.includes(id) ? ids.value.filter((one) => one !== id) : [...ids.value, id];
  }

  const clear = () => (ids.value = []);

  return { ids, toggle, clear };
});
