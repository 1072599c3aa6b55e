package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"golang.org/x/oauth2"
)

// grant is what a person has allowed at a server: a token, and what it takes to
// refresh it.
type grant struct {
	ClientID     string           `json:"client_id"`
	ClientSecret string           `json:"client_secret,omitempty"`
	TokenURL     string           `json:"token_url"`
	AuthStyle    oauth2.AuthStyle `json:"auth_style"`
	Scopes       []string         `json:"scopes,omitempty"`
	Token        *oauth2.Token    `json:"token"`
}

// vault keeps grants in a file that only this server's user may read.
type vault struct {
	path    string
	changed func()

	mu     sync.Mutex
	loaded bool
	grants map[string]grant // by the server's name and address
}

// load reads the file once. mu is held. A file that cannot be read stays as it is.
func (v *vault) load() error {
	if v.loaded {
		return nil
	}
	grants := map[string]grant{}
	text, err := os.ReadFile(v.path)
	if err == nil {
		err = json.Unmarshal(text, &grants)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf(
			"the authorizations of MCP servers in %s cannot be read: restore the file, or remove it and authorize "+
				"the servers again (%w)", v.path, err)
	}
	v.grants, v.loaded = grants, true
	return nil
}

func (v *vault) get(key string) (grant, bool, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	err := v.load()
	found, ok := v.grants[key]
	return found, ok && found.Token != nil, err
}

// put keeps a grant; nil: it is forgotten.
func (v *vault) put(key string, g *grant) error {
	v.mu.Lock()
	err := v.write(key, g)
	v.mu.Unlock()
	v.changed()
	return err
}

// write changes the file as a whole or not at all. mu is held.
func (v *vault) write(key string, g *grant) error {
	if err := v.load(); err != nil {
		return err
	}
	if g == nil {
		delete(v.grants, key)
	} else {
		v.grants[key] = *g
	}
	text, err := json.MarshalIndent(v.grants, "", "  ")
	if err != nil {
		return fmt.Errorf("write the authorizations of MCP servers: %w", err)
	}
	file, err := os.CreateTemp(filepath.Dir(v.path), ".mcp-tokens-*") // readable for its owner alone
	if err != nil {
		return fmt.Errorf("write the authorizations of MCP servers: %w", err)
	}
	_, err = file.Write(text)
	if err = errors.Join(err, file.Sync(), file.Close()); err == nil {
		err = os.Rename(file.Name(), v.path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write the authorizations of MCP servers: %w", err), os.Remove(file.Name()))
	}
	return nil
}

// secrets are what must not be seen.
func (v *vault) secrets() []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	// What cannot be read is not used either; that error is the server's.
	_ = v.load()
	var secrets []string
	for _, key := range slices.Sorted(maps.Keys(v.grants)) {
		g := v.grants[key]
		secrets = append(secrets, g.ClientSecret)
		if g.Token != nil {
			secrets = append(secrets, g.Token.AccessToken, g.Token.RefreshToken)
		}
	}
	return slices.DeleteFunc(secrets, func(s string) bool { return s == "" })
}
