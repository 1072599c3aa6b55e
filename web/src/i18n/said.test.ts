import { beforeEach, describe, expect, it } from "vitest";
import { Problem } from "@/api/client";
import { setLocale } from "./index";
import { textOf } from "./problem";
import { say, sayError } from "./said";

beforeEach(() => setLocale("zh"));

describe("what the server says", () => {
  it("CH8: an error is said by its code in Chinese, with the server's words behind", async () => {
    expect(sayError("not_found", "there is no file a.txt")).toBe("内容不存在，或已被删除（there is no file a.txt）");
    expect(sayError("not_found", "")).toBe("内容不存在，或已被删除。");
    expect(sayError("of_a_plugin", "it broke")).toBe("It broke");
    await setLocale("en");
    expect(sayError("not_found", "there is no file a.txt")).toBe("There is no file a.txt");
    expect(sayError("not_found", "file_read: no such file")).toBe("file_read: no such file");
  });

  it("says what is wrong with a form without the name that the field has in the request", () => {
    const wrong = new Problem(422, { code: "invalid_arguments", detail: "body.name: is too long" }, "");
    expect(textOf(wrong)).toBe("部分内容无效（is too long）");
    expect(textOf(new Problem(0, { code: "unreachable" }, ""))).toBe("无法连接服务器。");
  });

  it("says an error whose sentence it knows without the English one", () => {
    const said = sayError(
      "model_auth",
      "api.example.com answered 401: no such key. Check the model's api_key and base_url in config.yml",
    );
    expect(said).toBe("api.example.com 返回 401：no such key。请检查 API 密钥和接口地址。");
    const broken =
      "the connection to api.example.com broke in the middle of the answer. Try again, or choose another model";
    expect(sayError("model_unavailable", `model gpt: ${broken}`)).toBe(
      "gpt：与 api.example.com 的连接在回答中途断开。请重试，或换一个模型。",
    );
    expect(sayError("model_unavailable", "model gpt: something new")).toBe(
      "模型服务无法连接，或暂时不可用（model gpt: something new）",
    );
    const wrong = new Problem(
      422,
      {
        code: "invalid_arguments",
        detail: "password: use at least 10 characters, such as four words",
        errors: [{ location: "body.password", message: "use at least 10 characters, such as four words" }],
      },
      "",
    );
    expect(textOf(wrong)).toBe("密码至少需要 10 个字符，例如四个词。");
  });

  it("keeps in a sentence what changes in it", async () => {
    expect(say("1 of 5 sub-agents finished")).toBe("1 / 5 个子智能体已结束");
    expect(say("asking brave")).toBe("正在询问 brave");
    expect(say("compiling main.go")).toBe("compiling main.go");
    await setLocale("en");
    expect(say("asking brave")).toBe("asking brave");
  });
});
