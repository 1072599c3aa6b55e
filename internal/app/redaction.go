package app

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"nanoclaw/internal/config"
	"nanoclaw/internal/redact"
)

// redactionKeyFile is the key of the ids in placeholders, in the data directory:
// with it a secret has the same id after a restart. Whoever has the file can try
// secrets against ids.
const redactionKeyFile = "redaction.key"

// redactionOptions are the rules of the configuration with the key of the ids in
// placeholders, which is made at the first start.
func redactionOptions(c *config.Config) (redact.Options, error) {
	options := redactOptions(c)
	key, err := redactionKey(c.DataDir)
	options.Key = key
	return options, err
}

func redactionKey(dataDir string) ([]byte, error) {
	if err := os.MkdirAll(dataDir, 0o700); err != nil {
		return nil, fmt.Errorf("make the data directory: %w", err)
	}
	path := filepath.Join(dataDir, redactionKeyFile)
	key, err := readRedactionKey(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	key = make([]byte, 32)
	if _, err := rand.Read(key); err != nil {
		return nil, fmt.Errorf("make the key of redaction: %w", err)
	}
	// Whole or not at all, and the first of two that make one wins.
	temp, err := os.CreateTemp(dataDir, redactionKeyFile+"-") // mode 0600
	if err != nil {
		return nil, fmt.Errorf("make the key of redaction: %w", err)
	}
	defer os.Remove(temp.Name())
	_, err = temp.WriteString(hex.EncodeToString(key) + "\n")
	if err = errors.Join(err, temp.Sync(), temp.Close()); err != nil {
		return nil, fmt.Errorf("make the key of redaction: %w", err)
	}
	if err := os.Link(temp.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("make the key of redaction: %w", err)
	}
	return readRedactionKey(path)
}

func readRedactionKey(path string) ([]byte, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the key of redaction: %w", err)
	}
	key, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(key) != 32 {
		return nil, fmt.Errorf("the key of redaction in %s is broken: restore it from a backup, or remove it, and a "+
			"new one is made (placeholders of before are not understood then)", path)
	}
	return key, nil
}

// reconfigureRedaction puts new rules and values in force. Where they cannot be,
// the old rules stay, with the new values.
func (a *App) reconfigureRedaction(next *config.Config) {
	options, err := redactionOptions(next)
	if err == nil {
		options.Values = a.secrets(next)
		err = a.Redactor.Configure(options)
	}
	a.coverSecrets(next)
	if err != nil {
		a.Logger.Error("the new rules of redaction are not in force", "error", err)
	}
}

// secrets are the server's own: of the configuration, and of MCP servers that people
// have authorized.
func (a *App) secrets(c *config.Config) []string {
	secrets := c.Secrets()
	if a.agents != nil {
		secrets = append(secrets, a.agents.servers.Secrets()...)
	}
	return secrets
}

// coverSecrets has the redactor look for the secrets of now.
func (a *App) coverSecrets(c *config.Config) {
	a.covering.Lock()
	defer a.covering.Unlock()
	a.Redactor.SetValues(a.secrets(c))
}
