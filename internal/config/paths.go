package config

import "path/filepath"

// DatabaseFile is where the SQLite database lies, where database.url names no other.
func (c *Config) DatabaseFile() string {
	if c.Database.SQLiteFile != "" {
		return c.Database.SQLiteFile
	}
	return filepath.Join(c.DataDir, "nanoclaw.db")
}
