package config

import "path/filepath"

// DatabaseFile is where the SQLite database lies, where database.url names no other.
func (c *Config) DatabaseFile() string {
	if c.Database.SQLiteFile != "" {
		return c.Database.SQLiteFile
	}
	return filepath.Join(c.DataDir, "nanoclaw.db")
}

// AbsolutePaths are the absolute ways to a path: its own, and where links lead.
func AbsolutePaths(path string) []string {
	if path == "" {
		return nil
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil
	}
	if real, err := filepath.EvalSymlinks(absolute); err == nil && real != absolute {
		return []string{absolute, real}
	}
	return []string{absolute}
}

// SkillsDir is the directory of the installation's skills.
func (c *Config) SkillsDir() string {
	if c.Skills.Dir != "" {
		return c.Skills.Dir
	}
	return filepath.Join(c.DataDir, "skills")
}
