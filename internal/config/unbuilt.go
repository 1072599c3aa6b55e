package config

// checkUnbuilt refuses what may be written but is not available in this version,
// so that nobody believes to have it. Whoever builds one of them removes its lines.
func (ch *checker) checkUnbuilt(c *Config) {
	if c.AuthMode == "multi" {
		ch.problem("auth_mode", "multi is not available in this version: use single")
	}
	if c.Workspace.Mode == "remote" || c.Workspace.Mode == "sandbox" {
		ch.problem("workspace.mode", c.Workspace.Mode+" is not available in this version: use local")
	}
	for i, a := range c.Agents {
		if a.Workspace == "remote" || a.Workspace == "sandbox" {
			ch.problem(indexPath("agents", i)+".workspace", a.Workspace+" is not available in this version: use local")
		}
	}
	if c.Database.URL != "" {
		ch.problem("database.url", "PostgreSQL is not available in this version: remove it, and SQLite in data_dir is used")
	}
	if c.NATS.URL != "" {
		ch.problem("nats.url", "a NATS server of your own is not available in this version: remove it, and the one inside the process is used")
	}
}
