package guard

import "slices"

// use is what is done with a path.
type use int

const (
	reads use = 1 << iota
	writes
	lists  // its name or its existence only
	anyUse = reads | writes | lists
)

// place is a sensitive path.
type place struct {
	what     string // for the message
	severity Severity
	uses     use // that are sensitive
}

var (
	keyPlace      = place{"a private key", High, anyUse}
	secretPlace   = place{"credentials", High, anyUse}
	historyPlace  = place{"what was typed before, with secrets in it", Medium, reads | writes}
	startupPlace  = place{"a start-up file of the shell", Medium, reads | writes}
	environPlace  = place{"the environment of a process, with its secrets", High, anyUse}
	memoryPlace   = place{"memory of processes or of the machine", Critical, anyUse}
	accountsPlace = place{"the accounts of the machine", High, anyUse}
	usersPlace    = place{"the accounts of the machine", Low, reads | writes}
	autorunPlace  = place{"what the machine runs on its own", High, writes}
	rcPlace       = place{"a file of settings that can name programs to run", Medium, writes}
	dotenvPlace   = place{"an environment file, which may hold secrets", Low, reads}
	hooksPlace    = place{"a program that git runs on its own", High, writes}
	socketPlace   = place{"a way to rule the machine's containers", High, anyUse}
	metadataPlace = place{"the cloud's metadata service, which hands out credentials", Critical, anyUse}
	ownPlace      = place{"this server's own data or configuration", Critical, anyUse}
	namedPlace    = place{"a path that the administrator named (guard.sensitive_paths, workspace.denied_names)", High, anyUse}
)

// names are sensitive in whatever directory they lie: the last part of a path.
var names = map[string]place{
	"id_rsa": keyPlace, "id_dsa": keyPlace, "id_ecdsa": keyPlace, "id_ed25519": keyPlace, "id_ecdsa_sk": keyPlace, "id_ed25519_sk": keyPlace, "identity.age": keyPlace,
	"authorized_keys": {"who may log in", High, anyUse}, ".netrc": secretPlace, "_netrc": secretPlace, ".git-credentials": secretPlace, ".pgpass": secretPlace, ".my.cnf": secretPlace,
	".pypirc": secretPlace, ".htpasswd": secretPlace, ".vault-token": secretPlace, ".dockercfg": secretPlace, ".s3cfg": secretPlace, ".boto": secretPlace, ".rhosts": secretPlace,
	".bash_history": historyPlace, ".zsh_history": historyPlace, ".python_history": historyPlace, ".mysql_history": historyPlace, ".psql_history": historyPlace, ".node_repl_history": historyPlace,
	".bashrc": startupPlace, ".bash_profile": startupPlace, ".bash_login": startupPlace, ".bash_logout": startupPlace, ".bash_aliases": startupPlace, ".profile": startupPlace,
	".zshrc": startupPlace, ".zshenv": startupPlace, ".zprofile": startupPlace, ".zlogin": startupPlace, ".zlogout": startupPlace, ".kshrc": startupPlace, ".cshrc": startupPlace,
	".tcshrc": startupPlace, ".xinitrc": startupPlace, ".xprofile": startupPlace, ".xsession": startupPlace, ".pam_environment": startupPlace, "config.fish": startupPlace, ".env": dotenvPlace,
	".vimrc": rcPlace, ".gvimrc": rcPlace, ".exrc": rcPlace, ".tmux.conf": rcPlace, ".screenrc": rcPlace, ".direnvrc": rcPlace, ".pythonrc": rcPlace, ".pythonrc.py": rcPlace, ".gdbinit": rcPlace, ".lldbinit": rcPlace,
	".psqlrc": rcPlace, ".sqliterc": rcPlace, ".emacs": rcPlace, ".Rprofile": rcPlace, ".irbrc": rcPlace, ".pryrc": rcPlace, ".inputrc": rcPlace, ".wgetrc": rcPlace, ".curlrc": rcPlace, ".mailrc": rcPlace, ".hgrc": rcPlace,
	".xsessionrc": rcPlace, ".xbindkeysrc": rcPlace, ".lessfilter": rcPlace, ".bash_completion": rcPlace, ".forward": rcPlace, ".procmailrc": rcPlace, "usercustomize.py": rcPlace, "sitecustomize.py": rcPlace,
}

// extensions are sensitive as the ending of a name.
var extensions = map[string]place{
	".pem": keyPlace, ".key": keyPlace, ".p12": keyPlace, ".pfx": keyPlace, ".jks": keyPlace, ".keystore": keyPlace, ".kdbx": secretPlace, ".ppk": keyPlace, ".agekey": keyPlace,
}

// tree is a directory or a file that is sensitive with all that is below.
type tree struct {
	path string
	place
}

// trees begin at "~", at "/", or lie anywhere.
var trees = slices.Concat(namedTrees, laterTrees)

