package shellsyntax

import (
	"slices"
	"strings"
)

// resets are the words with which tools of databases throw away all that one holds: words
// in their order, and options that have to be there. A bar stands between others that do
// the same.
var resets = map[string][]string{
	"prisma": {"migrate reset", "db push --force-reset|--accept-data-loss"}, "supabase": {"db reset", "projects delete", "stop --no-backup"},
	"rails": railsResets, "rake": railsResets,
	"artisan": {"migrate:fresh|migrate:reset|migrate:refresh|db:wipe"}, "console": {"doctrine:database:drop|d:d:d|doctrine:schema:drop|d:s:d --force|-f", "doctrine:mongodb:schema:drop"},
	"manage.py": djangoResets, "django-admin": djangoResets,
	"sequelize": {"db:drop", "db:migrate:undo:all"}, "sequelize-cli": {"db:drop", "db:migrate:undo:all"}, "knex": {"migrate:rollback --all|-a"},
	"typeorm": {"schema:drop"}, "typeorm-ts-node-commonjs": {"schema:drop"}, "typeorm-ts-node-esm": {"schema:drop"}, "mikro-orm": {"schema:drop|schema:fresh|migration:fresh|database:drop"}, "drizzle-kit": {"drop"}, "wp": {"db reset|drop|clean", "site empty"}, "drush": {"sql:drop|sql-drop"},
	"alembic": {"downgrade base"}, "flask": {"db downgrade base"}, "mix": {"ecto.drop|ecto.reset"}, "flyway": {"clean"}, "liquibase": {"drop-all|dropAll"}, "dbmate": {"drop"}, "goose": {"reset", "down-to 0"}, "migrate": {"drop"}, "diesel": {"database reset", "db reset"}, "sqlx": {"database drop|reset", "db drop|reset"},
	"sea-orm-cli": {"migrate fresh|reset"}, "dotnet-ef": {"database drop"}, "dotnet": {"ef database drop"}, "atlas": {"schema clean"},
}

var railsResets = []string{"db:drop|db:reset|db:purge|db:migrate:reset|db:schema:load|db:drop:all|db:truncate_all|db:seed:replant"}

var djangoResets = []string{"flush|reset_db|reset_schema", "migrate zero"}

// removals are the words with which tools of hosting services remove, hide or publish what
// others may use, as those of resets.
var removals = map[string][]string{
	"gh":     {"repo edit --visibility", "repo archive|delete", "secret set|delete|remove", "variable delete", "release delete|delete-asset", "issue delete", "run delete", "workflow disable", "cache delete", "codespace delete", "ssh-key add|delete", "gpg-key add|delete", "repo deploy-key add|delete", "label delete", "gist delete", "project delete", "ruleset delete"},
	"glab":   {"repo delete|archive|transfer", "project delete|archive|transfer", "variable set|update|delete", "release delete", "issue delete", "mr delete", "ci delete", "ssh-key add|delete", "deploy-key add|delete", "token create|revoke|rotate", "schedule delete"},
	"gitlab": {"project delete|archive", "group delete", "project-variable create|delete|update", "user delete", "project-release delete", "project-branch delete"},
	"fly":    {"destroy", "apps destroy", "volumes delete|destroy", "machine destroy|remove", "machines destroy|remove", "postgres detach", "secrets unset", "postgres destroy", "mpg destroy"}, "flyctl": {"destroy", "machine destroy|remove", "machines destroy|remove", "secrets unset"},
	"heroku": {"pg:reset", "addons:destroy", "apps:destroy", "config:unset", "pg:kill", "container:rm", "access:add", "ps:stop"}, "vercel": {"rm|remove", "env rm|remove", "project rm|remove", "domains rm|remove", "dns rm|remove", "blob del", "secrets rm|remove"}, "now": {"rm|remove"},
	"netlify": {"sites:delete", "env:unset", "blobs:delete"}, "ntl": {"sites:delete"}, "wrangler": {"delete", "kv namespace delete", "kv:namespace delete", "kv key delete", "kv:key delete", "r2 bucket delete", "r2 object delete", "d1 delete", "secret delete", "pages project delete", "pages deployment delete", "queues delete", "vectorize delete"},
	"railway": {"down", "delete", "environment delete"}, "serverless": {"remove"}, "sls": {"remove"}, "sst": {"remove"}, "cdk": {"destroy"}, "cdktf": {"destroy"}, "sam": {"delete"}, "amplify": {"delete"}, "copilot": {"app delete", "svc delete", "env delete"}, "eb": {"terminate"}, "eksctl": {"delete cluster|nodegroup"},
	"firebase": {"firestore:delete", "database:remove", "hosting:disable", "functions:delete", "projects:delete", "hosting:sites:delete", "hosting:channel:delete"}, "turso": {"db destroy", "group destroy"}, "pscale": {"database delete", "branch delete"}, "neonctl": {"projects delete", "branches delete", "databases delete"}, "neon": {"projects delete", "branches delete"},
	"linode-cli": {"delete|rm|rb"}, "hcloud": {"server delete", "volume delete", "network delete", "image delete"}, "scw": {"instance server delete|terminate", "delete"}, "vultr-cli": {"instance delete"}, "ibmcloud": {"delete|rm"}, "oci": {"delete|terminate"}, "nomad": {"job stop", "stop"}, "consul": {"kv delete"}, "vault": {"delete", "kv delete|destroy", "secrets disable"}, "argocd": {"app delete"}, "flux": {"uninstall"}, "render": {"services delete"}, "surge": {"teardown"},
	"terragrunt": {"destroy"},
}

