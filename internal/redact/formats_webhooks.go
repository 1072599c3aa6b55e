package redact

// webhookFormats are addresses that anybody who knows them may post to; the part
// that is secret is redacted.
func webhookFormats() []format {
	return []format{
		{rule: "slack-webhook", begin: []string{"hooks.slack.com/services/", "hooks.slack.com/workflows/",
			"hooks.slack.com/triggers/"}, rest: `[A-Za-z0-9]{6,}(?:/[A-Za-z0-9]{6,}){1,3}`, is: restOnly},
		{rule: "discord-webhook", begin: []string{"discord.com/api/webhooks/", "discordapp.com/api/webhooks/"},
			rest: `\d{6,20}/([\w-]{50,})`},
		{rule: "teams-webhook", begin: []string{"webhook.office.com/webhookb2/", "webhook.office.com/webhook/"},
			rest: `[\w-]{36}@[\w-]{36}/IncomingWebhook/[\w-]{32,}(?:/[\w-]{36,})?(?:/[\w-]+)?`, is: restOnly},
		{rule: "feishu-webhook", begin: []string{"open.feishu.cn/open-apis/bot/v2/hook/",
			"open.larksuite.com/open-apis/bot/v2/hook/"}, rest: `[\w-]{16,}`, is: restOnly},
		{rule: "wecom-webhook", begin: []string{"qyapi.weixin.qq.com/cgi-bin/webhook/send?key="}, rest: `[\w-]{16,}`,
			is: restOnly},
	}
}
