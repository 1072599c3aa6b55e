package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"nanoclaw/internal/accounts"
	"nanoclaw/internal/app"
	"nanoclaw/internal/config"
	"nanoclaw/internal/models"
	"nanoclaw/internal/store"
)

const userAbout = `
Accounts of auth_mode multi. The server may run or not; it obeys at once.

add NAME      makes an account; without --password-file it prints a link with which its person chooses a password.
              The first administrator is given what was made in single mode.
list          all accounts
passwd NAME   sets the password of --password-file (- is standard input), or prints a link. Sessions and tokens end.
disable NAME  nobody can use the account; its sessions and tokens end, and its runs are stopped.
enable NAME   takes that back
token NAME    prints an API token, this once`

// userCommand is one word behind nanoclaw user.
type userCommand struct {
	named bool // it takes a name
	run   func(p *program, ctx context.Context, u *userFlags, name string) error
}

var userCommands = map[string]userCommand{
	"add":     {true, (*program).addUser},
	"list":    {false, (*program).listUsers},
	"passwd":  {true, (*program).setPassword},
	"disable": {true, (*program).disableUser},
	"enable":  {true, (*program).disableUser},
	"token":   {true, (*program).makeToken},
}

type userFlags struct {
	word         string
	admin        bool
	viewer       bool
	passwordFile string
	scope        string
	expires      string
	config       *config.Config
	accounts     *accounts.Service
}

func (p *program) user(ctx context.Context, args []string) (err error) {
	set := p.flags("user", "user add|list|passwd|disable|enable|token [NAME] [--admin] [--password-file FILE] "+
		"[--scope read|run|admin] [--expires 30d] [--config FILE] [--data DIR]", userAbout)
	source := p.source(set)
	u := &userFlags{}
	set.BoolVar(&u.admin, "admin", false, "add: the account is an administrator's")
	set.BoolVar(&u.viewer, "viewer", false, "add: the account may only read")
	set.StringVar(
		&u.passwordFile,
		"password-file",
		"",
		"add, passwd: the first line of this `FILE` is the password; - is standard input",
	)
	set.StringVar(&u.scope, "scope", "", "token: what it may do: `read`, run or admin")
	set.StringVar(&u.expires, "expires", "", "token: after this `TIME`, such as 12h or 30d; left out: never")
	if done, err := p.parse(set, args, 2); done || err != nil {
		return err
	}
	if len(set.args) == 0 {
		return usagef("user: say what: add, list, passwd, disable, enable or token")
	}
	u.word = set.args[0]
	command, known := userCommands[u.word]
	switch {
	case !known:
		return usagef("user: there is no %q: say add, list, passwd, disable, enable or token", u.word)
	case command.named != (len(set.args) == 2):
		return usagef("user %s: give one name", u.word)
	}
	if u.config, _, err = p.load(*source); err != nil {
		return err
	}
	service, closeStore, err := app.Accounts(ctx, u.config, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeStore()) }()
	u.accounts = service
	name := ""
	if command.named {
		if name, err = accounts.Name(set.args[1]); err != nil {
			return fmt.Errorf("%s: %w", set.args[1], err)
		}
	}
	return command.run(p, ctx, u, name)
}

func (p *program) addUser(ctx context.Context, u *userFlags, name string) error {
	role := models.AccountUser
	switch {
	case u.admin && u.viewer:
		return usagef("user add: --admin and --viewer exclude each other")
	case u.admin:
		role = models.AccountAdmin
	case u.viewer:
		role = models.AccountViewer
	}
	password, err := p.readPassword(u)
	if err != nil {
		return err
	}
	user, err := u.accounts.Create(ctx, name, role, password)
	if err != nil {
		return err
	}
	fmt.Fprintf(p.stdout, "%s is there, with the role %s.\n", user.Name, user.Role)
	if u.config.AuthMode != "multi" {
		fmt.Fprintln(p.stdout, "Nobody signs in yet: set auth_mode: multi in config.yml and start the server again.")
	}
	if password != "" {
		return nil
	}
	return p.printLink(ctx, u, user.ID)
}