// losesData says whether a command throws away what a database holds, and whether it
// removes what a service keeps for others. Databases for tests are made to be thrown away.
func (c *Command) losesData() (reset, removal bool) {
	words := c.arguments()
	if len(words) == 0 {
		return false, false
	}
	if reset, removal = c.loses(programName(c.Name()), words); reset || removal {
		return reset, removal
	}
	words = behindRunner(c, func(name string) bool { return resets[name] != nil || removals[name] != nil })
	if len(words) == 0 {
		return false, false
	}
	return c.loses(programName(words[0].Value), words[1:])
}

func (c *Command) loses(name string, words []Word) (reset, removal bool) {
	if words = words[:min(len(words), maxRunnerWords)]; saysAny(resets[name], words) {
		return !c.isForTests(words), false
	}
	return false, saysAny(removals[name], words)
}

// isForTests says whether a command is about a database for tests.
func (c *Command) isForTests(words []Word) bool {
	if slices.ContainsFunc(c.Settings, func(w Word) bool { return strings.Contains(w.Value, "://") || w.Guess }) {
		return false // an address of its own
	}
	for _, setting := range c.Settings {
		name, value, _ := strings.Cut(setting.Value, "=")
		if (strings.HasSuffix(name, "_ENV") || name == "ENV") && (value == "test" || value == "testing") && setting.Static {
			return true
		}
	}
	for i, w := range words {
		if value, _, found := option(words, i, "", "--env", "--environment", "--app-env"); found && w.Static && (value.Value == "test" || value.Value == "testing") {
			return true
		}
	}
	return false
}

// saysAny says whether words are in one of the forms of a table.
func saysAny(forms []string, words []Word) bool {
	return slices.ContainsFunc(forms, func(form string) bool { return says(strings.Fields(form), words) })
}

// says looks for the words of a form in their order, with options between them, which may
// have a value, and for its options anywhere.
func says(form []string, words []Word) bool {
	done, option := 0, false
	for len(form) > 0 && strings.HasPrefix(form[len(form)-1], "-") {
		wanted := strings.Split(form[len(form)-1], "|")
		if !slices.ContainsFunc(words, func(w Word) bool { name, _, _ := strings.Cut(w.Value, "="); return slices.Contains(wanted, name) }) {
			return false
		}
		form = form[:len(form)-1]
	}
	for _, w := range words {
		switch {
		case done == len(form):
			return true
		case slices.Contains(strings.Split(form[done], "|"), w.Value):
			done, option = done+1, false
		case strings.HasPrefix(w.Value, "-"):
			option = !strings.Contains(w.Value, "=")
		case done > 0 && form[done] == "zero":
			option = false // the name of an app stands in front
		case !option:
			return false
		default:
			option = false
		}
	}
	return done == len(form)
}
