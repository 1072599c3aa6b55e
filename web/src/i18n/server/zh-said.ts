/**
 * What the server says in a chat, in Chinese: of an error by its code, of a finding by the beginning of its rule's id, and
 * of a sentence by its English form, where {} is what changes.
 */
export default {
  codes: {
    access_denied: "没有访问权限。",
    agent_not_allowed: "不允许使用此智能体。",
    already_decided: "已经处理过了。",
    already_exists: "已存在同名内容。",
    approval_needed: "需要先获得批准。",
    bad_request: "请求有误。",
    bad_signature: "签名无效。",
    blocked: "已被规则或权限拦截。",
    budget_exceeded: "已达到用量限额。",
    cancelled: "已取消。",
    conflict: "与现有内容冲突。",
    cross_site: "请求来自其他网站，已拒绝。",
    database_unavailable: "数据库暂时无法访问。",
    denied: "未获批准。",
    external_agent_failed: "外部智能体失败。",
    forbidden: "你没有权限执行此操作。",
    host_not_allowed: "不允许通过此主机名访问。",
    http_status: "网站返回了错误。",
    idempotency_mismatch: "此请求编号已用于另一个请求。",
    internal: "服务器内部错误，详情见其日志。",
    invalid_arguments: "部分内容无效。",
    invalid_config: "配置无效。",
    invalid_coverage: "批准范围无效。",
    invalid_json: "不是有效的 JSON。",
    invalid_link: "链接无效或已过期。",
    last_admin: "至少需要保留一位管理员。",
    loop_detected: "智能体在重复相同的操作，已停止。",
    mcp_error: "MCP 服务器返回了错误。",
    method_not_allowed: "不支持此操作。",
    missing_tool_result: "缺少工具结果。",
    model_auth: "模型服务商拒绝了密钥。",
    model_content_filter: "服务商的内容过滤拦截了请求。",
    model_context_overflow: "对话过长，超出此模型的上下文。",
    model_invalid_request: "服务商拒绝了请求。",
    model_not_allowed: "不允许使用此模型。",
    model_not_found: "服务商没有这个模型。",
    model_protocol: "无法解析服务商的回答。",
    model_rate_limited: "已达到服务商的速率限制，或余额不足。",
    model_timeout: "模型未及时响应。",
    model_unavailable: "模型服务无法连接，或暂时不可用。",
    name_taken: "用户名已被使用。",
    needs_tls: "需要通过 HTTPS 访问。",
    no_pending_approval: "没有等待批准的操作。",
    not_a_directory: "这不是文件夹。",
    not_a_file: "这不是文件。",
    not_a_person: "只有用户本人可以执行此操作。",
    not_acceptable: "无法以所需格式返回。",
    not_allowed: "不允许登录。",
    not_found: "内容不存在，或已被删除。",
    not_ready: "服务器尚未就绪。",
    outcome_unknown: "结果未知。",
    precondition_failed: "内容在此期间已被修改。",
    provider_unavailable: "无法连接登录服务。",
    python_error: "Python 代码出错。",
    query_failed: "查询失败。",
    quota_exceeded: "存储配额已用完。",
    quota_reached: "已达到配额。",
    read_only: "只允许读取。",
    request_timeout: "请求超时。",
    run_active: "此对话正在运行。",
    session_busy: "该智能体正忙。",
    sign_in_expired: "登录已过期，请重新开始。",
    single_mode: "此服务器只有一位用户，不需要登录。",
    storage_full: "服务器磁盘已满。",
    sub_agents_failed: "所有子智能体都失败了。",
    timeout: "超时。",
    too_large: "内容过大。",
    too_many_attempts: "尝试次数过多，请稍后再试。",
    too_many_streams: "连接过多，请关闭一些页面。",
    too_many_tasks: "后台任务过多。",
    trigger_disabled: "已暂停。",
    unauthenticated: "请先登录。",
    unavailable: "服务暂时不可用。",
    unexpected_result: "结果不符合预期。",
    unexpected_tool_result: "没有等待此结果的工具调用。",
    unknown_agent: "没有这个智能体。",
    unknown_model: "没有这个模型。",
    unknown_tool: "没有这个工具。",
    unresolved_placeholder: "有无法还原的占位符。",
    unsupported_media_type: "不支持此内容类型。",
    unsupported_type: "不支持此文件类型。",
    which_approval: "有多个操作等待批准，请选择一个。",
    wrong_credentials: "用户名或密码不正确。",
  } as Record<string, string>,

  findings: {
    shell_destructive: "可能破坏数据。",
    shell_git_history: "会更改仓库的提交历史。",
    shell_fork_bomb: "会无限启动进程。",
    shell_system: "会更改或停止系统的某些部分。",
    shell_download_and_run: "会直接运行下载的内容。",
    shell_exfiltration: "可能把数据发送到其他机器。",
    shell_privileges: "会请求更高的权限。",
    shell_persistence: "会留下以后自动运行的内容。",
    shell_program_runner: "会运行另一个未经检查的程序。",
    path_sensitive: "涉及密钥、密码或私人文件。",
    env_dump: "会读取环境变量中的机密。",
    evasion: "写法使其无法被检查。",
    command: "不在允许的命令列表中，或无法确定。",
    file_delete: "会删除文件夹及其全部内容。",
    agent_external: "会把任务交给另一个自带工具的程序。",
    mcp_effects: "会调用可能产生更改的 MCP 服务器工具。",
    desktop_screenshot: "会截取服务器所在机器的整个屏幕。",
    browser_upload: "会把项目文件交给网页。",
    browser_secret: "会在网页中输入密码或其他机密。",
  } as Record<string, string>,

  sentences: {
    "Demo (offline)": "演示（离线）",
    "The default agent, with every tool.": "默认智能体，拥有全部工具。",

    "{} of {} sub-agents finished": "{} / {} 个子智能体已结束",
    "{} of {} pages": "{} / {} 个页面",
    "asking {}": "正在询问 {}",

    "it is not text": "不是文本。",
    "it is too long": "内容过长。",
    "the rest of it: it is too long": "其余部分过长，未显示。",
    "the diffs before fill the answer: ask for this path alone": "改动过多，此文件的改动未显示。",
    "what was there before is not kept": "未保存之前的版本。",
    "what was there before cannot be read": "无法读取之前的版本。",
    "the project's files cannot be read": "无法读取项目文件。",
    "it was changed since": "之后又被修改过。",
    "it was changed by others while the run was at work": "运行期间被其他人修改过。",
    "it is not known what the run left: the call that changed it did not end":
      "无法确定运行后的内容：修改它的调用没有结束。",
    "the version that was kept is gone": "保存的版本已不存在。",
    "it was no ordinary file": "之前不是普通文件。",
    "its content may not be read": "不允许读取其内容。",
    "the file grew over the limit while it was kept": "保存时文件超过了大小上限。",
    "the file had {} bytes, and only files of up to {} are kept (workspace.versions_max_file)":
      "文件有 {} 字节，只保存不超过 {} 字节的文件（workspace.versions_max_file）。",
    "more than {} bytes of older versions would be kept for the run (workspace.versions_max_size)":
      "本次运行的旧版本将超过 {} 字节（workspace.versions_max_size）。",
    "a command changed it, and of files before a command only {} bytes are kept, of each at most {} (workspace.command_versions, versions_max_file)":
      "由命令修改；命令之前的文件总共只保存 {} 字节，每个最多 {} 字节（workspace.command_versions、versions_max_file）。",
    "the directory holds more than {} entries (workspace.command_files): restore it from the trash, or move it back":
      "文件夹超过 {} 项（workspace.command_files）：请从回收站恢复，或将其移回。",
    "the project has more than {} entries (workspace.command_files): what commands changed is not listed":
      "项目超过 {} 项（workspace.command_files）：未列出命令的改动。",
    "the project could not be looked at before a command: what commands changed is not listed":
      "命令运行前无法检查项目：未列出命令的改动。",
    "a command made so many files that not all of its changes are listed": "命令产生的文件过多，未列出全部改动。",
    "what a command changed could not be noted": "无法记录命令的改动。",
    "a call of {} was under way when the server stopped: what that call changed is not listed":
      "服务器停止时 {} 的调用正在进行：未列出其改动。",
    "the run did not change it": "本次运行没有修改它。",
    "it was changed after the run: it was left alone": "本次运行之后又被修改过，已保留。",
    "the request ended before": "请求提前结束。",
    "the directory holds files that the run did not make, or that were changed since":
      "文件夹中有并非由本次运行创建，或之后被修改过的文件。",

    "the command ended the shell: the next one runs in a new shell, and background jobs are gone":
      "该命令结束了 Shell：下一条命令将在新的 Shell 中运行，后台任务已终止。",
    "these figures are made up: {}": "以下数据为模拟数据：{}",

    "{} is out of range: give {} to {}, or 0": "{} 超出范围：请填 {} 至 {}，或 0",
    "{} is out of range: give at least {}, or 0": "{} 超出范围：至少为 {}，或 0",
    "{} is out of range: give {} to {}": "{} 超出范围：请填 {} 至 {}",
    "{} is out of range: give at least {}": "{} 超出范围：至少为 {}",
    "{} is out of range: give at most {}": "{} 超出范围：至多为 {}",
    "{} is out of range: give 0 or more": "{} 超出范围：不能小于 0",
    "{} is not possible: use {}": "不能是 {}：请用 {}",
    "must not be empty": "不能为空",
    "has to be {}, not {}": "类型应为 {}，而不是 {}",
    "is not the id of one of models: use {}": "不是 models 中的 ID：请用 {}",
    "{}: is disabled: the environment variable {} is not set": "{}：已停用，未设置环境变量 {}",
    "{}: is not given: new conversations use the offline model demo": "{}：未设置，新对话使用离线演示模型",

    "use at least {} characters, such as four words": "密码至少需要 {} 个字符，例如四个词。",
    "choose another password: this one is among those that are tried first": "这个密码太常见，请换一个。",
    "choose another password: this one holds the user name": "密码中不能包含用户名，请换一个。",
    "use letters, digits and . _ - @, without spaces, at most {} bytes":
      "用户名只能包含字母、数字和 . _ - @，不能有空格，最多 {} 字节。",
    "there is an account with this name": "已有同名账户。",
    "the link was used already or has expired: ask for another one": "链接已被使用或已过期，请索取新的链接。",
    "too many wrong passwords: wait {} and try again": "密码错误次数过多，请等待 {} 后重试。",

    "base_url is not an http(s) address such as {}": "接口地址必须以 http:// 或 https:// 开头，例如 {}",
    "cannot reach {}: there is no machine of this name. Check base_url and the network":
      "无法连接 {}：没有这个名称的主机。请检查接口地址和网络。",
    "cannot reach {}: its certificate is not trusted. Check base_url and the network":
      "无法连接 {}：其证书不受信任。请检查接口地址和网络。",
    "cannot reach {}: nothing answers at this address. Check base_url and the network":
      "无法连接 {}：该地址没有响应。请检查接口地址和网络。",
    "cannot reach {}: no network leads to it. Check base_url and the network":
      "无法连接 {}：网络不通。请检查接口地址和网络。",
    "cannot reach {}: it closed the connection without an answer. Check base_url and the network":
      "无法连接 {}：对方未回答就关闭了连接。请检查接口地址和网络。",
    "cannot reach {}: it did not answer in time. Check base_url and the network":
      "无法连接 {}：对方未及时响应。请检查接口地址和网络。",
    "cannot reach {}: {}. Check base_url and the network": "无法连接 {}（{}）。请检查接口地址和网络。",
    "the connection to {} broke in the middle of the answer. Try again, or choose another model":
      "与 {} 的连接在回答中途断开。请重试，或换一个模型。",
    "{} sent something that is no model's answer ({}). Try again, or choose another model":
      "{} 返回的内容不是模型的回答（{}）。请重试，或换一个模型。",
    "{} stopped before its answer was complete (no {}). Try again, or choose another model":
      "{} 没有给出完整的回答（缺少 {}）。请重试，或换一个模型。",
    "the provider broke the answer off ({}). Try again, or choose another model":
      "服务商中断了回答（{}）。请重试，或换一个模型。",
    "the model called a tool in a way that cannot be read ({}). Try again, or choose another model":
      "无法解析模型对工具的调用（{}）。请重试，或换一个模型。",
    "{} sent no answer within {}. Try again, or choose another model; a slow one needs a longer llm.idle_timeout":
      "{} 在 {} 内没有回答。请重试，或换一个模型；速度慢的模型需要更长的 llm.idle_timeout。",
    "{} stopped in the middle of its answer for {}. Try again, or choose another model; a slow one needs a longer llm.idle_timeout":
      "{} 的回答中途停顿了 {}。请重试，或换一个模型；速度慢的模型需要更长的 llm.idle_timeout。",
    "{} answered with a web page instead of a model's answer. Check base_url":
      "{} 返回的是网页，而不是模型的回答。请检查接口地址。",
    "{} answered {}: {}. Check the model's api_key and base_url in config.yml":
      "{} 返回 {}：{}。请检查 API 密钥和接口地址。",
    "{} answered {}: {}. Check model and base_url in config.yml": "{} 返回 {}：{}。请检查模型名称和接口地址。",
    "{} answered {}: {}. Top up the account at the provider, or choose another model":
      "{} 返回 {}：{}。请在服务商处充值，或换一个模型。",
    "{} answered {}: {}. Try again later, or choose another model": "{} 返回 {}：{}。请稍后重试，或换一个模型。",
    "{} answered {}: {}. Wait a moment, or choose another model": "{} 返回 {}：{}。请稍候，或换一个模型。",
    "{} answered {}: {}. Shorten the conversation or its files, or choose a model with a larger context window":
      "{} 返回 {}：{}。请缩短对话或其中的文件，或换一个上下文更长的模型。",
    "{} answered {}: {}. Change the message: the provider's content filter refused it":
      "{} 返回 {}：{}。请修改消息：服务商的内容过滤拒绝了它。",
    "{} reported in its answer: {}. Try again later, or choose another model":
      "{} 在回答中报告：{}。请稍后重试，或换一个模型。",
    "{} reported in its answer: {}. Wait a moment, or choose another model":
      "{} 在回答中报告：{}。请稍候，或换一个模型。",
    "{} answered {}: {}": "{} 返回 {}：{}",
    "{} reported in its answer: {}": "{} 在回答中报告：{}",
    "the model gave no answer within {}": "模型在 {} 内没有回答。",

    "an answer below this message is still being written: wait for it, or stop it first":
      "这条消息下方的回答尚未完成：请等它结束，或先停止它。",
    "the last run is still at work (overlap: skip)": "上次运行尚未结束（overlap: skip）。",
  } as Record<string, string>,
};