func (p *program) printLink(ctx context.Context, u *userFlags, userID string) error {
	secret, err := u.accounts.NewLink(ctx, userID)
	if err != nil {
		return err
	}
	fmt.Fprintf(
		p.stdout,
		"The person chooses a password at the server's address with this behind it, once, within %d days:\n%s\n",
		int(accounts.LinkLifetime/(24*time.Hour)),
		accounts.LinkPath(secret),
	)
	return nil
}

// readPassword is the first line of --password-file, or nothing.
func (p *program) readPassword(u *userFlags) (string, error) {
	if u.passwordFile == "" {
		return "", nil
	}
	from := p.stdin
	if u.passwordFile != "-" {
		file, err := os.Open(u.passwordFile)
		if err != nil {
			return "", fmt.Errorf("read the password: %w", err)
		}
		defer file.Close()
		from = file
	}
	line, err := bufio.NewReader(io.LimitReader(from, 1<<16)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read the password: %w", err)
	}
	if line = strings.TrimRight(line, "\r\n"); line == "" {
		return "", errors.New("read the password: its first line is empty")
	}
	return line, nil
}

func (p *program) listUsers(ctx context.Context, u *userFlags, _ string) error {
	table := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "NAME\tROLE\tSTATE\tSINCE")
	query := store.UserQuery{Page: store.Page{Limit: store.MaxLimit}}
	for more := true; more; more = query.Cursor != "" {
		part, err := u.accounts.Store.ListUsers(ctx, query)
		if err != nil {
			return err
		}
		for i := range part.Items {
			user := &part.Items[i]
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", user.Name, user.Role, accountState(user),
				user.CreatedAt.Std().Format(time.DateOnly))
		}
		query.Cursor = part.Next
	}
	return table.Flush()
}

func accountState(user *models.User) string {
	switch {
	case user.DisabledAt != 0:
		return "disabled"
	case user.PasswordHash == "" && user.Subject == "":
		return "no password"
	}
	return "active"
}

func (p *program) setPassword(ctx context.Context, u *userFlags, name string) error {
	user, err := u.accounts.Store.UserByName(ctx, name)
	if err != nil {
		return err
	}
	password, err := p.readPassword(u)
	if err != nil {
		return err
	}
	if password == "" {
		return p.printLink(ctx, u, user.ID)
	}
	if err := u.accounts.SetPassword(ctx, user.ID, password); err != nil {
		return err
	}
	if err := u.accounts.Store.EndAccess(ctx, user.ID); err != nil {
		return err
	}
	fmt.Fprintf(p.stdout, "%s has another password; sessions and tokens have ended.\n", name)
	return nil
}

func (p *program) disableUser(ctx context.Context, u *userFlags, name string) error {
	user, err := u.accounts.Store.UserByName(ctx, name)
	if err != nil {
		return err
	}
	disabled := u.word == "disable"
	if _, err := u.accounts.Update(ctx, user.ID, accounts.Change{Disabled: &disabled}); err != nil {
		return err
	}
	fmt.Fprintf(p.stdout, "%s is %sd.\n", name, u.word)
	return nil
}

func (p *program) makeToken(ctx context.Context, u *userFlags, name string) error {
	switch u.scope {
	case models.ScopeRead, models.ScopeRun, models.ScopeAdmin:
	default:
		return usagef("user token: give --scope read, run or admin")
	}
	var expires time.Time
	if u.expires != "" {
		lifetime, err := config.ParseDuration(u.expires)
		if err != nil || lifetime <= 0 {
			return usagef("user token: --expires is a time such as 12h or 30d")
		}
		expires = time.Now().Add(lifetime.Std())
	}
	user, err := u.accounts.Store.UserByName(ctx, name)
	if err != nil {
		return err
	}
	text, _, err := u.accounts.NewToken(ctx, user.ID, "command line", u.scope, expires)
	if err != nil {
		return err
	}
	fmt.Fprintln(p.stdout, text)
	return nil
}
