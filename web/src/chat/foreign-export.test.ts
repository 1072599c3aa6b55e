import { describe, expect, it } from "vitest";
import { foreignExport } from "./foreign-export";

const said = (file: unknown) =>
  foreignExport(file)?.map((c) => c!.messages.map((m) => [m.id, m.parent_id, m.role, m.text]));

describe("exports of other chats", () => {
  it("F13: takes ChatGPT's tree: nodes that say nothing are left out, the branch in view is the active one", () => {
    const message = (role: string, ...parts: unknown[]) => ({
      author: { role },
      content: { parts },
      create_time: 1.7e9,
    });
    const file = [
      {
        title: "Tea",
        create_time: 1.7e9,
        current_node: "b2",
        mapping: {
          b2: { parent: "q", message: message("assistant", "Green.") },
          root: { parent: null, message: null },
          sys: { parent: "root", message: message("system", "") },
          q: { parent: "sys", message: message("user", "Which tea?", { image: 1 }) },
          b1: { parent: "q", message: message("assistant", "Black.") },
        },
      },
    ];
    expect(said(file)).toEqual([
      [
        ["q", undefined, "user", "Which tea?"],
        ["b2", "q", "assistant", "Green."],
        ["b1", "q", "assistant", "Black."],
      ],
    ]);
    const one = foreignExport(file)![0]!;
    expect(one.conversation).toEqual({
      title: "Tea",
      title_given: true,
      tools_enabled: true,
      active_leaf_id: "b2",
      created_at: "2023-11-14T22:13:20.000Z",
      updated_at: "2023-11-14T22:13:20.000Z",
    });
  });

  it("F13: takes Claude's list, its text in parts too", () => {
    const file = [
      {
        name: "",
        chat_messages: [
          { uuid: "1", sender: "human", text: "Hello" },
          { uuid: "2", sender: "assistant", text: "", content: [{ type: "text", text: "Hi." }] },
        ],
      },
    ];
    expect(said(file)).toEqual([
      [
        ["1", undefined, "user", "Hello"],
        ["2", "1", "assistant", "Hi."],
      ],
    ]);
    expect(foreignExport(file)![0]!.conversation.title).toBe("Hello");
  });

  it("F13: takes Open WebUI's history", () => {
    const messages = {
      a: { role: "user", content: "Hello", parentId: null, timestamp: 1.7e9 },
      b: { role: "assistant", content: "Hi.", parentId: "a" },
    };
    expect(said([{ title: "x", chat: { history: { messages, currentId: "b" } } }])).toEqual([
      [
        ["a", undefined, "user", "Hello"],
        ["b", "a", "assistant", "Hi."],
      ],
    ]);
  });

  it("F13: leaves out what ChatGPT says to tools and hides, and its marks of sources", () => {
    const said1 = (role: string, text: string, more = {}) => ({
      author: { role },
      content: { parts: [text] },
      ...more,
    });
    const mapping = {
      a: {
        parent: null,
        message: said1("user", "About me", { metadata: { is_visually_hidden_from_conversation: true } }),
      },
      b: { parent: "a", message: said1("user", "News?") },
      c: { parent: "b", message: said1("assistant", "search(news)", { recipient: "web" }) },
      d: { parent: "c", message: said1("tool", "page") },
      e: { parent: "d", message: said1("assistant", "None.\ue200cite\ue202turn0\ue201", { recipient: "all" }) },
    };
    expect(said([{ title: "x", mapping, current_node: "e" }])).toEqual([
      [
        ["b", undefined, "user", "News?"],
        ["e", "b", "assistant", "None."],
      ],
    ]);
  });

  it("F13: takes the branches of Claude, and the texts of attached files", () => {
    const root = "00000000-0000-4000-8000-000000000000";
    const chat_messages = [
      {
        uuid: "1",
        sender: "human",
        text: "Read it",
        parent_message_uuid: root,
        attachments: [{ file_name: "a.txt", extracted_content: "inside" }],
      },
      { uuid: "2", sender: "assistant", text: "One.", parent_message_uuid: "1" },
      { uuid: "3", sender: "assistant", text: "Two.", parent_message_uuid: "1" },
    ];
    expect(said([{ name: "x", chat_messages, current_leaf_message_uuid: "2" }])).toEqual([
      [
        ["1", undefined, "user", "Read it\n\na.txt\n\n````\ninside\n````"],
        ["2", "1", "assistant", "One."],
        ["3", "1", "assistant", "Two."],
      ],
    ]);
  });

  it("F13: leaves out how Open WebUI's models reasoned", () => {
    const content = '<details type="reasoning" done="true">\n> hm\n</details>\nHi.';
    const messages = { a: { role: "assistant", content, parentId: null } };
    expect(said([{ title: "x", chat: { history: { messages, currentId: "a" } } }])).toEqual([
      [["a", undefined, "assistant", "Hi."]],
    ]);
  });

  it("leaves out conversations without words, and refuses what is no export", () => {
    expect(foreignExport([{ title: "empty", mapping: {} }])).toEqual([]);
    for (const file of [[], {}, null, "text", [1], [{ mapping: [] }], [{ other: 1 }]])
      expect(foreignExport(file)).toBeNull();
  });

  it("takes what it can read of a file, and says what it cannot", () => {
    const mapping = { a: { parent: null, message: { author: { role: "user" }, content: { parts: ["Hi."] } } } };
    expect(foreignExport([{ title: "x", mapping }, { title: "broken" }])).toMatchObject([
      { messages: [{ text: "Hi." }] },
      null,
    ]);
  });

  it("ends on a tree that goes in circles", () => {
    const mapping = { a: { parent: "b", message: null }, b: { parent: "a", message: null } };
    expect(foreignExport({ title: "x", mapping })).toEqual([]);
  });
});
