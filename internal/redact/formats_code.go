package redact

// codeFormats are the tokens of those who keep, build and watch code.
func codeFormats() []format {
	return []format{
		{rule: "github-token", begin: []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_"}, rest: `(?:\d+_eyJ[\w-]+\.[\w-]+\.[\w-]+|[A-Za-z0-9]{36,})`},
		{rule: "github-token", begin: []string{"github_pat_"}, rest: `\w{60,}`},
		{rule: "gitlab-token", begin: []string{
			"glpat-", "gldt-", "glrt-", "glptt-", "glsoat-", "glft-", "glcbt-", "glimt-", "glagent-", "gloas-", "glffct-", "glrtr-", "glwt-", "GR1348941",
		}, rest: `[\w-]{20,}(?:\.[0-9a-z]{2}\.?[0-9A-Za-z]{7,9})?`},
		{rule: "gitlab-token", begin: []string{"_gitlab_session="}, rest: `[0-9a-z]{32}`, is: restOnly},
		{rule: "bitbucket-token", begin: []string{"BBDC-"}, rest: `[A-Za-z0-9+/@_-]{40,}`},
		{rule: "atlassian-token", begin: []string{"ATATT3", "ATCTT3"}, rest: `[\w=-]{60,}`},
		{rule: "atlassian-token", begin: []string{"ATBB"}, rest: `[A-Za-z0-9]{28,}`, is: whole | random},
		{rule: "npm-token", begin: []string{"npm_"}, rest: `[A-Za-z0-9]{36,}`},
		{rule: "pypi-token", begin: []string{"pypi-"}, rest: `AgE[\w-]{40,}`},
		{rule: "rubygems-key", begin: []string{"rubygems_"}, rest: `[a-f0-9]{48}`},
		{rule: "crates-token", begin: []string{"cio"}, rest: `[A-Za-z0-9]{32}`, is: whole | random},
		{rule: "nuget-key", begin: []string{"oy2"}, rest: `[a-z0-9]{43}`, is: whole},
		{rule: "clojars-token", begin: []string{"CLOJARS_"}, rest: `[A-Za-z0-9]{60}`},
		{rule: "docker-token", begin: []string{"dckr_pat_", "dckr_oat_"}, rest: `[\w-]{20,}`},
		{rule: "artifactory-key", begin: []string{"AKCp"}, rest: `[A-Za-z0-9]{60,}`},
		{rule: "artifactory-key", begin: []string{"cmVmd"}, rest: `[A-Za-z0-9]{59}`, is: whole},
		{rule: "circleci-token", begin: []string{"CCIPAT_", "CCIPRJ_"}, rest: `[A-Za-z0-9]{16,}_[a-f0-9]{40}`},
		{rule: "octopus-key", begin: []string{"API-"}, rest: `[A-Z0-9]{26}`, is: whole},
		{rule: "harness-token", begin: []string{"pat.", "sat."}, rest: `[\w-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}`},
		{rule: "snyk-token", begin: []string{"snyk_uat.", "snyk_sat."}, rest: `[a-f0-9]{8}\.[\w.-]{40,}`},
		{rule: "deno-token", begin: []string{"ddp_", "ddw_"}, rest: `[A-Za-z0-9]{36}`, is: whole | random},
		{rule: "cursor-key", begin: []string{"key_", "crsr_"}, rest: `[a-f0-9]{64}`, is: whole},
		{rule: "wundergraph-key", begin: []string{"cosmo_"}, rest: `[a-f0-9]{32}`, is: whole},
		{rule: "buildkite-token", begin: []string{"bkua_", "bkaj_", "bkat_"}, rest: `[A-Za-z0-9]{40,}`},
		{rule: "sonar-token", begin: []string{"sqp_", "squ_", "sqa_"}, rest: `[a-f0-9]{40}`},
		{rule: "sourcegraph-token", begin: []string{"sgp_"}, rest: `(?:[a-f0-9]{16}_|local_)?[a-f0-9]{40}`},
		{rule: "prefect-key", begin: []string{"pnu_", "pnb_"}, rest: `[A-Za-z0-9]{36}`},
		{rule: "postman-key", begin: []string{"PMAK-"}, rest: `[A-Fa-f0-9]{24}-[A-Fa-f0-9]{34}`},
		{rule: "postman-key", begin: []string{"PMAT-"}, rest: `[A-Z0-9]{26}`},
		{rule: "sentry-token", begin: []string{"sntrys_"}, rest: `[A-Za-z0-9+/=_-]{60,}`},
		{rule: "sentry-token", begin: []string{"sntryu_", "sntrya_", "sntryi_"}, rest: `[a-f0-9]{64}`},
		{rule: "grafana-token", begin: []string{"glsa_"}, rest: `[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}`},
		{rule: "grafana-token", begin: []string{"glc_"}, rest: `[A-Za-z0-9+/]{32,}={0,2}`},
		{rule: "grafana-token", begin: []string{"eyJrIjoi"}, rest: `[A-Za-z0-9+/]{60,}={0,2}`},
		{rule: "newrelic-key", begin: []string{"NRAK-", "nrak-"}, rest: `[A-Za-z0-9]{27}`},
		{rule: "newrelic-key", begin: []string{"NRII-", "nrii-"}, rest: `[\w-]{32}`},
		{rule: "newrelic-key", begin: []string{"NRJS-", "nrjs-"}, rest: `[a-f0-9]{19}`},
		{rule: "newrelic-key", begin: []string{"NRRA-", "NRAA-", "NRIQ-", "NRSP-"}, rest: `[\w-]{19,64}`, is: random},
		{rule: "newrelic-license", begin: []string{"eu01xx"}, rest: `[a-fA-F0-9]{30,}(?:NRAL)?`},
		{rule: "dynatrace-token", begin: []string{"dt0c01.", "dt0s01."}, rest: `[A-Za-z0-9]{8,24}\.[A-Za-z0-9]{64}`},
		{rule: "launchdarkly-key", begin: []string{"sdk-", "api-"}, rest: uuid, is: whole},
		{rule: "posthog-key", begin: []string{"phx_", "phc_", "phs_", "pha_", "phr_"}, rest: `[\w-]{40,}`, is: random},
		{rule: "readme-key", begin: []string{"rdme_"}, rest: `[a-z0-9]{70}`},
	}
}

const uuid = `[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}`