var namedTrees = []tree{
	{".ssh", keyPlace}, {".gnupg", keyPlace}, {".aws", secretPlace}, {".azure", secretPlace}, {".kube", secretPlace}, {".docker/config.json", secretPlace}, {".password-store", secretPlace},
	{".config/gcloud", secretPlace}, {".config/gh", secretPlace}, {".config/hub", secretPlace}, {".config/op", secretPlace}, {".config/rclone", secretPlace}, {".config/doctl", secretPlace},
	{".terraform.d/credentials.tfrc.json", secretPlace}, {".cargo/credentials", secretPlace}, {".cargo/credentials.toml", secretPlace}, {".gem/credentials", secretPlace}, {".m2/settings.xml", secretPlace},
	{".local/share/keyrings", secretPlace}, {"Library/Keychains", secretPlace}, {".mozilla/firefox", secretPlace}, {".config/google-chrome", secretPlace}, {".config/chromium", secretPlace}, {".electrum", secretPlace}, {".bitcoin", secretPlace},
	{".git/hooks", hooksPlace}, {".config/autostart", autorunPlace}, {".config/systemd", autorunPlace}, {"Library/LaunchAgents", autorunPlace}, {".config/fish", startupPlace},
	{"~/.npmrc", secretPlace}, {"~/.gitconfig", place{"git's settings, which can name programs to run", Medium, writes}}, {"~/.config/git", place{"git's settings, which can name programs to run", Medium, writes}}, {"~/.bashrc.d", startupPlace},
	{"~/.vim", rcPlace}, {"~/.config/nvim", rcPlace}, {"~/.emacs.d", rcPlace}, {"~/.config/pip", rcPlace}, {"~/.pip", rcPlace}, {"~/.cargo/config", rcPlace}, {"~/.cargo/config.toml", rcPlace}, {"~/.local/share/applications", rcPlace},
	{"~/.config/tmux", rcPlace}, {"~/.config/direnv", rcPlace}, {"~/.config/i3", rcPlace}, {"~/.config/sway", rcPlace}, {"~/.config/environment.d", rcPlace}, {"~/.gradle/init.gradle", rcPlace}, {"~/.gradle/init.d", rcPlace}, {"~/.ipython", rcPlace},
	{"~/.jupyter", rcPlace}, {"~/.oh-my-zsh", rcPlace}, {"~/.config/plasma-workspace", rcPlace}, {"~/.local/share/systemd", rcPlace}, {"~/.config/upstart", rcPlace}, {"~/.yarnrc", rcPlace}, {"~/.yarnrc.yml", rcPlace}, {"~/.config/go/env", rcPlace},
	{"/etc/shadow", accountsPlace}, {"/etc/shadow-", accountsPlace}, {"/etc/gshadow", accountsPlace}, {"/etc/gshadow-", accountsPlace}, {"/etc/sudoers", accountsPlace}, {"/etc/sudoers.d", accountsPlace},
	{"/etc/security/opasswd", accountsPlace}, {"/etc/passwd", usersPlace}, {"/etc/passwd-", usersPlace}, {"/etc/group", place{"the accounts of the machine", Low, writes}},
	{"/etc/ssl/private", keyPlace}, {"/etc/pki/tls/private", keyPlace}, {"/etc/letsencrypt", keyPlace}, {"/etc/kubernetes", secretPlace}, {"/etc/krb5.keytab", keyPlace},
	{"/etc/ssh/ssh_host_rsa_key", keyPlace}, {"/etc/ssh/ssh_host_ecdsa_key", keyPlace}, {"/etc/ssh/ssh_host_ed25519_key", keyPlace}, {"/etc/ssh", autorunPlace}, {"/etc/pam.d", autorunPlace},
	{"/etc/profile", startupPlace}, {"/etc/profile.d", startupPlace}, {"/etc/bash.bashrc", startupPlace}, {"/etc/bashrc", startupPlace}, {"/etc/zsh", startupPlace}, {"/etc/environment", startupPlace},
	{"/etc/crontab", autorunPlace}, {"/etc/cron.d", autorunPlace}, {"/etc/cron.daily", autorunPlace}, {"/etc/cron.hourly", autorunPlace}, {"/etc/cron.weekly", autorunPlace}, {"/etc/cron.monthly", autorunPlace},
	{"/var/spool/cron", autorunPlace}, {"/etc/systemd", autorunPlace}, {"/lib/systemd", autorunPlace}, {"/usr/lib/systemd", autorunPlace}, {"/etc/init.d", autorunPlace}, {"/etc/rc.local", autorunPlace},
	{"/etc/ld.so.preload", autorunPlace}, {"/etc/ld.so.conf", autorunPlace}, {"/etc/ld.so.conf.d", autorunPlace}, {"/etc/hosts", place{"where the names of machines lead", Medium, writes}}, {"/etc/udev", autorunPlace},
	{"/etc/xdg/autostart", autorunPlace}, {"/etc/update-motd.d", autorunPlace}, {"/etc/apt/apt.conf.d", autorunPlace}, {"/etc/logrotate.d", autorunPlace},
	{"/proc/kcore", memoryPlace}, {"/dev/mem", memoryPlace}, {"/dev/kmem", memoryPlace}, {"/dev/port", memoryPlace}, {"/run/secrets", secretPlace}, {"/var/run/secrets", secretPlace},
	{"/var/run/docker.sock", socketPlace}, {"/run/docker.sock", socketPlace}, {"/run/containerd", socketPlace}, {"/var/lib/docker", socketPlace}, {"/var/lib/kubelet", secretPlace},
}
