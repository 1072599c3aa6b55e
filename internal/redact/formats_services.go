package redact

// serviceFormats are the tokens of those who send messages, move money and keep
// documents.
func serviceFormats() []format {
	return []format{
		{rule: "slack-token", begin: []string{"xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxo-", "xoxc-", "xoxd-", "xoxe-", "xapp-"}, rest: `[\w%-]{20,}`, is: random},
		{rule: "slack-token", begin: []string{"xoxe."}, rest: `xox[bp]-[\w-]{20,}`},
		{rule: "discord-token", begin: []string{"MT", "Mj", "Mz", "ND", "NT", "Nj", "Nz", "OD", "OT"}, rest: `[\w-]{20,26}\.[\w-]{6}\.[\w-]{27,}`},
		{rule: "telegram-token", begin: []string{":AA"}, rest: `[\w-]{33}`, is: whole, before: isDigit, beforeMin: 8},
		{rule: "twilio-key", begin: []string{"SK"}, rest: `[0-9a-f]{32}`, is: whole},
		{rule: "sendgrid-key", begin: []string{"SG."}, rest: `[\w-]{16,32}\.[\w-]{16,64}`},
		{rule: "mailgun-key", begin: []string{"key-"}, rest: `[0-9a-f]{32}`, is: whole},
		{rule: "brevo-key", begin: []string{"xkeysib-", "xsmtpsib-"}, rest: `[a-f0-9]{64}-[A-Za-z0-9]{16}`},
		{rule: "resend-key", begin: []string{"re_"}, rest: `[A-Za-z0-9]{6,12}_[A-Za-z0-9]{20,}`, is: random},
		{rule: "stripe-key", begin: []string{"sk_live_", "sk_test_", "rk_live_", "rk_test_"}, rest: `[A-Za-z0-9]{16,}`},
		{rule: "webhook-secret", begin: []string{"whsec_"}, rest: `[A-Za-z0-9+/]{24,}={0,2}`},
		{rule: "shopify-token", begin: []string{"shpat_", "shpca_", "shppa_", "shpss_"}, rest: `[a-fA-F0-9]{32}`},
		{rule: "square-token", begin: []string{"sq0atp-", "sq0csp-"}, rest: `[\w-]{22,}`},
		{rule: "square-token", begin: []string{"EAAA"}, rest: `[\w-]{60}`, is: whole | random},
		{rule: "facebook-token", begin: []string{"EAA"}, rest: `[A-Za-z0-9]{90,}`},
		{rule: "braintree-token", begin: []string{"access_token$production$", "access_token$sandbox$"}, rest: `[0-9a-z]{16}\$([0-9a-f]{32})`},
		{rule: "plaid-token", begin: []string{"access-production-", "access-development-", "access-sandbox-"}, rest: uuid},
		{rule: "razorpay-key", begin: []string{"rzp_live_", "rzp_test_"}, rest: `[A-Za-z0-9]{14}`, is: whole},
		{rule: "easypost-key", begin: []string{"EZAK", "EZTK"}, rest: `[A-Za-z0-9]{54}`, is: whole},
		{rule: "shippo-token", begin: []string{"shippo_live_", "shippo_test_"}, rest: `[a-fA-F0-9]{40}`},
		{rule: "flutterwave-key", begin: []string{"FLWSECK_TEST-", "FLWSECK-"}, rest: `[A-Za-z0-9]{12,}(?:-X)?`},
		{rule: "duffel-token", begin: []string{"duffel_live_", "duffel_test_"}, rest: `[\w=-]{43,}`},
		{rule: "hubspot-token", begin: []string{"pat-na1-", "pat-na2-", "pat-eu1-", "pat-ap1-"}, rest: uuid},
		{rule: "airtable-token", begin: []string{"pat"}, rest: `[A-Za-z0-9]{14}\.[a-f0-9]{64}`},
		{rule: "linear-key", begin: []string{"lin_api_", "lin_oauth_"}, rest: `[A-Za-z0-9]{32,}`},
		{rule: "notion-token", begin: []string{"ntn_"}, rest: `[A-Za-z0-9]{40,}`},
		{rule: "notion-token", begin: []string{"secret_"}, rest: `[A-Za-z0-9]{43}`, is: whole | random},
		{rule: "figma-token", begin: []string{"figd_", "figo_"}, rest: `[\w-]{36,}`},
		{rule: "dropbox-token", begin: []string{"sl."}, rest: `(?:u\.)?[\w-]{120,}`},
		{rule: "okta-token", begin: []string{"SSWS "}, rest: `00[\w-]{38,}`, is: restOnly},
	}
}
